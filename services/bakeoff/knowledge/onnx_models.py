"""Text models in the ONNX format: a tokenizer and a session, one text at a time on one thread.

One at a time, and so without padding: what a model makes of a text then does not depend on what else is in a batch. Of
models with whole numbers (int8) it would by several per cent, since they take their scale from the whole batch; and on
one thread a batch is no faster for passages, padding being computed too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.model_files import TOKENIZER, ModelFiles

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
"""What a model may be given; it must take the first."""
OPEN_MODELS = 8
"""Models that stay open in a process."""
BLOCK_TEXTS = 1024
"""Texts that are cut into tokens at once."""
FATAL_ONLY = 4
"""Log level of the runtime: what goes wrong is raised."""


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """A model that is open; thread-safe."""

    component: str
    """Whose it is, for the messages."""
    tokenizer: Tokenizer
    session: Any
    inputs: tuple[str, ...]
    output: str
    """The first of its outputs."""
    width: int = 0
    """Length of the output's last axis."""

    def outputs(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> list[NDArray[np.float32]]:
        """Return what the model makes of each text or pair of texts, in their order.

        Returns:
            Of each text the model's first output without the axis of the batch: shape (tokens, n) or (n,).

        Raises:
            InvalidInputError: the model cannot be run.
        """
        found: list[NDArray[np.float32]] = []
        for first in range(0, len(texts), BLOCK_TEXTS):
            encodings = self.tokenizer.encode_batch(list(texts[first : first + BLOCK_TEXTS]))
            found += [self._run(encoding) for encoding in encodings]
        return found

    def _run(self, encoding: Encoding) -> NDArray[np.float32]:
        columns = zip(INPUTS, (encoding.ids, encoding.attention_mask, encoding.type_ids), strict=True)
        feed = {name: np.array([column], np.int64) for name, column in columns if name in self.inputs}
        try:
            [output] = self.session.run([self.output], feed)
        except Exception as error:  # the runtime has a class for each kind of its errors, with no common one
            tokens = len(encoding.ids)
            raise InvalidInputError(
                f"the model of {self.component} cannot be run on a text of {tokens} tokens: {error}"
            ) from error
        return np.asarray(output[0], np.float32)


def open_model(component: str, files: ModelFiles, file: str, max_length: int) -> OnnxModel:
    """Open a model, or return the one that is open.

    Args:
        component: Whose it is, for the messages.
        files: Where it is.
        file: Name of the model among them.
        max_length: Tokens beyond which a text is cut, its special tokens counted; from 8.

    Raises:
        InvalidInputError: the library is not installed, or the files are no model that takes tokens.
    """
    return _open(component, files, files.digest, file, max_length)


def require_onnxruntime(component: str) -> None:
    """Check that models can be run.

    Raises:
        InvalidInputError: the library is not installed.
    """
    if find_spec("onnxruntime") is None:
        raise InvalidInputError(
            f"{component} needs the package onnxruntime, which is not installed: pip install 'bakeoff[onnx]'"
        )


@lru_cache(OPEN_MODELS)
def _open(component: str, files: ModelFiles, digest: str, file: str, max_length: int) -> OnnxModel:
    require_onnxruntime(component)
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    # A worker has several items in hand: more threads would take time from each other, and change last digits.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = FATAL_ONLY
    place = files.folder / file
    try:
        tokenizer = Tokenizer.from_file(str(files.folder / TOKENIZER))
        session = onnxruntime.InferenceSession(str(place), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # both libraries raise classes of their own
        raise InvalidInputError(f"the model of {component} in {files.folder} cannot be opened: {error}") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length)
    inputs = tuple(each.name for each in session.get_inputs())
    if INPUTS[0] not in inputs or not set(inputs) <= set(INPUTS):
        raise InvalidInputError(
            f"{place} takes {', '.join(inputs)}: {component} needs a model of {', '.join(INPUTS)}, the last two if any"
        )
    model = OnnxModel(component, tokenizer, session, inputs, session.get_outputs()[0].name)
    # Not read from the model's description, which need not have it.
    [output] = model.outputs([""])
    return replace(model, width=int(output.shape[-1]) if output.ndim else 0)

"""Reranker: a cross-encoder in the ONNX format, from a folder or from a package that carries it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.model_files import ModelFiles, find_model
from bakeoff.knowledge.onnx_models import open_model, require_onnxruntime
from bakeoff.knowledge.registries import rerankers
from bakeoff.knowledge.reranking import Reranker
from bakeoff.runtime.model_pins import MODEL_FILES, ONE_MODEL
from bakeoff.runtime.registry import Is

ITSELF = "the reranker cross_encoder"


@rerankers.register(
    "cross_encoder", facts={MODEL_FILES: ONE_MODEL, "libraries": ["numpy", "onnxruntime", "tokenizers"]}
)
def cross_encoder(
    *,
    directory: Annotated[str, Is("folder with the model and its tokenizer.json", path=True)] = "",
    package: Annotated[
        str, Is("instead of it, an installed package and the folder in it, such as some_model/data/small")
    ] = "",
    file: Annotated[str, Is("name of the model in the folder")] = "model.onnx",
    sha256: Annotated[str, Is("digest of the model's files; filled in where the model is at hand")] = "",
    max_length: Annotated[
        int, Is("tokens of question and passage together; the longer of them is cut", minimum=8)
    ] = 512,
) -> Reranker:
    """Score a passage by a transformer that reads it behind the question; needs no network.

    The score is the model's one number for the pair, as it is: it may be negative. Pairs go through the model one at a
    time on one thread, so that a score is the same whatever else was found.

    Source: Nogueira & Cho 2019, "Passage Re-ranking with BERT", arXiv:1901.04085.
    """
    require_onnxruntime(ITSELF)
    files = find_model(ITSELF, directory=directory, package=package, file=file)
    files.check(sha256, ITSELF)
    return CrossEncoder(files, file, max_length)


@dataclass(frozen=True, slots=True)
class CrossEncoder:
    """A cross-encoder; opened when it is first used."""

    files: ModelFiles
    file: str
    max_length: int

    def scores(self, query: str, passages: Sequence[str]) -> NDArray[np.float64]:
        """Return the model's number for each pair."""
        model = open_model(ITSELF, self.files, self.file, self.max_length)
        outputs = model.outputs([(query, passage) for passage in passages])
        wrong = next((output.shape for output in outputs if output.size != 1), None)
        if wrong is not None:
            raise InvalidInputError(
                f"the model of {ITSELF} in {self.files.folder} gives {wrong} numbers for a pair; it must give one"
            )
        return np.array([output.item() for output in outputs], np.float64)

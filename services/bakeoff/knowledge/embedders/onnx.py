"""Embedder: a transformer in the ONNX format, from a folder or from a package that carries it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.embedding import ASIDE, Embedder, Vectors, normalise
from bakeoff.knowledge.model_files import ModelFiles, find_model
from bakeoff.knowledge.onnx_models import OnnxModel, open_model, require_onnxruntime
from bakeoff.knowledge.registries import embedders
from bakeoff.runtime.model_pins import MODEL_FILES, ONE_MODEL
from bakeoff.runtime.registry import Is


@embedders.register(
    "onnx",
    facts={
        MODEL_FILES: ONE_MODEL,
        ASIDE: ["directory", "package", "query_prefix"],
        "libraries": ["numpy", "onnxruntime", "tokenizers"],
    },
)
def onnx(
    *,
    directory: Annotated[str, Is("folder with the model and its tokenizer.json", path=True)] = "",
    package: Annotated[
        str, Is("instead of it, an installed package and the folder in it, such as some_model/data/small")
    ] = "",
    file: Annotated[str, Is("name of the model in the folder")] = "model.onnx",
    sha256: Annotated[str, Is("digest of the model's files; filled in where the model is at hand")] = "",
    pooling: Annotated[
        Literal["mean", "cls", "none"],
        Is("how the vectors of tokens become one: their mean, the first one, or the model does it"),
    ] = "mean",
    max_length: Annotated[int, Is("tokens of a text that count, special ones among them", minimum=8)] = 512,
    lowercase: Annotated[
        bool, Is("whether texts are put in lower case first; most tokenizers do it themselves")
    ] = False,
    query_prefix: Annotated[str, Is("set before a query, with the space between them if any")] = "",
    passage_prefix: Annotated[str, Is("set before a passage, with the space between them if any")] = "",
) -> Embedder:
    """Embed with a transformer in the ONNX format; needs no network.

    Vectors are scaled to length 1. A blank text has a zero vector and is never found. Texts go through the model one at
    a time on one thread: a text's vector is the same whatever is embedded with it. Models in whole numbers (int8) do as
    well as others.
    """
    require_onnxruntime("the embedder onnx")
    files = find_model("the embedder onnx", directory=directory, package=package, file=file)
    files.check(sha256, "the embedder onnx")
    return OnnxEmbedder(files, file, pooling, max_length, lowercase, query_prefix, passage_prefix)


@dataclass(frozen=True, slots=True)
class OnnxEmbedder:
    """A transformer; opened when it is first used."""

    files: ModelFiles
    file: str
    pooling: str
    max_length: int
    lowercase: bool
    query_prefix: str
    passage_prefix: str

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""
        return self._model().width

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a passage."""
        return self._embedded(texts, self.passage_prefix)

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return one vector a query."""
        return self._embedded(queries, self.query_prefix)

    def _embedded(self, texts: Sequence[str], prefix: str) -> Vectors:
        model = self._model()
        said = [number for number, text in enumerate(texts) if text.strip()]
        vectors = np.zeros((len(texts), model.width), np.float32)
        whole = [prefix + texts[number] for number in said]
        outputs = model.outputs([text.lower() for text in whole] if self.lowercase else whole)
        for number, output in zip(said, outputs, strict=True):
            vectors[number] = self._pooled(output)
        return normalise(vectors)

    def _pooled(self, output: NDArray[np.float32]) -> NDArray[np.floating]:
        if (output.ndim == 1) != (self.pooling == "none"):
            shape = "one vector a text" if output.ndim == 1 else "one vector a token"
            raise InvalidInputError(
                f"the model of the embedder onnx gives {shape}, which pooling={self.pooling} is not for"
            )
        if self.pooling == "none":
            return output
        pooled: NDArray[np.floating] = output[0] if self.pooling == "cls" else output.mean(axis=0, dtype=np.float64)
        return pooled

    def _model(self) -> OnnxModel:
        return open_model("the embedder onnx", self.files, self.file, self.max_length)

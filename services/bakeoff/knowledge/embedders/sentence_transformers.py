"""Embedder: a model of the library sentence-transformers, from a folder or from a package that carries it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Annotated, Any

import numpy as np

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.embedding import ASIDE, Embedder, Vectors, normalise
from bakeoff.knowledge.model_files import ModelFiles, find_model
from bakeoff.knowledge.registries import embedders
from bakeoff.runtime.model_pins import MODEL_FILES, WHOLE_FOLDER
from bakeoff.runtime.registry import Is

ITSELF = "the embedder sentence_transformers"
OPEN_MODELS = 4


@embedders.register(
    "sentence_transformers",
    facts={
        MODEL_FILES: WHOLE_FOLDER,
        ASIDE: ["directory", "package", "query_prefix"],
        "libraries": ["numpy", "sentence-transformers", "torch"],
    },
)
def sentence_transformers(
    *,
    directory: Annotated[str, Is("folder with the model as the library saves it", path=True)] = "",
    package: Annotated[
        str, Is("instead of it, an installed package and the folder in it, such as some_model/data/small")
    ] = "",
    sha256: Annotated[str, Is("digest of the model's files; filled in where the model is at hand")] = "",
    max_length: Annotated[int | None, Is("tokens of a text that count; null is the model's own", minimum=8)] = None,
    query_prefix: Annotated[str, Is("set before a query, with the space between them if any")] = "",
    passage_prefix: Annotated[str, Is("set before a passage, with the space between them if any")] = "",
) -> Embedder:
    """Embed with a model of the library sentence-transformers, on one thread of the processor; needs no network.

    Vectors are scaled to length 1. A blank text has a zero vector. Texts go through the model one at a time: a text's
    vector is the same whatever is embedded with it.
    """
    if find_spec("sentence_transformers") is None:
        raise InvalidInputError(
            f"{ITSELF} needs the package sentence-transformers, which is not installed: "
            "pip install sentence-transformers"
        )
    files = find_model(ITSELF, directory=directory, package=package, file=None)
    files.check(sha256, ITSELF)
    return SentenceTransformersEmbedder(files, max_length, query_prefix, passage_prefix)


@dataclass(frozen=True, slots=True)
class SentenceTransformersEmbedder:
    """A model of the library; opened when it is first used."""

    files: ModelFiles
    max_length: int | None
    query_prefix: str
    passage_prefix: str

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""
        return int(self._encoded(["a"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a passage."""
        return self._embedded(texts, self.passage_prefix)

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return one vector a query."""
        return self._embedded(queries, self.query_prefix)

    def _embedded(self, texts: Sequence[str], prefix: str) -> Vectors:
        said = [number for number, text in enumerate(texts) if text.strip()]
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        if said:
            vectors[said] = self._encoded([prefix + texts[number] for number in said])
        return normalise(vectors)

    def _encoded(self, texts: list[str]) -> Vectors:
        model = _open(self.files, self.files.digest, self.max_length)
        return np.asarray(model.encode(texts, batch_size=1, show_progress_bar=False), np.float32)


@lru_cache(OPEN_MODELS)
def _open(files: ModelFiles, digest: str, max_length: int | None) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)  # as for every model: a worker has several items in hand
    try:
        model = SentenceTransformer(str(files.folder), device="cpu", local_files_only=True)
    except Exception as error:  # the library raises what its parts raise
        raise InvalidInputError(f"the model of {ITSELF} in {files.folder} cannot be opened: {error}") from error
    if max_length is not None:
        model.max_seq_length = max_length
    return model

"""Embedding the chunks of a knowledge base: lot by lot, each text once however often it occurs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.arrays import read_arrays, write_arrays
from bakeoff.knowledge.embedding import Embedder, RemoteEmbedder, TokenCounts, Vectors
from bakeoff.knowledge.stages import ClaimedElsewhereError, Stages, Step, Tally

BATCH_TEXTS = 4096
"""Texts that an embedder is given at once."""
IN_MEMORY_BYTES = 256 << 20
"""Vectors beyond this size are kept in a file while they are gathered."""
GATHERED = 1 << 16
"""Vectors that are copied at once."""
DIGEST_BYTES = 16
TOKENS = "tokens"
"""Array of an artefact with the tokens of each text, where an endpoint made the vectors."""


@dataclass(frozen=True, slots=True)
class EmbedLot:
    """The chunks of one lot."""

    key: str
    """Of the artefact with its vectors."""
    documents: int
    """Documents of the lot, for the count."""
    first: int
    """Its chunks in the knowledge base are `[first, last)`."""
    last: int


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of all chunks."""

    vectors: Vectors
    """Shape (chunks, dimension); perhaps mapped from a file in the scratch folder."""
    tokens: float | None
    """Of their texts, each counted once, whoever asked for them; None when no endpoint counted them."""


def embed_lots(
    texts: Sequence[str],
    lots: Sequence[EmbedLot],
    embedder: Embedder,
    *,
    stages: Stages,
    tally: Tally,
    scratch: Path,
    step: Callable[[], None] = lambda: None,
) -> Embedded:
    """Return one vector a chunk, and what all of them took.

    What another builder is embedding is left for the end, so that two builders share the work.

    Args:
        texts: Of all chunks.
        lots: All lots with chunks, in order.
        embedder: Makes what no artefact has.
        stages: Where artefacts are.
        tally: Counts.
        scratch: A folder that exists.
        step: Called before each batch; what it raises ends everything.

    Raises:
        InvalidInputError: the embedder gave NaN or infinity; the message has the text.
    """
    numbers, distinct = _numbered(texts)
    known = _Known(texts, numbers, _empty(distinct, embedder.dimension, scratch / "distinct.vectors"), embedder, step)
    left = list(lots)
    for wait in (False, True):
        claimed = []
        for lot in left:
            step()
            try:
                known.fill(lot, stages, tally, scratch, wait=wait)
            except ClaimedElsewhereError:
                claimed.append(lot)
        left = claimed
    if distinct == len(numbers):
        return Embedded(known.vectors, known.tokens)
    vectors = _empty(len(numbers), embedder.dimension, scratch / "all.vectors")
    for first in range(0, len(numbers), GATHERED):
        vectors[first : first + GATHERED] = known.vectors[numbers[first : first + GATHERED]]
    return Embedded(vectors, known.tokens)


class _Known:
    """The vectors of distinct texts, as far as they are known."""

    def __init__(
        self,
        texts: Sequence[str],
        numbers: NDArray[np.int64],
        vectors: Vectors,
        embedder: Embedder,
        step: Callable[[], None],
    ) -> None:
        self.vectors = vectors
        self._done = np.zeros(len(vectors), bool)
        self._tokens: TokenCounts = np.full(len(vectors), np.nan)
        self._texts, self._numbers, self._embedder, self._step = texts, numbers, embedder, step

    @property
    def tokens(self) -> float | None:
        """Tokens of all texts; None when those of one are not known."""
        tokens = float(self._tokens.sum())
        return None if np.isnan(tokens) else tokens

    def fill(self, lot: EmbedLot, stages: Stages, tally: Tally, scratch: Path, *, wait: bool) -> None:
        """Get the vectors of a lot; its artefact holds those of its distinct texts, in the order of their first."""
        mine, firsts = np.unique(self._numbers[lot.first : lot.last], return_index=True)
        order = np.argsort(firsts)
        mine, firsts = mine[order], firsts[order] + lot.first
        path = scratch / f"embed-{lot.first}"
        embedded = 0

        def make(out: Path) -> None:
            nonlocal embedded
            new = np.flatnonzero(~self._done[mine])
            for begin in range(0, len(new), BATCH_TEXTS):
                self._step()
                batch = new[begin : begin + BATCH_TEXTS]
                vectors, tokens = self._embedded([self._texts[at] for at in firsts[batch].tolist()])
                self.vectors[mine[batch]], self._tokens[mine[batch]] = vectors, tokens
            embedded = len(new)
            if stages.shared:
                counted = {TOKENS: self._tokens[mine]} if isinstance(self._embedder, RemoteEmbedder) else {}
                write_arrays(out, {"vectors": self.vectors[mine], **counted}, {})

        made = stages.obtain(Step.EMBED, lot.key, path, make, wait=wait)
        if stages.shared:
            arrays, _ = read_arrays(path)
            self.vectors[mine] = arrays["vectors"]
            if TOKENS in arrays:
                self._tokens[mine] = arrays[TOKENS]
            path.unlink()
        self._done[mine] = True
        tally.add(Step.EMBED, lot.documents, made=made)
        tally.add_texts(embedded)

    def _embedded(self, texts: list[str]) -> tuple[Vectors, TokenCounts | float]:
        tokens: TokenCounts | float = np.nan
        if isinstance(self._embedder, RemoteEmbedder):
            vectors, tokens = self._embedder.embed_counted(texts)
        else:
            vectors = self._embedder.embed(texts)
        if not np.isfinite(vectors).all():
            wrong = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
            raise InvalidInputError(f"the embedder gave NaN or infinity for the text {texts[wrong][:80]!r}")
        return vectors, tokens


def _numbered(texts: Sequence[str]) -> tuple[NDArray[np.int64], int]:
    """Return a number for each text, equal for equal texts, in the order of their first; and how many there are."""
    known: dict[bytes, int] = {}
    numbers = np.empty(len(texts), np.int64)
    for at, text in enumerate(texts):
        numbers[at] = known.setdefault(hashlib.sha256(text.encode()).digest()[:DIGEST_BYTES], len(known))
    return numbers, len(known)


def _empty(rows: int, dimension: int, path: Path) -> Vectors:
    if rows * dimension * 4 <= IN_MEMORY_BYTES:
        return np.empty((rows, dimension), np.float32)
    return np.memmap(path, np.float32, "w+", shape=(rows, dimension))

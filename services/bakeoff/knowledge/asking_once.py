"""Vectors of texts, of which none is asked for that is kept, and none by two threads at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from bakeoff.domain.answer import Failure
from bakeoff.models.kept_vectors import KeptVector, KeptVectors, shares

OnMade = Callable[[Sequence[str], Sequence[Sequence[float] | Failure], int | None], None]
"""Is told texts that were asked for together, the vector of each or why it has none, and their tokens if known."""
Ask = Callable[[Sequence[str], OnMade], None]
WRITERS = 4
"""Threads that store what has come, while more comes."""


@dataclass(slots=True)
class Made:
    """Vectors of texts, by the text."""

    known: dict[str, KeptVector | Failure] = field(default_factory=dict)
    found: int = 0
    """How many of them were kept, and not asked for."""

    def of(self, text: str) -> KeptVector | Failure:
        """Return the vector of a text, or why it has none."""
        return self.known[text]

    def add(self, texts: Sequence[str], vectors: Sequence[Sequence[float] | Failure], tokens: int | None) -> None:
        """Add what was asked for."""
        good = [at for at, vector in enumerate(vectors) if not isinstance(vector, Failure)]
        parts = iter(shares([texts[at] for at in good], tokens))
        for text, vector in zip(texts, vectors, strict=True):
            known = vector if isinstance(vector, Failure) else KeptVector(np.array(vector, np.float32), next(parts))
            self.known[text] = known


def asked_once(texts: Sequence[str], ask: Ask, kept: KeptVectors | None) -> Made:
    """Return the vectors of texts.

    Args:
        texts: As they are sent; one may stand there twice.
        ask: Asks for the vectors of texts, each of which stands there once, and tells them batch by batch, from any
            thread; it returns when all is told.
        kept: Where vectors are kept, those that are asked for at once when they come; None keeps none.

    Raises:
        OutOfReachError: the store does not answer.
    """
    made = Made()
    left = list(dict.fromkeys(texts))
    if kept is None:
        ask(left, made.add)
        return made
    while left:
        with kept.asking(left) as mine:
            there = kept.find(mine)
            made.known |= there
            made.found += len(there)
            _ask([text for text in mine if text not in there], ask, kept, made)
        left = [text for text in left if text not in made.known]
    return made


def _ask(texts: Sequence[str], ask: Ask, kept: KeptVectors, made: Made) -> None:
    """Ask for texts, and keep what comes; what has come is kept also when the rest does not."""
    if not texts:
        return
    storing: list[Future[None]] = []
    with ThreadPoolExecutor(WRITERS, thread_name_prefix="vectors") as writers:

        def tell(some: Sequence[str], vectors: Sequence[Sequence[float] | Failure], tokens: int | None) -> None:
            made.add(some, vectors, tokens)
            storing.append(writers.submit(_keep, some, kept, made, tokens))

        ask(texts, tell)
    for each in storing:
        each.result()


def _keep(texts: Sequence[str], kept: KeptVectors, made: Made, tokens: int | None) -> None:
    good = {text: known for text in texts if isinstance(known := made.of(text), KeptVector)}
    if len({len(known.vector) for known in good.values()}) == 1:
        kept.keep(list(good), np.stack([known.vector for known in good.values()]), tokens)

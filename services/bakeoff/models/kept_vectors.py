"""Vectors that an endpoint made, kept by text the moment they arrive: a text is never paid twice.

The vectors of a request are one object, a pack. Its head, of which the pack's name tells the length, says whose they
are: so a million texts are found by reading some megabytes, and only those packs are read that hold what is asked for.
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bakeoff.contract import object_keys
from bakeoff.domain.errors import NotFoundError
from bakeoff.domain.identity import sha256_hex
from bakeoff.runtime.objects import ObjectStore

T = TypeVar("T")
DIGEST_BYTES = 16
NAME = re.compile(r"(\d+)-[0-9a-f]{32}")
"""Of a pack: how many texts it has, and a digest of which."""
AT_ONCE = 8
"""Packs that are read at once."""
BELIEVED = 20.0
"""Times what looking for new packs took, for which its result is believed: looking takes a twentieth of the time."""
UNKNOWN = np.nan
"""Tokens of a text that the endpoint did not count."""


@dataclass(frozen=True, slots=True)
class KeptVector:
    """The vector of a text."""

    vector: NDArray[np.float32]
    """As the endpoint gave it, in single precision; shape (dimension,)."""
    tokens: float
    """The text's share of the tokens of its request, by its length; NaN when the endpoint did not count."""


class KeptVectors:
    """What is kept of one model, asked in one way; thread-safe."""

    def __init__(self, objects: ObjectStore, identity: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Look for nothing yet.

        Args:
            objects: Where vectors are kept.
            identity: Digest of what is asked, and how, but for the texts.
            clock: Seconds since whenever.
        """
        self._objects, self._identity, self._clock = objects, identity, clock
        self._packs: dict[str, None] = {}
        self._places: dict[bytes, tuple[str, int]] = {}
        self._believed_until_s = -np.inf
        self._looking = threading.Lock()
        self._asked: set[bytes] = set()
        self._changed = threading.Condition()

    @contextmanager
    def asking(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """Give the texts that no other thread of this process is asking for, and keep others from asking for them.

        What another one asks for will be there when it is done. When that is all, it is waited for first.

        Args:
            texts: At least one.
        """
        digests = {_digest(text): text for text in texts}
        with self._changed:
            while not (mine := digests.keys() - self._asked):
                self._changed.wait()
            self._asked |= mine
        try:
            yield [text for digest, text in digests.items() if digest in mine]
        finally:
            with self._changed:
                self._asked -= mine
                self._changed.notify_all()

    def find(self, texts: Sequence[str]) -> dict[str, KeptVector]:
        """Return what is kept of texts.

        Raises:
            OutOfReachError: the store does not answer.
        """
        digests = {text: _digest(text) for text in texts}
        if any(digest not in self._places for digest in digests.values()):
            self._look()
        wanted: dict[str, dict[str, int]] = {}
        for text, digest in digests.items():
            if digest in self._places:
                pack, row = self._places[digest]
                wanted.setdefault(pack, {})[text] = row
        found: dict[str, KeptVector] = {}
        for pack, read in _each(wanted, lambda pack: self._read(pack, wanted[pack])).items():
            if read is None:  # somebody made room
                self._forget(pack)
            else:
                found |= read
        return found

    def keep(self, texts: Sequence[str], vectors: NDArray[np.float32], tokens: int | None) -> None:
        """Store vectors that were asked for together.

        Args:
            texts: One a vector, each once.
            vectors: Shape (texts, dimension); what is not finite is not kept.
            tokens: Of all texts together; None when the endpoint did not count.

        Raises:
            OutOfReachError: the store does not answer.
        """
        if not len(texts) or not np.isfinite(vectors).all():
            return
        digests = [_digest(text) for text in texts]
        head = b"".join(digests)
        body = np.concatenate((shares(texts, tokens)[:, None], vectors), axis=1).astype("<f4")
        pack = f"{len(texts)}-{sha256_hex(head)[:32]}"
        self._objects.create(object_keys.kept_vectors(self._identity, pack), head + body.tobytes())
        self._add(pack, digests)

    def _look(self) -> None:
        """Read the heads of packs that others have stored since the last time."""
        with self._looking:
            began_s = self._clock()
            if began_s < self._believed_until_s:
                return
            prefix = object_keys.kept_vectors(self._identity)
            names = [info.key.removeprefix(prefix) for info in self._objects.list(prefix)]
            new = {name: int(match[1]) for name in names if name not in self._packs and (match := NAME.fullmatch(name))}
            for pack, digests in _each(new, self._heads(new)).items():
                self._add(pack, digests)
            ended_s = self._clock()
            self._believed_until_s = ended_s + BELIEVED * (ended_s - began_s)

    def _heads(self, counts: Mapping[str, int]) -> Callable[[str], list[bytes]]:
        def head(pack: str) -> list[bytes]:
            key = object_keys.kept_vectors(self._identity, pack)
            data = self._objects.read_range(key, 0, counts[pack] * DIGEST_BYTES)
            return [data[at : at + DIGEST_BYTES] for at in range(0, len(data), DIGEST_BYTES)]

        return head

    def _read(self, pack: str, wanted: Mapping[str, int]) -> dict[str, KeptVector] | None:
        """Return the vectors of texts by their rows, copied, so that the pack need not stay; None when it is gone."""
        try:
            data = self._objects.read_key(object_keys.kept_vectors(self._identity, pack))
        except NotFoundError:
            return None
        rows = int(pack.partition("-")[0])
        body = np.frombuffer(data, "<f4", offset=rows * DIGEST_BYTES).reshape(rows, -1)
        return {text: KeptVector(body[row, 1:].copy(), float(body[row, 0])) for text, row in wanted.items()}

    def _add(self, pack: str, digests: Sequence[bytes]) -> None:
        with self._changed:
            self._packs[pack] = None
            for row, digest in enumerate(digests):
                self._places.setdefault(digest, (pack, row))

    def _forget(self, pack: str) -> None:
        with self._changed:
            self._packs.pop(pack, None)
            self._places = {digest: place for digest, place in self._places.items() if place[0] != pack}


class VectorStore:
    """All vectors that are kept, by what they were asked of; thread-safe."""

    def __init__(self, objects: ObjectStore) -> None:
        """Keep them in a store."""
        self._objects = objects
        self._lock = threading.Lock()
        self._kept: dict[str, KeptVectors] = {}

    def of(self, identity: str) -> KeptVectors:
        """Return what is kept of one model, asked in one way."""
        with self._lock:
            return self._kept.setdefault(identity, KeptVectors(self._objects, identity))


def shares(texts: Sequence[str], tokens: int | None) -> NDArray[np.float64]:
    """Return what each text had of the tokens of a request, by its bytes; NaN when they were not counted."""
    lengths = np.array([len(text.encode()) for text in texts], np.float64)
    return np.full(len(texts), UNKNOWN) if tokens is None else tokens * lengths / max(1.0, lengths.sum())


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:DIGEST_BYTES]


def _each(packs: Iterable[str], work: Callable[[str], T]) -> dict[str, T]:
    packs = list(packs)
    if len(packs) < 2:
        return {pack: work(pack) for pack in packs}
    with ThreadPoolExecutor(min(AT_ONCE, len(packs))) as threads:
        return dict(zip(packs, threads.map(work, packs), strict=True))

"""Read originals back: what is known of one, and its bytes in pieces."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from bakeoff.contract import object_keys
from bakeoff.domain.errors import DigestMismatchError, InvalidInputError, NotFoundError
from bakeoff.runtime.objects import ObjectStore

PIECE_BYTES = 1 << 20
"""Largest piece of a download."""


@dataclass(frozen=True, slots=True)
class StoredOriginal:
    """An original in raw storage."""

    raw_key: str
    sha256: str
    size_bytes: int
    media_type: str


def get(objects: ObjectStore, raw_key: str) -> StoredOriginal:
    """Return what is known of an original.

    Raises:
        InvalidInputError: the key is none of raw storage.
        NotFoundError: there is no such original.
    """
    if not raw_key.startswith(object_keys.raw_prefix()):
        raise InvalidInputError(f"{raw_key!r} is no key of raw storage, which start with {object_keys.raw_prefix()!r}")
    info = objects.stat(raw_key)
    if info is None:
        raise NotFoundError(f"there is no original {raw_key!r}")
    sha256 = info.sha256 or _digest(objects, raw_key, info.size_bytes)
    return StoredOriginal(raw_key, sha256, info.size_bytes, info.media_type)


def pieces(objects: ObjectStore, original: StoredOriginal, start: int, length: int) -> Iterator[bytes]:
    """Yield an original's bytes, or a part of them.

    Args:
        objects: Raw storage.
        original: Which.
        start: First byte, from 0; nothing comes from beyond the end.
        length: At most so many; 0 means to the end.

    Raises:
        DigestMismatchError: all bytes were asked for, and are others than the digest says; told after the last piece.
    """
    stop = min(start + length, original.size_bytes) if length else original.size_bytes
    digest = hashlib.sha256()
    for first in range(start, stop, PIECE_BYTES):
        piece = objects.read_range(original.raw_key, first, min(first + PIECE_BYTES, stop))
        digest.update(piece)
        yield piece
    whole = start == 0 and stop == original.size_bytes
    if whole and digest.hexdigest() != original.sha256:
        raise DigestMismatchError(
            f"{original.raw_key}: its bytes have SHA-256 {digest.hexdigest()}, not {original.sha256}"
        )


def listed(objects: ObjectStore, benchmark: str, split: str) -> Iterator[StoredOriginal]:
    """Yield the originals of a benchmark, of a split, or all, by key.

    Raises:
        InvalidInputError: a split was named without a benchmark.
    """
    if split and not benchmark:
        raise InvalidInputError(f"the split {split!r} needs a benchmark")
    for info in objects.list(object_keys.raw_prefix(benchmark, split)):
        yield get(objects, info.key)  # a listing knows neither digest nor type


def _digest(objects: ObjectStore, key: str, size_bytes: int) -> str:
    """Return the digest of an object that a foreign tool wrote without stating it."""
    digest = hashlib.sha256()
    for first in range(0, size_bytes, PIECE_BYTES):
        digest.update(objects.read_range(key, first, min(first + PIECE_BYTES, size_bytes)))
    return digest.hexdigest()

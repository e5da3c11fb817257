"""Buckets that are not the platform's own, as the services see them: only read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StoredFile:
    """An object as it was when it was looked up."""

    key: str
    size_bytes: int
    tag: str
    """The store's ETag, which changes with the bytes; empty when it gave none."""
    sha256: str | None
    """What its writer stated, as Bakeoff states it; None when nothing is. It may be no digest at all."""


class BucketReading(Protocol):
    """Reads one bucket, of which others may change the objects; never makes or writes anything."""

    def stat(self, key: str) -> StoredFile | None:
        """Return what is known of an object; None when there is none.

        Raises:
            NoBucketError: there is no such bucket.
            NoAccessError: the store refuses to read it.
            InvalidInputError: the key is none, or the store refuses the request for another reason.
            OutOfReachError: the store does not answer.
        """

    def pieces(self, file: StoredFile, size_bytes: int) -> Iterator[bytes]:
        """Yield an object's bytes, all of the version that was looked up, in pieces of at most so many.

        Raises:
            UnavailableError: it has been changed or removed since, or the store breaks off or does not answer.
            NoAccessError: the store refuses to read it.
        """

    def close(self) -> None:
        """Close all connections."""

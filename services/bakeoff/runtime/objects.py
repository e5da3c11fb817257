"""The object store as the services see it; S3, a directory and a memory twin implement it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bakeoff.domain.evaluation import ObjectRef

OCTETS = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """What is known of a stored object without reading it."""

    key: str
    size_bytes: int
    sha256: str | None = None
    """As its writer stated it; None in listings and when a foreign tool wrote it."""
    media_type: str = OCTETS
    """Only from `stat`."""


@dataclass(frozen=True, slots=True)
class Created:
    """The outcome of a create-if-absent."""

    ref: ObjectRef
    """What is stored now: ours, or that of whoever was first."""
    created: bool
    """False when somebody was first."""


class ObjectStore(Protocol):
    """A flat store of immutable objects; thread-safe and synchronous.

    Every method raises OutOfReachError when the store does not answer, UnavailableError never, and InvalidInputError
    for a key that is empty, starts or ends with `/`, has `//`, a segment `.` or `..`, a backslash or a control
    character, or is longer than 1,024 bytes or 255 between slashes.
    """

    def create(self, key: str, data: bytes, *, media_type: str = OCTETS) -> Created:
        """Write an object unless its key is taken. An interrupted write is never visible."""

    def create_from_file(self, key: str, path: Path, *, media_type: str = OCTETS) -> Created:
        """Write a file's bytes unless the key is taken, with bounded memory."""

    def read(self, ref: ObjectRef) -> bytes:
        """Return an object's bytes, verified.

        Raises:
            NotFoundError: there is no such object.
            DigestMismatchError: the bytes are others; the message has both digests.
        """

    def read_key(self, key: str) -> bytes:
        """Return an object's bytes, verified against the digest that its writer stated, if any.

        Raises:
            NotFoundError: there is no such object.
            DigestMismatchError: the bytes are others.
        """

    def read_range(self, key: str, start: int, stop: int) -> bytes:
        """Return the bytes `[start, stop)` of an object; fewer when it is shorter. They cannot be verified.

        Raises:
            NotFoundError: there is no such object.
        """

    def download(self, ref: ObjectRef, path: Path) -> None:
        """Write an object's bytes to a file with bounded memory; the file appears only when the digest is right.

        Raises:
            NotFoundError: there is no such object.
            DigestMismatchError: the bytes are others.
        """

    def stat(self, key: str) -> ObjectInfo | None:
        """Return what is known of an object; None when there is none."""

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[ObjectInfo]:
        """Yield the objects whose keys start with a prefix, by key in byte order."""

    def delete(self, key: str) -> None:
        """Remove an object; no error when there is none."""

    def check(self) -> None:
        """Prove that the store can be written and read, by doing it.

        Raises:
            OutOfReachError: it does not answer.
            InvalidInputError: it answers, but the credentials or the bucket are wrong or cannot be written; says which.
        """

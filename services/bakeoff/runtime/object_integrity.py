"""What every object store checks: keys before they are used, and bytes against their digest."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from bakeoff.domain.errors import DigestMismatchError, InvalidInputError, NotFoundError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.identity import sha256_hex

MAX_KEY_BYTES = 1024
MAX_SEGMENT_BYTES = 255
"""Between slashes: SeaweedFS and MinIO keep segments as the names of files."""
PIECE_BYTES = 1 << 20
"""Bytes of a large object that are in memory at once."""
UNSAFE = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udfff]")
"""A store may take a backslash for a slash, and a listing in XML cannot say a control character."""


def check_key(key: str) -> None:
    """Refuse a key that not every store can hold.

    Raises:
        InvalidInputError: it is empty, longer than MAX_KEY_BYTES, has an empty segment or one that is `.` or `..`,
            a segment of more than MAX_SEGMENT_BYTES, a backslash or a control character.
    """
    problem = _problem(key)
    if problem:
        raise InvalidInputError(f"object key {key[:100]!r} {problem}")


def _problem(key: str) -> str | None:
    if not key:
        return "is empty"
    if UNSAFE.search(key):
        return "has a backslash or control character"
    if len(key.encode()) > MAX_KEY_BYTES:
        return f"has {len(key.encode())} bytes; at most {MAX_KEY_BYTES} are allowed"
    segments = key.split("/")
    if "" in segments:
        return "starts or ends with / or has //"
    if any(len(segment.encode()) > MAX_SEGMENT_BYTES for segment in segments):
        return f"has a segment of more than {MAX_SEGMENT_BYTES} bytes"
    if "." in segments or ".." in segments:
        return "has a segment . or .."
    return None


def check_range(key: str, start: int, stop: int) -> None:
    """Refuse a range that is none.

    Raises:
        InvalidInputError: it does not hold that 0 ≤ start ≤ stop.
    """
    if not 0 <= start <= stop:
        raise InvalidInputError(f"object {key!r}: [{start}, {stop}) is no range of bytes")


def absent(key: str) -> NotFoundError:
    """Return the error for an object that is not there."""
    return NotFoundError(f"there is no object {key!r}")


def changed(key: str) -> InvalidInputError:
    """Return the error for a file whose bytes were no longer the same when they were read again."""
    return InvalidInputError(f"object {key!r}: the file changed while it was being stored")


def verified(data: bytes, key: str, sha256: str | None) -> bytes:
    """Return bytes that have the digest; None demands none.

    Raises:
        DigestMismatchError: they have another.
    """
    if sha256 is not None:
        demand(key, expected=sha256, found=sha256_hex(data))
    return data


def demand(key: str, *, expected: str, found: str) -> None:
    """Refuse a digest that is not the expected one.

    Raises:
        DigestMismatchError: as said; the message has both.
    """
    if found != expected:
        raise DigestMismatchError(f"object {key!r}: its bytes have SHA-256 {found}, not {expected}")


def digest_of_file(path: Path) -> tuple[str, int]:
    """Return the SHA-256 of a file in hexadecimal, and its size in bytes."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return digest, file.tell()


def save_verified(ref: ObjectRef, pieces: Iterable[bytes], path: Path) -> None:
    """Write an object's bytes to a file that appears only when they have the digest.

    Raises:
        DigestMismatchError: they have another; nothing is left behind.
    """
    digest = hashlib.sha256()
    with new_file(path) as file:
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
        demand(ref.key, expected=ref.sha256, found=digest.hexdigest())


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes its name, over any older one, when the block ends well, and else leaves no trace."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise

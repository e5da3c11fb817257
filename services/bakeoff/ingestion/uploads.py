"""An original that comes in pieces: gathered on disk, checked, and stored only when it is whole."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.media_types import HEAD_BYTES, sniff
from bakeoff.ingestion.places import Place, settle
from bakeoff.runtime.objects import Created, ObjectStore

SHA256 = re.compile(r"[0-9a-f]{64}")


class Upload:
    """One original on its way in. Nothing is visible before `store`."""

    def __init__(self, place: Place, sha256: str, media_type: str, file: Path, max_bytes: int) -> None:
        """Begin.

        Args:
            place: Where it goes.
            sha256: Digest that it must have; empty means whatever comes.
            media_type: As stated; empty means sniff it.
            file: Where the pieces are gathered; must not exist. Whoever made its folder removes it.
            max_bytes: Largest original that is taken.

        Raises:
            InvalidInputError: the place or the digest is none; all faults at once.
        """
        check_header(place, sha256)
        self._place = place
        self._expected = sha256
        self._media_type = media_type
        self._path = file
        self._file = file.open("xb")
        self._max_bytes = max_bytes
        self._digest = hashlib.sha256()
        self._size = 0
        self._head = b""

    def write(self, piece: bytes) -> None:
        """Take the next piece.

        Raises:
            InvalidInputError: it is now larger than is taken.
        """
        self._size += len(piece)
        if self._size > self._max_bytes:
            raise InvalidInputError(
                f"document {self._place.document_id!r} ({self._place.name}) has more than the "
                f"{self._max_bytes:,} bytes that are taken (BAKEOFF_MAX_DOCUMENT_BYTES)"
            )
        if len(self._head) < HEAD_BYTES:
            self._head = (self._head + piece)[:HEAD_BYTES]
        self._digest.update(piece)
        self._file.write(piece)

    def store(self, objects: ObjectStore) -> tuple[Created, str]:
        """Store it, and return where, and its media type.

        Raises:
            InvalidInputError: what came has another digest than was stated.
        """
        self._file.close()
        sha256 = self._digest.hexdigest()
        if self._expected and sha256 != self._expected:
            raise InvalidInputError(
                f"document {self._place.document_id!r}: {self._size:,} bytes with SHA-256 {sha256} came, "
                f"not {self._expected}"
            )
        media_type = self._media_type or sniff(self._head, self._place.name)

        def create(key: str) -> Created:
            return objects.create_from_file(key, self._path, media_type=media_type)

        return settle(self._place, sha256, self._size, objects, create), media_type

    def close(self) -> None:
        """Close the file; without `store`, nothing has happened."""
        self._file.close()


def check_header(place: Place, sha256: str) -> None:
    """Refuse a place with an empty part or a path for a name, and a digest that is none.

    Raises:
        InvalidInputError: as said; all faults at once.
    """
    fields = ("benchmark", "split", "document_id", "name")
    faults = [Violation(f"header.{name}", "must not be empty") for name in fields if not getattr(place, name)]
    if "/" in place.name or "\\" in place.name:
        faults.append(Violation("header.name", f"must be a file name, not {place.name!r}"))
    if sha256 and not SHA256.fullmatch(sha256):
        faults.append(Violation("header.sha256", f"must be 64 lower-case hexadecimal digits, not {sha256!r}"))
    if faults:
        raise InvalidInputError("the document's header is wrong", faults)

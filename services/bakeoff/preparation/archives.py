"""Unpack archives that somebody else made: nothing outside of the folder, no links, no end of bytes."""

from __future__ import annotations

import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from bakeoff.domain.errors import InvalidInputError

PIECE_BYTES = 1 << 20
SHOWN_BYTES = 60
DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an archive may unpack to."""

    max_bytes: int = 64 << 30
    """Bytes over all files: more than ten times the largest BEIR set."""
    max_files: int = 1_000_000
    max_ratio: float = 200.0
    """Bytes out for each byte of the archive; JSON lines come to about 5, a zip bomb to 1,000 and far more."""
    free_bytes: int = 64 << 20
    """Bytes up to which the ratio does not matter: small things may well be very regular."""


def unpack(archive: Path, folder: Path, limits: Limits | None = None, *, shown: str = "") -> None:
    """Unpack a zip, or a tar in any compression, into a folder that is made for it.

    Args:
        archive: Told by its content; its name does not matter.
        folder: Must not exist.
        limits: None means the usual ones.
        shown: What messages call it, such as the address that it came from; empty means its path.

    Raises:
        InvalidInputError: it is no archive, is damaged, has a member outside of the folder, a link or a device, or
            unpacks to more than the limits allow. Says which member.
    """
    shown = repr(shown or str(archive))
    sink = _Sink(archive, shown, folder, limits or Limits())
    folder.mkdir(parents=True)
    try:
        if zipfile.is_zipfile(archive):
            _unpack_zip(archive, sink)
        elif tarfile.is_tarfile(archive):
            _unpack_tar(archive, sink)
        else:
            raise InvalidInputError(f"{shown} is no zip or tar archive{_beginning(archive)}")
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, NotImplementedError) as error:
        raise InvalidInputError(f"the archive {shown} is damaged: {error}") from error


def _beginning(file: Path) -> str:
    """Return how a file of text begins, such as a page that asks to log in; empty for other files."""
    with file.open("rb") as opened:
        head = opened.read(SHOWN_BYTES)
    text = " ".join(head.decode("utf-8", errors="ignore").split())
    return f"; it begins with {text!r}" if text and b"\0" not in head and text.isprintable() else ""


def is_archive(path: Path) -> bool:
    """Return whether a file begins and ends like a zip, or begins like a tar; says nothing of what is in it."""
    return zipfile.is_zipfile(path) or tarfile.is_tarfile(path)


def _unpack_zip(archive: Path, sink: _Sink) -> None:
    with zipfile.ZipFile(archive) as opened:
        for member in opened.infolist():
            if member.is_dir():
                continue
            kind = member.external_attr >> 28  # upper bits of the Unix mode: 8 is a file, 10 a link, 0 not said
            if kind not in (0, 8):
                raise InvalidInputError(f"{sink.name}: {member.filename!r} is a link or a device")
            if member.flag_bits & 1:
                raise InvalidInputError(f"{sink.name}: {member.filename!r} is encrypted")
            with opened.open(member) as source:
                sink.write(member.filename, source)


def _unpack_tar(archive: Path, sink: _Sink) -> None:
    with tarfile.open(archive, "r:*") as opened:
        for member in opened:
            if member.isdir():
                continue
            source = opened.extractfile(member) if member.isreg() else None
            if source is None:
                raise InvalidInputError(f"{sink.name}: {member.name!r} is a link or a device")
            with source:
                sink.write(member.name, source)


class _Sink:
    """Writes members below a folder and counts what really comes out, whatever the archive says of itself."""

    def __init__(self, archive: Path, shown: str, folder: Path, limits: Limits) -> None:
        self.name = f"the archive {shown}"
        self._folder = folder
        self._limits = limits
        by_ratio = int(archive.stat().st_size * limits.max_ratio)
        self._most_bytes = min(limits.max_bytes, max(by_ratio, limits.free_bytes))
        self._bytes = 0
        self._files = 0

    def write(self, member: str, source: IO[bytes]) -> None:
        self._files += 1
        if self._files > self._limits.max_files:
            raise InvalidInputError(f"{self.name} has more than {self._limits.max_files:,} files")
        path = self._folder / self._safe(member)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("xb") as file:
                for piece in _pieces(source):
                    self._bytes += len(piece)
                    if self._bytes > self._most_bytes:
                        raise InvalidInputError(
                            f"{self.name} unpacks to more than {self._most_bytes:,} bytes, at {member!r}"
                        )
                    file.write(piece)
        except FileExistsError:
            raise InvalidInputError(f"{self.name} has {member!r} twice") from None

    def _safe(self, member: str) -> PurePosixPath:
        path = PurePosixPath(member.replace("\\", "/"))
        outside = path.is_absolute() or ".." in path.parts or DRIVE.match(member)
        if outside or "\0" in member or not path.parts:
            raise InvalidInputError(f"{self.name}: {member!r} lies outside of the archive")
        return path


def _pieces(source: IO[bytes]) -> Iterator[bytes]:
    while piece := source.read(PIECE_BYTES):
        yield piece

"""Objects in a local folder: the twin of the object store that outlives the process and needs no server."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, unquote

from bakeoff.domain.errors import DigestMismatchError, InvalidInputError, NotFoundError, OutOfReachError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.identity import sha256_hex
from bakeoff.runtime.object_integrity import (
    PIECE_BYTES,
    absent,
    changed,
    check_key,
    check_range,
    digest_of_file,
    save_verified,
    verified,
)
from bakeoff.runtime.objects import OCTETS, Created, ObjectInfo

LONGEST_NAME = 200
"""Characters of a file name; file systems allow 255."""
OBJECT = "%o"
"""Ends the name of an object's file. Percent-encoding never makes it, so that `a` and `a/b` can both be there."""
CONTINUED = "%"
"""Ends the name of a folder that holds the rest of a long segment."""
LEFT_OVER_S = 3600.0
"""Age at which an unfinished write is somebody's who died."""


class DirectoryObjects:
    """An `ObjectStore` in a folder of a file system that has hard links and tells upper from lower case.

    An object is one file: a line of JSON with its digest, size and media type, then its bytes.
    """

    def __init__(self, root: Path) -> None:
        """Open the store in a folder, making it when it is not there."""
        self._root = root / "objects"
        self._new = root / "new"
        with self._disk():
            for folder in (self._root, self._new):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for path in self._new.iterdir():
                if time.time() - path.stat().st_mtime > LEFT_OVER_S:
                    path.unlink(missing_ok=True)

    def create(self, key: str, data: bytes, *, media_type: str = OCTETS) -> Created:
        """Write an object unless its key is taken."""
        return self._create(ObjectInfo(key, len(data), sha256_hex(data), media_type), [data])

    def create_from_file(self, key: str, path: Path, *, media_type: str = OCTETS) -> Created:
        """Write a file's bytes unless the key is taken."""
        digest, size = digest_of_file(path)
        with path.open("rb") as file:
            return self._create(ObjectInfo(key, size, digest, media_type), _pieces(file))

    def read(self, ref: ObjectRef) -> bytes:
        """Return an object's bytes, verified."""
        with self._open(ref.key) as (_, file):
            return verified(file.read(), ref.key, ref.sha256)

    def read_key(self, key: str) -> bytes:
        """Return an object's bytes, verified against the digest that its writer stated."""
        with self._open(key) as (info, file):
            return verified(file.read(), key, info.sha256)

    def read_range(self, key: str, start: int, stop: int) -> bytes:
        """Return the bytes `[start, stop)` of an object; fewer when it is shorter."""
        check_range(key, start, stop)
        with self._open(key) as (_, file):
            file.seek(start, os.SEEK_CUR)
            return file.read(stop - start)

    def download(self, ref: ObjectRef, path: Path) -> None:
        """Write an object's bytes to a file that appears only when the digest is right."""
        with self._open(ref.key) as (_, file):
            save_verified(ref, _pieces(file), path)

    def stat(self, key: str) -> ObjectInfo | None:
        """Return what is known of an object; None when there is none."""
        with contextlib.suppress(NotFoundError), self._open(key) as (info, _):
            return info
        return None

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[ObjectInfo]:
        """Yield the objects whose keys start with a prefix, by key in byte order; all keys are in memory."""
        folder = self._root.joinpath(*_names(prefix.rpartition("/")[0]))
        keys = [self._key(Path(where) / name) for where, _, names in os.walk(folder) for name in names]
        for key in sorted(keys, key=str.encode):
            if key.startswith(prefix) and key.encode() > start_after.encode():
                info = self.stat(key)
                if info:
                    yield ObjectInfo(key, info.size_bytes)

    def delete(self, key: str) -> None:
        """Remove an object; no error when there is none."""
        with self._disk():
            self._path(key).unlink(missing_ok=True)

    def check(self) -> None:
        """Prove that the folder can be written and read."""
        key = f"checks/{os.getpid()}-{time.time_ns()}"
        self.create(key, b"check")
        self.read_key(key)
        self.delete(key)

    def _create(self, info: ObjectInfo, pieces: Iterable[bytes]) -> Created:
        path = self._path(info.key)
        with self._disk():
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                temporary = self._written(info, pieces)
                try:
                    # The one atomic step: a link is whole, and fails where a name is taken.
                    os.link(temporary, path)
                    return Created(_ref(info), created=True)
                except FileExistsError:
                    pass
                finally:
                    temporary.unlink()
        with self._open(info.key) as (stored, _):
            return Created(_ref(stored), created=False)

    def _written(self, info: ObjectInfo, pieces: Iterable[bytes]) -> Path:
        handle, name = tempfile.mkstemp(dir=self._new)
        try:
            with os.fdopen(handle, "wb") as file:
                head = {"sha256": info.sha256, "size_bytes": info.size_bytes, "media_type": info.media_type}
                file.write(json.dumps(head).encode() + b"\n")
                digest = hashlib.sha256()
                for piece in pieces:
                    digest.update(piece)
                    file.write(piece)
            if digest.hexdigest() != info.sha256:
                raise changed(info.key)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        return Path(name)

    @contextlib.contextmanager
    def _open(self, key: str) -> Iterator[tuple[ObjectInfo, BinaryIO]]:
        """Open an object at the first of its bytes."""
        path = self._path(key)
        with self._disk():
            try:
                file = path.open("rb")
            except (FileNotFoundError, NotADirectoryError):
                raise absent(key) from None
        with file:
            try:
                head = json.loads(file.readline())
                info = ObjectInfo(key, head["size_bytes"], head["sha256"], head["media_type"])
            except (ValueError, KeyError) as error:
                raise DigestMismatchError(f"object {key!r}: its file {path} has no head") from error
            yield info, file

    @contextlib.contextmanager
    def _disk(self) -> Iterator[None]:
        try:
            yield
        except PermissionError as error:
            raise InvalidInputError(f"the object folder {self._root} cannot be used: {error}") from error
        except OSError as error:
            raise OutOfReachError(f"the object folder {self._root} does not answer: {error}") from error

    def _path(self, key: str) -> Path:
        check_key(key)
        *folders, last = _names(key)
        return self._root.joinpath(*folders, last + OBJECT)

    def _key(self, path: Path) -> str:
        joined = str(path.relative_to(self._root).as_posix()).removesuffix(OBJECT)
        return unquote(joined.replace(CONTINUED + "/", ""))


def _names(key: str) -> list[str]:
    """Return the folder names of a key, percent-encoded; a long segment becomes several."""
    names = []
    for segment in key.split("/") if key else []:
        safe = quote(segment, safe="")
        pieces = [safe[start : start + LONGEST_NAME] for start in range(0, len(safe), LONGEST_NAME)]
        names += [piece + CONTINUED for piece in pieces[:-1]] + pieces[-1:]
    return names


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: file.read(PIECE_BYTES), b"")


def _ref(info: ObjectInfo) -> ObjectRef:
    return ObjectRef(info.key, info.sha256 or "", info.size_bytes)

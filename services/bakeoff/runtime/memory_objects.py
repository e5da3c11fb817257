"""Objects in memory: the twin of the object store for tests and notebooks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.identity import sha256_hex
from bakeoff.runtime.object_integrity import absent, check_key, check_range, save_verified, verified
from bakeoff.runtime.objects import OCTETS, Created, ObjectInfo


@dataclass(frozen=True, slots=True)
class _Stored:
    data: bytes
    sha256: str
    media_type: str


class MemoryObjects:
    """An `ObjectStore` that ends with the process."""

    def __init__(self) -> None:
        """Make an empty store."""
        self._lock = threading.Lock()
        self._objects: dict[str, _Stored] = {}

    def create(self, key: str, data: bytes, *, media_type: str = OCTETS) -> Created:
        """Write an object unless its key is taken."""
        check_key(key)
        ours = _Stored(bytes(data), sha256_hex(data), media_type)
        with self._lock:
            stored = self._objects.setdefault(key, ours)
        return Created(ObjectRef(key, stored.sha256, len(stored.data)), stored is ours)

    def create_from_file(self, key: str, path: Path, *, media_type: str = OCTETS) -> Created:
        """Write a file's bytes unless the key is taken."""
        return self.create(key, path.read_bytes(), media_type=media_type)

    def read(self, ref: ObjectRef) -> bytes:
        """Return an object's bytes, verified."""
        return verified(self._stored(ref.key).data, ref.key, ref.sha256)

    def read_key(self, key: str) -> bytes:
        """Return an object's bytes, verified against the digest that its writer stated."""
        stored = self._stored(key)
        return verified(stored.data, key, stored.sha256)

    def read_range(self, key: str, start: int, stop: int) -> bytes:
        """Return the bytes `[start, stop)` of an object; fewer when it is shorter."""
        check_range(key, start, stop)
        return self._stored(key).data[start:stop]

    def download(self, ref: ObjectRef, path: Path) -> None:
        """Write an object's bytes to a file that appears only when the digest is right."""
        save_verified(ref, [self._stored(ref.key).data], path)

    def stat(self, key: str) -> ObjectInfo | None:
        """Return what is known of an object; None when there is none."""
        check_key(key)
        with self._lock:
            stored = self._objects.get(key)
        return ObjectInfo(key, len(stored.data), stored.sha256, stored.media_type) if stored else None

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[ObjectInfo]:
        """Yield the objects whose keys start with a prefix, by key in byte order."""
        with self._lock:
            sizes = [(key, len(stored.data)) for key, stored in self._objects.items() if key.startswith(prefix)]
        for key, size in sorted(sizes, key=lambda pair: pair[0].encode()):
            if key.encode() > start_after.encode():
                yield ObjectInfo(key, size)

    def delete(self, key: str) -> None:
        """Remove an object; no error when there is none."""
        check_key(key)
        with self._lock:
            self._objects.pop(key, None)

    def check(self) -> None:
        """Memory can always be written and read."""

    def _stored(self, key: str) -> _Stored:
        check_key(key)
        with self._lock:
            if key not in self._objects:
                raise absent(key)
            return self._objects[key]

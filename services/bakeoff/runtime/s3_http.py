"""HTTP for large objects: quick to give up on a connection, patient in sending, files sent in blocks."""

from __future__ import annotations

import hashlib
from typing import Any, BinaryIO

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from bakeoff.domain.evaluation import ObjectRef
from bakeoff.runtime.object_integrity import changed

CONNECT_S = 2.0
TRANSFER_S = 30.0
"""Seconds without any progress, in either direction."""
CONNECTIONS = 64
"""Kept open; more are opened when more threads ask at once."""
BLOCK_BYTES = 256 << 10


class FileBody:
    """A file as the body of a request. A file that has other bytes than it had is never sent to its end."""

    def __init__(self, file: BinaryIO, ref: ObjectRef) -> None:
        """Send a file.

        Args:
            file: Opened for reading.
            ref: Size and digest that it had, and the key that it goes to, for messages.
        """
        self.ref = ref
        self._file = file
        self.rewind()

    def rewind(self) -> None:
        """Go back to the start of the file."""
        self._file.seek(0)
        self._digest = hashlib.sha256()
        self._left = self.ref.size_bytes

    def read(self, size: int) -> bytes:
        """Return the next bytes of the file; none at its end.

        Raises:
            InvalidInputError: with these bytes the file has another digest.
        """
        block = self._file.read(min(size, self._left))
        self._digest.update(block)
        self._left -= len(block)
        if not (block and self._left) and self._digest.hexdigest() != self.ref.sha256:
            raise changed(self.ref.key)
        return block


class _Patient:
    """Waits TRANSFER_S when sending; urllib3 would only wait as long as for connecting, the whole body through."""

    sock: Any
    timeout: Any

    def connect(self) -> None:
        super().connect()  # type: ignore[misc]  # of the connection that this is mixed into
        self.sock.settimeout(TRANSFER_S)

    def request(self, *args: Any, **options: Any) -> None:
        if self.sock is not None:
            self.timeout = TRANSFER_S
        super().request(*args, **options)  # type: ignore[misc]


class _PatientHttp(_Patient, HTTPConnection):
    pass


class _PatientHttps(_Patient, HTTPSConnection):
    pass


class _HttpPool(HTTPConnectionPool):
    ConnectionCls = _PatientHttp


class _HttpsPool(HTTPSConnectionPool):
    ConnectionCls = _PatientHttps


def patient_pool() -> urllib3.PoolManager:
    """Return a pool of connections that repeats nothing by itself."""
    pool = urllib3.PoolManager(
        timeout=urllib3.Timeout(connect=CONNECT_S, read=TRANSFER_S),
        retries=False,
        maxsize=CONNECTIONS,
        blocksize=BLOCK_BYTES,
    )
    pool.pool_classes_by_scheme = {"http": _HttpPool, "https": _HttpsPool}
    return pool

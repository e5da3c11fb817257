"""Real places for indexes that lie outside: a PostgreSQL server with pgvector, and a proxy before it."""

from __future__ import annotations

import contextlib
import socket
import ssl
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

SSL_REQUEST = (8).to_bytes(4, "big") + (80877103).to_bytes(4, "big")


@contextmanager
def a_postgres() -> Iterator[str]:
    """Run a server of the test's own; gives its address, with a socket."""
    pgserver = pytest.importorskip("pgserver", reason="its wheels end with Python 3.12")
    # Its own user must reach the folder, and the path of its socket must be short.
    with tempfile.TemporaryDirectory(prefix="bakeoff-pg-") as folder:
        server = pgserver.get_server(folder, cleanup_mode="stop")
        try:
            yield f"postgresql://postgres@/postgres?host={quote(str(folder))}"
        finally:
            server.cleanup()


def socket_of(url: str) -> str:
    """Return the path of the socket in an address."""
    return url.partition("?host=")[2].replace("%2F", "/") + "/.s.PGSQL.5432"


class Proxy:
    """Passes connections on to a server's socket, over TLS if asked; can be gone for a while."""

    def __init__(self, target: str, certificate: tuple[Path, Path] | None = None) -> None:
        self._target = target
        self._tls: ssl.SSLContext | None = None
        if certificate:
            self._tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            self._tls.load_cert_chain(*certificate)
        self._open: list[socket.socket] = []
        self.away = False
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def leave(self) -> None:
        """Cut what is connected, and refuse what comes."""
        self.away = True
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open.clear()

    def close(self) -> None:
        """Stop for good."""
        self.leave()
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                if self.away:
                    client.close()
                else:
                    threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            if self._tls:
                assert client.recv(8, socket.MSG_WAITALL) == SSL_REQUEST
                client.sendall(b"S")
                client = self._tls.wrap_socket(client, server_side=True)
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._target)
            self._open += [client, server]
            threading.Thread(target=_pump, args=(client, server), daemon=True).start()
            _pump(server, client)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            sink.sendall(data)
    for each in (source, sink):
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)

"""The page that Prometheus reads: plain HTTP, one path, for those inside the platform's network."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.telemetry.book import MEDIA_TYPE, Book

PATH = "/metrics"


class MetricsPage:
    """Serves a book until it is closed."""

    def __init__(self, listen: str, book: Book) -> None:
        """Begin to serve.

        Args:
            listen: host:port; port 0 takes a free one.
            book: What is served.

        Raises:
            InvalidInputError: the address cannot be listened on.
        """
        host, _, port = listen.rpartition(":")
        try:
            self._server = ThreadingHTTPServer((host.strip("[]"), int(port)), _handler(book))
        except (OSError, ValueError, OverflowError) as error:
            raise InvalidInputError(f"BAKEOFF_METRICS_LISTEN: {listen!r} cannot be listened on: {error}") from error
        self._server.daemon_threads = True
        self.address = f"{host}:{self._server.server_address[1]}"
        """host:port where it is."""
        self._thread = threading.Thread(target=self._server.serve_forever, name="metrics", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(book: Book) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10.0  # a reader that says nothing holds its thread no longer

        def do_GET(self) -> None:  # the library's name
            if self.path.partition("?")[0] != PATH:
                self.send_error(404)
                return
            data = book.page().encode()
            self.send_response(200)
            self.send_header("Content-Type", MEDIA_TYPE)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: it is read every few seconds."""

    return Handler

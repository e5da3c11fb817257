"""An OpenAI-compatible endpoint that answers from what it is told, and counts who asks."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Endpoint:
    """What the server has seen."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        """Calls by the last message."""
        self.keys: set[str] = set()
        self.base_url = ""
        self.delay_s = 0.0
        """Time that an answer takes."""
        self.refused = 0
        """Requests with a JSON schema that were refused."""


@contextmanager
def an_endpoint(says: Callable[[str], str] | None = None, *, takes_schema: bool = True) -> Iterator[Endpoint]:
    """Serve on loopback: the answer is the first quoted word of the prompt, or `unknown`; `fail` in it gives 400.

    Args:
        says: Returns the answer to the last message, instead.
        takes_schema: Whether a request with a `response_format` is answered, not refused.
    """
    endpoint = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told = body["messages"][-1]["content"]
            if "response_format" in body and not takes_schema:
                endpoint.refused += 1
                self._send(400, {"error": {"message": "response_format is not supported"}})
                return
            endpoint.calls[told] += 1
            endpoint.keys.add(self.headers.get("Authorization", ""))
            time.sleep(endpoint.delay_s)
            if "fail" in told:
                self._send(400, {"error": {"message": "the prompt is not to my taste"}})
                return
            words = re.findall(r'"(\w+)"', told.rpartition("Question")[2])
            text = (words[0] if words else "unknown") if says is None else says(told)
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            usage = {"prompt_tokens": len(told.split()), "completion_tokens": 1, "total_tokens": len(told.split()) + 1}
            self._send(200, {"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage})

        def _send(self, status: int, content: object) -> None:
            data = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with suppress(OSError):  # whoever asked may have been killed
                self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    endpoint.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

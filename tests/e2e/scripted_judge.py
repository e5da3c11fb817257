"""An endpoint whose model judges by rule, and counts what it is asked."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

BLOCK = re.compile(r"\[(?P<name>[a-zA-Z ]+?)(?: \d+)? (?P<mark>[0-9a-f]{8})\]\n(?P<text>.*?)\n\[/", re.DOTALL)
Body = dict[str, Any]


@dataclass
class Judge:
    """What the judge has been asked."""

    takes_schema: bool = True
    """Whether a request with a `response_format` is taken."""
    asked: list[Body] = field(default_factory=list)
    refused: int = 0
    faults: int = 0
    """How many more requests are answered with 503."""
    base_url: str = ""


def judgement(told: str) -> str:
    """Return what the judge says.

    An answer that holds a reference or a passage is good; `mumble` in the question makes it unreadable; with `first` in
    the question the first of two answers wins, else the longer one.
    """
    blocks = {match["name"]: match["text"] for match in BLOCK.finditer(told)}
    if "mumble" in blocks["question"]:
        return "I cannot rate this"
    if "answer A" in blocks:
        longer = "A" if len(blocks["answer A"]) > len(blocks["answer B"]) else "B"
        return json.dumps({"reasoning": "length", "winner": "A" if "first" in blocks["question"] else longer})
    right = (blocks.get("reference answer") or blocks.get("passage") or "?").lower() in blocks["answer"].lower()
    if '"verdict"' in told:
        return json.dumps({"reasoning": "it says so", "verdict": right})
    return json.dumps({"reasoning": "it says so", "score": 5 if right else 2})


@contextmanager
def a_judge(*, takes_schema: bool = True) -> Iterator[Judge]:
    """Serve on loopback."""
    judge = Judge(takes_schema)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if judge.faults:
                judge.faults -= 1
                self._send(503, {"error": {"message": "too many students"}})
                return
            if "response_format" in body and not judge.takes_schema:
                judge.refused += 1
                self._send(400, {"error": {"message": "response_format is not supported"}})
                return
            judge.asked.append(body)
            said = judgement(body["messages"][1]["content"])
            choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
            usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            self._send(200, {"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage})

        def _send(self, status: int, content: object) -> None:
            data = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    judge.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield judge
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""An endpoint that tells how likely it finds a prompt's own tokens, as servers of the completions interface do."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

REPEATED, NEW = -0.5, -4.0
"""Log-probability of a token that stands somewhere before it, and of any other."""
TOKEN = re.compile(r"\s*\S+|\s+$")


class LikelihoodEndpoint:
    """What the server has seen."""

    def __init__(self) -> None:
        self.weighed: list[str] = []
        """Prompts whose log-probabilities were asked for."""
        self.asked: list[str] = []
        """Last messages of the dialogues that were asked for an answer."""
        self.base_url = ""


@contextmanager
def a_likelihood_endpoint(*, echoes: bool = True) -> Iterator[LikelihoodEndpoint]:
    """Serve on loopback: tokens are words with the space before them, and what was said before is likely.

    A dialogue is answered with the first quoted word of its last message. `too long` in a prompt gives 400. Without
    `echoes` a prompt is not repeated, as by servers that know no such parameter.
    """
    endpoint = LikelihoodEndpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path.endswith("/chat/completions"):
                self._answer(body["messages"][-1]["content"])
            else:
                self._weigh(body["prompt"])

        def _answer(self, told: str) -> None:
            endpoint.asked.append(told)
            words = re.findall(r'"(\w+)"', told)
            message = {"role": "assistant", "content": words[0] if words else "unknown"}
            usage = {"prompt_tokens": len(told.split()), "completion_tokens": 1}
            self._send(200, {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})

        def _weigh(self, prompt: str) -> None:
            endpoint.weighed.append(prompt)
            if "too long" in prompt:
                self._send(400, {"error": {"message": "the prompt is too long"}})
                return
            tokens = TOKEN.findall(prompt) if echoes else [" and"]
            seen: set[str] = set()
            logprobs: list[float | None] = []
            for token in tokens:
                word = token.strip(' "\n')
                logprobs.append((REPEATED if word in seen else NEW) if logprobs else None)
                seen.add(word)
            found = {"tokens": tokens, "token_logprobs": logprobs if echoes else [-1.0]}
            choice = {"text": prompt if echoes else " and", "finish_reason": "length", "logprobs": found}
            self._send(200, {"choices": [choice], "usage": {"prompt_tokens": len(tokens), "completion_tokens": 0}})

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
    endpoint.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

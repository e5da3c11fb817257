"""A small agent that does what its task says, behind the agent protocol or as a command.

`Write WORD to FILE` writes, `Copy FILE to FILE` copies, `Say WORD` only talks, `Crash` fails and `Sleep` never ends; a
task is several of them, one a line, and each line is a step.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast
from urllib.parse import parse_qs, urlsplit

PAGE = 2
"""Artifacts on a page: few, so that pages are turned."""


def act(line: str, files: dict[str, bytes]) -> str:
    """Do a line of a task, and return what the agent says of it."""
    if found := re.fullmatch(r"Write '?(.*?)'? (?:to|into) '?(\S+?)'?", line):
        files[found[2]] = found[1].encode()
    elif found := re.fullmatch(r"Copy (\S+) to (\S+)", line):
        files[found[2]] = files[found[1]]
    elif line == "Crash":
        raise RuntimeError("told to crash")
    elif line == "Sleep":
        time.sleep(60)
    return f"done: {line}"


@dataclass
class AgentTask:
    """A task of the agent's."""

    lines: list[str]
    files: dict[str, bytes] = field(default_factory=dict)
    uploaded: list[str] = field(default_factory=list)


@dataclass
class AgentServer:
    """The agent as a server."""

    base_url: str
    tasks: dict[str, AgentTask] = field(default_factory=dict)
    requests: Counter[str] = field(default_factory=Counter)
    """By what was asked: task, upload, step, list, fetch."""
    busy: int = 0
    """How many new tasks are refused for now."""
    pages: bool = True
    """Whether artifacts are listed in pages, or as a plain list as the first servers did."""


class _Handler(BaseHTTPRequestHandler):
    agent: AgentServer

    def do_POST(self) -> None:
        parts = urlsplit(self.path).path.split("/")[5:]  # behind /ap/v1/agent/tasks
        body = (
            self.rfile.read(int(self.headers["Content-Length"] or 0))
            if self.headers["Content-Length"]
            else self._chunks()
        )
        if not parts:
            self._begin(json.loads(body))
        elif parts[1] == "artifacts":
            self._upload(self.agent.tasks[parts[0]], body)
        else:
            self._step(self.agent.tasks[parts[0]])

    def do_GET(self) -> None:
        parts = urlsplit(self.path).path.split("/")[5:]
        files = sorted(self.agent.tasks[parts[0]].files.items())
        if len(parts) == 3:
            self.agent.requests["fetch"] += 1
            self._send(files[int(parts[2])][1])
            return
        self.agent.requests["list"] += 1
        found = [self._artifact(number, path) for number, (path, _) in enumerate(files)]
        if not self.agent.pages:
            self._send(found)
            return
        page = int(parse_qs(urlsplit(self.path).query)["current_page"][0])
        pages = {
            "current_page": page,
            "total_pages": -(-len(found) // PAGE),
            "total_items": len(found),
            "page_size": PAGE,
        }
        self._send({"artifacts": found[(page - 1) * PAGE : page * PAGE], "pagination": pages})

    def _begin(self, given: dict[str, str]) -> None:
        self.agent.requests["task"] += 1
        if self.agent.busy:
            self.agent.busy -= 1
            self._send({"detail": "later"}, 503)
            return
        name = f"task/{len(self.agent.tasks)}".replace("/", "-")
        self.agent.tasks[name] = AgentTask(given["input"].splitlines())
        self._send({"task_id": name, "input": given["input"], "artifacts": []})

    def _upload(self, task: AgentTask, body: bytes) -> None:
        self.agent.requests["upload"] += 1
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        fields: dict[str, bytes] = {}
        for part in BytesParser(policy=HTTP).parsebytes(head + body).iter_parts():
            about = part["Content-Disposition"].params
            fields[about["name"]] = cast(bytes, part.get_payload(decode=True))
            if about["name"] == "file":
                fields["file_name"] = about["filename"].encode()
        path = Path(fields.get("relative_path", b"").decode()) / fields["file_name"].decode()
        task.files[path.as_posix()] = fields["file"]
        task.uploaded.append(path.as_posix())
        self._send(self._artifact(len(task.files) - 1, path.as_posix()))

    def _step(self, task: AgentTask) -> None:
        self.agent.requests["step"] += 1
        line = task.lines.pop(0)
        try:
            said = act(line, task.files)
        except RuntimeError as error:
            self._send({"detail": str(error)}, 500)
            return
        told = {"task_total_cost": 0.25}
        self._send({"output": said, "is_last": not task.lines, "status": "completed", "additional_output": told})

    @staticmethod
    def _artifact(number: int, path: str) -> dict[str, object]:
        folder, _, name = path.rpartition("/")
        # Both ways of telling a place that there are.
        place = folder if number % 2 else path
        return {"artifact_id": str(number), "file_name": name, "relative_path": place, "agent_created": True}

    def _chunks(self) -> bytes:
        found = bytearray()
        while size := int(self.rfile.readline(), 16):
            found += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return bytes(found)

    def _send(self, content: object, status: int = 200) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            return  # who asked has gone

    def log_message(self, format: str, *args: object) -> None:
        return


@contextmanager
def an_agent_server() -> Iterator[AgentServer]:
    """Serve the agent on loopback."""
    handler = type("Handler", (_Handler,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        agent = AgentServer(f"http://127.0.0.1:{server.server_address[1]}/ap/v1")
        handler.agent = agent  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield agent
        server.shutdown()


def main() -> None:
    """Do the task on standard input in the working folder."""
    for line in sys.stdin.read().splitlines():
        files = {path.as_posix(): path.read_bytes() for path in Path().rglob("*") if path.is_file()}
        said = act(line, files)
        for name, data in files.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(data)
        print(said)


if __name__ == "__main__":
    main()

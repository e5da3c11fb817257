"""An OpenAI-compatible endpoint on a real socket that does what a test tells it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from aiohttp import web

Behaviour = Callable[[web.Request, dict[str, Any]], Awaitable[web.StreamResponse]]
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 2}}


@dataclass
class Seen:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at_s: float


@dataclass
class ScriptedEndpoint:
    """Behaves as scripted, one behaviour a request, and as `otherwise` when the script is at its end."""

    otherwise: Behaviour
    script: deque[Behaviour] = field(default_factory=deque)
    seen: list[Seen] = field(default_factory=list)
    base_url: str = ""
    in_flight: int = 0
    most_in_flight: int = 0

    def __enter__(self) -> ScriptedEndpoint:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def then(self, *behaviours: Behaviour) -> ScriptedEndpoint:
        """Add to the script."""
        self.script.extend(behaviours)
        return self

    async def _start(self) -> None:
        app = web.Application()
        app.router.add_route("*", "/{tail:.*}", self._handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        port = self._runner.addresses[0][1]
        self.base_url = f"http://127.0.0.1:{port}/v1"

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body = json.loads(raw) if raw else {}
        self.seen.append(Seen(request.path, dict(request.headers), body, asyncio.get_running_loop().time()))
        behaviour = self.script.popleft() if self.script else self.otherwise
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await behaviour(request, body)
        finally:
            self.in_flight -= 1


def says(text: str, *, finish: str | None = "stop", usage: object = USAGE, delay_s: float = 0.0) -> Behaviour:
    """Answer whole, whatever is asked."""

    async def behave(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        await asyncio.sleep(delay_s)
        choice: dict[str, Any] = {"index": 0, "finish_reason": finish}
        if request.path.endswith("/chat/completions"):
            choice["message"] = {"role": "assistant", "content": text}
        else:
            choice["text"] = text
        return web.json_response({"choices": [choice], **({"usage": usage} if usage else {})})

    return behave


def refuses(status: int, message: str = "no", *, code: str | None = None, **headers: str) -> Behaviour:
    """Answer with an error."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def behave(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        error = {"message": message, **({"code": code} if code else {})}
        return web.json_response({"error": error}, status=status, headers=named)

    return behave


def replies(found: object, *, status: int = 200, content_type: str = "application/json") -> Behaviour:
    """Answer with any body; text is sent as it is."""

    async def behave(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        text = found if isinstance(found, str) else json.dumps(found)
        return web.Response(text=text, status=status, content_type=content_type)

    return behave


def pieces(*words: str, finish: str | None = "stop", usage: object = USAGE, done: bool = True) -> list[bytes]:
    """Return the events of a streamed chat answer."""
    events: list[Any] = [{"choices": [{"index": 0, "delta": {"content": word}}]} for word in words]
    if finish:
        events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if usage:
        events.append({"choices": [], "usage": usage})
    lines = [b"data: " + json.dumps(event).encode() + b"\n\n" for event in events]
    return [*lines, b"data: [DONE]\n\n"] if done else lines


def streams(events: list[bytes], *, apart_s: float = 0.0, then: str = "end") -> Behaviour:
    """Stream events, and then `end` cleanly, `drop` the connection, or `stall`."""

    async def behave(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in events:
            await response.write(event)
            await asyncio.sleep(apart_s)
        if then == "drop":
            assert request.transport is not None
            request.transport.abort()
        if then == "stall":
            await asyncio.sleep(30)
        return response

    return behave


async def drops(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Drop the connection before anything is said."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()

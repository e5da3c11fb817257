"""An agent over HTTP: the agent protocol, version 1, as agbenchmark and its agents speak it.

`POST …/agent/tasks` begins a task, `POST …/tasks/{id}/artifacts` gives it a file, `POST …/tasks/{id}/steps` lets it do
a step until one is the last, `GET …/tasks/{id}/artifacts` lists what it left, and each is fetched by its id.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

import aiohttp
import msgspec

from bakeoff.domain.errors import InvalidInputError, UnavailableError
from bakeoff.domain.workspace_files import checked_path
from bakeoff.inference.agents.answers import AgentError
from bakeoff.inference.agents.permission import private_is_permitted
from bakeoff.models.public_hosts import check_model_host, connector_options

FILE_BYTES = 16 << 20
"""Of one file that is fetched; what is longer is cut, and left out as too large."""
MOST_FILES = 1000
"""Files of one task that are fetched."""
PAGE_SIZE = 100
SHOWN = 300
"""Characters of a refusal that are shown."""
BUSY = (429, 500, 502, 503, 504)


class _Task(msgspec.Struct):
    task_id: str


class _Step(msgspec.Struct):
    is_last: bool = False
    status: str = ""
    output: str | None = None
    additional_output: dict[str, Any] | None = None


class _Artifact(msgspec.Struct):
    artifact_id: str
    file_name: str
    relative_path: str | None = None


class _Page(msgspec.Struct):
    artifacts: list[_Artifact]
    pagination: dict[str, Any] | None = None


@dataclass(slots=True)
class Conversation:
    """What came of a task."""

    text: str = ""
    """Output of the last step that has one."""
    steps: int = 0
    cost: float | None = None
    ended: bool = False
    """Whether a step was the last one; otherwise there were too many."""
    files: dict[str, bytes] = field(default_factory=dict)
    """What the agent left, by path."""


async def converse(
    base_url: str, task: str, files: Mapping[str, bytes], most_steps: int, *, allow_private: bool = True
) -> Conversation:
    """Give an agent a task with its files, let it do its steps, and fetch what it left.

    Args:
        base_url: Of the protocol, such as `http://127.0.0.1:8000/ap/v1`.
        task: What the agent is told.
        files: What it finds in its workspace, by path.
        most_steps: Steps after which it is not asked on.
        allow_private: Whether it may be inside a private network.

    Raises:
        UnavailableError: it cannot be reached, or takes no task now.
        AgentError: it does not speak the protocol, or failed at the task.
    """
    # A step takes as long as it takes: the time of the whole is bounded by who calls this.
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=10.0)
    if not allow_private:
        check_model_host(base_url)
    connector = aiohttp.TCPConnector(**connector_options(allow_private=allow_private))
    session_of = aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar(), connector=connector)
    async with session_of as session:
        client = _Client(session, base_url.rstrip("/") + "/agent/tasks")
        body = msgspec.json.encode({"input": task, "additional_input": {}})
        begun = await client.call(_Task, "POST", "", body, busy=UnavailableError)
        place = f"/{quote(begun.task_id, safe='')}"
        for path, data in files.items():
            await client.upload(f"{place}/artifacts", path, data)
        conversation = Conversation()
        while conversation.steps < most_steps and not conversation.ended:
            given = {"input": task} if not conversation.steps else {}
            step = await client.call(_Step, "POST", f"{place}/steps", msgspec.json.encode(given))
            _take(step, conversation)
        for path, artifact in (await _artifacts(client, place)).items():
            conversation.files[path] = await client.fetch(f"{place}/artifacts/{quote(artifact, safe='')}")
        return conversation


def _take(step: _Step, conversation: Conversation) -> None:
    conversation.steps += 1
    conversation.ended = step.is_last
    conversation.text = step.output or conversation.text
    told = step.additional_output or {}
    for name in ("task_total_cost", "total_cost"):
        if isinstance(told.get(name), int | float) and not isinstance(told[name], bool):
            conversation.cost = float(told[name])
            break


async def _artifacts(client: _Client, place: str) -> dict[str, str]:
    """Return the ids of what a task left, by path; of several with one path the last counts."""
    found: dict[str, str] = {}
    number, pages = 1, 1
    while number <= pages and len(found) < MOST_FILES:
        data = await client.fetch(f"{place}/artifacts?current_page={number}&page_size={PAGE_SIZE}")
        page = client.read(data, _Page | list[_Artifact], "the list of artifacts")
        # The first servers of the protocol listed them without pages.
        listed = page if isinstance(page, list) else page.artifacts
        total = None if isinstance(page, list) else (page.pagination or {}).get("total_pages")
        pages = total if isinstance(total, int) else 1
        found |= {_path(artifact): artifact.artifact_id for artifact in listed}
        number += 1
    return dict(list(found.items())[:MOST_FILES])


def _path(artifact: _Artifact) -> str:
    """Return where an artifact lies: its relative path is its folder, or already ends in its name."""
    folder = PurePosixPath((artifact.relative_path or "").lstrip("/"))
    path = folder if folder.name == artifact.file_name else folder / artifact.file_name
    try:
        return checked_path(path.as_posix())
    except InvalidInputError as error:
        raise AgentError(f"the agent left a file that is not in its workspace: {error}") from error


@dataclass(frozen=True, slots=True)
class _Client:
    session: aiohttp.ClientSession
    tasks: str
    """Address of all tasks."""

    async def call(self, kind: Any, method: str, place: str, body: bytes, busy: type[Exception] = AgentError) -> Any:
        data = await self._body(method, place, busy, data=body, headers={"Content-Type": "application/json"})
        return self.read(data, kind, place or "the new task")

    async def upload(self, place: str, path: str, data: bytes) -> None:
        form = aiohttp.FormData()
        form.add_field("file", data, filename=PurePosixPath(path).name, content_type="application/octet-stream")
        parent = PurePosixPath(path).parent.as_posix()
        if parent != ".":
            form.add_field("relative_path", parent)
        await self._body("POST", place, AgentError, data=form)

    async def fetch(self, place: str) -> bytes:
        return await self._body("GET", place, AgentError)

    def read(self, data: bytes, kind: Any, what: str) -> Any:
        try:
            return msgspec.json.decode(data, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise AgentError(f"the agent at {self.tasks} does not speak the agent protocol: {what}: {error}") from error

    async def _body(self, method: str, place: str, busy: type[Exception], **given: Any) -> bytes:
        address = self.tasks + place
        try:
            async with self.session.request(method, address, allow_redirects=False, **given) as response:
                data = bytearray()
                async for chunk in response.content.iter_chunked(1 << 16):
                    data += chunk
                    if len(data) > FILE_BYTES:
                        break
                if response.status // 100 != 2:
                    said = bytes(data[:SHOWN]).decode(errors="replace")
                    kind = busy if response.status in BUSY else AgentError
                    raise kind(f"the agent at {address} said {response.status} {response.reason}: {said}")
                return bytes(data)
        except aiohttp.ClientConnectorError as error:
            raise UnavailableError(f"the agent at {self.tasks} cannot be reached: {error.os_error.strerror}") from error
        except aiohttp.ClientError as error:
            raise AgentError(f"the agent at {address} ended the connection early: {type(error).__name__}") from error


def converse_within(
    time_s: float, base_url: str, task: str, files: Mapping[str, bytes], most_steps: int
) -> Conversation:
    """Do the same in a thread without an event loop, within a time.

    Raises:
        TimeoutError: the time was up.
        UnavailableError, AgentError: as of `converse`.
    """

    async def bounded() -> Conversation:
        async with asyncio.timeout(time_s):
            return await converse(base_url, task, files, most_steps, allow_private=private_is_permitted())

    return asyncio.run(bounded())

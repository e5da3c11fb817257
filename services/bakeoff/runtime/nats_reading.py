"""Reading what a stream keeps: the last message of a subject, all under a filter, and the names of their subjects."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from nats.aio.msg import Msg

from bakeoff.runtime.bus import Message
from bakeoff.runtime.bus_rules import SERVER_HEADERS
from bakeoff.runtime.nats_answers import AnswerLostError
from bakeoff.runtime.nats_api import PREFIX, call
from bakeoff.runtime.nats_connection import TRY_S, NatsConnection
from bakeoff.runtime.nats_inbox import Inbox

BATCH = 1000
NOT_FOUND = "404"
SEQUENCE = "Nats-Sequence"


@dataclass(frozen=True, slots=True)
class Stored:
    """A message as the server keeps it."""

    message: Message
    """As it was published."""
    headers: Mapping[str, str]
    """All of its headers, those of the server among them."""


async def last(connection: NatsConnection, stream: str, subject: str) -> Stored | None:
    """Return the last kept message of a subject; None when there is none.

    Any copy of the stream answers, and it may be a moment behind.
    """
    answer = await connection.ask(f"{PREFIX}DIRECT.GET.{stream}.{subject}", somebody=True)
    return _stored(answer.message)


async def messages(connection: NatsConnection, stream: str, filter: str) -> list[Stored]:
    """Return the kept messages under a filter, oldest first."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + connection.patience_s
    found: list[Stored] = []
    complete = False
    while not complete:
        await connection.until_connected(deadline)
        count = len(found)
        try:
            complete = await _next_batch(connection, stream, filter, found)
        except AnswerLostError:
            complete = False
        if len(found) > count:
            deadline = loop.time() + connection.patience_s
        elif not complete and loop.time() > deadline:
            raise connection.out_of_reach(f"a reading of {filter}")
    return found


async def _next_batch(connection: NatsConnection, stream: str, filter: str, found: list[Stored]) -> bool:
    """Read on after what was found; return whether that was all."""
    request = {"seq": found[-1].message.sequence + 1 if found else 1, "next_by_subj": filter, "batch": BATCH}
    async with Inbox(connection) as inbox:
        await connection.send(f"{PREFIX}DIRECT.GET.{stream}", msgspec.json.encode(request), reply=inbox.subject)
        while True:
            message = await inbox.next(TRY_S)
            if message is None:
                return False
            stored = _stored(message)
            if stored is None:
                headers = message.headers or {}
                return headers.get("Status") == NOT_FOUND or headers.get("Nats-Num-Pending") == "0"
            found.append(stored)


async def subjects(connection: NatsConnection, stream: str, filter: str) -> frozenset[str]:
    """Return the subjects that have a kept message under a filter."""
    found: set[str] = set()
    total = 1
    while len(found) < total:
        request = {"subjects_filter": filter, "offset": len(found)}
        info = await call(connection, f"STREAM.INFO.{stream}", request)
        page = info["state"].get("subjects") or {}
        found.update(page)
        total = info.get("total", 0) if page else 0
    return frozenset(found)


def own_headers(headers: Mapping[str, str] | None) -> dict[str, str]:
    """Return the headers that a publisher has set."""
    return {name: value for name, value in (headers or {}).items() if not name.lower().startswith(SERVER_HEADERS)}


def _stored(answer: Msg) -> Stored | None:
    """Return the message in an answer; None when it is the word that there is none, or no more."""
    headers = answer.headers or {}
    if SEQUENCE not in headers:
        return None
    message = Message(headers["Nats-Subject"], answer.data, int(headers[SEQUENCE]), own_headers(headers))
    return Stored(message, headers)

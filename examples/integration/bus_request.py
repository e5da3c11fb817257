"""Ask for an evaluation over the bus and follow it, with nothing but a NATS client.

    pip install nats-py
    NATS_URL=nats://bus.example:4222 NATS_TOKEN=… python bus_request.py request.json

The request is the JSON of `bakeoff.v1.EvaluationRequest`. Where every user of the bus has a password, set NATS_USER and
NATS_PASSWORD instead of the token. A user who may ask, but not read EVENTS, which are of all tenants, is told the id of
the evaluation, by which it is followed over gRPC.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import nats
import nats.errors

ENDS = {"completed": 0, "failed": 1, "cancelled": 1}
"""Kinds of events after which nothing more comes, and the exit code of each."""


def evaluation_id(tenant: str, idempotency_key: str) -> str:
    """Return the id of the evaluation that a tenant asks for under a key: known before it is asked for."""
    names = {"idempotency_key": idempotency_key, "tenant": tenant}
    text = json.dumps(names, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "ev-" + hashlib.sha256(text.encode()).hexdigest()[:24]


def credentials() -> dict[str, Any]:
    """Return how to log in: a user of its own hears answers under its own name alone."""
    if user := os.environ.get("NATS_USER"):
        return {"user": user, "password": os.environ["NATS_PASSWORD"], "inbox_prefix": f"_INBOX.{user}".encode()}
    return {"token": os.environ["NATS_TOKEN"]} if "NATS_TOKEN" in os.environ else {}


async def main(request: dict[str, Any]) -> int:
    """Publish a request, print its events as they come, and return the exit code."""
    tenant = request.get("tenant", "default")
    name = evaluation_id(tenant, request["idempotencyKey"])
    bus = await nats.connect(os.environ["NATS_URL"], **credentials())
    try:
        stream = bus.jetstream()
        # Acknowledged means kept: the request is answered even if no service runs just now.
        await stream.publish(f"bakeoff.v1.request.{tenant}", json.dumps(request).encode())
        print(name, flush=True)
        try:
            events = await stream.subscribe(f"bakeoff.v1.event.{name}.*", ordered_consumer=True)
        except nats.errors.TimeoutError:  # the server does not answer what it refuses
            print("asked for; this user may not read EVENTS: follow it over gRPC", file=sys.stderr)
            return 0
        async for event in events.messages:
            kind = event.subject.rpartition(".")[2]
            print((event.headers or {}).get("ce-time"), kind, flush=True)
            # Events are replayed from the first: only the last one tells how the evaluation stands.
            if kind in ENDS and event.metadata.num_pending == 0:
                return ENDS[kind]
        return 1
    finally:
        await bus.close()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))

"""The child process in which one item runs alone: `python -m bakeoff.runtime.child`, orders on standard input."""

from __future__ import annotations

import asyncio
import base64
import importlib
import json
import os
import sys
import threading
from typing import Any, TextIO

from bakeoff.contract.work_codec import task_from_bytes
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.runtime import logs
from bakeoff.runtime.connect import connect_bus, connect_objects
from bakeoff.runtime.item_context import LoopItemContext
from bakeoff.runtime.items import Result
from bakeoff.runtime.scratch import scratch_root
from bakeoff.runtime.service import Deps, Peers, Service
from bakeoff.runtime.settings import Settings


def main() -> None:
    """Do the item of the orders, and say what came of it, one JSON object a line."""
    # What handlers and their libraries print must not mix with what the parent reads.
    voice = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=_die_with_parent, daemon=True).start()
    settings = Settings.from_environment(order["settings"])
    logs.configure(settings)
    try:
        result = _work(order, settings, voice)
    except Exception as error:
        _say(voice, error=type(error).__name__, message=str(error))
    else:
        _say(voice, data=base64.b64encode(result.data).decode(), media_type=result.media_type, counts=result.counts)
    voice.flush()
    # Threads of libraries must not keep the process, nor may their end turn a result into a death.
    os._exit(0)


def _work(order: dict[str, Any], settings: Settings, voice: TextIO) -> Result:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    task = task_from_bytes(base64.b64decode(order["task"]))
    bus = asyncio.run_coroutine_threadsafe(connect_bus(settings, f"child-{task.item}"), loop).result(60)
    objects = connect_objects(settings)
    service: Service = importlib.import_module(order["service"]).service
    service.cards(settings)
    deps = Deps(settings, objects, bus, Peers(settings.addresses, settings))
    if service.handler is None:
        raise RuntimeError(f"{order['service']} has no handler")
    handler = service.handler(deps)
    poisoned = {case: Failure(FailureKind.INFRASTRUCTURE, reason) for case, reason in order["poisoned"].items()}
    context = LoopItemContext(
        task,
        objects,
        bus,
        loop,
        isolated=True,
        poisoned=poisoned,
        on_begin=lambda case_id: _say(voice, begin=case_id),
        scratch_root=scratch_root(settings),
    )
    try:
        return handler.handle(task, context)
    finally:
        context.close()


def _say(voice: TextIO, **words: object) -> None:
    voice.write(json.dumps(words) + "\n")


def _die_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    main()

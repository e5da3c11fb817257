"""A service whose cases do as their ids say; its handler runs in real child processes."""

from __future__ import annotations

import os
import signal
import sys

from bakeoff.contract.stored import encode
from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.work import PrepareTask, Task
from bakeoff.runtime.items import ItemContext, PoisonedCaseError, Result, StageHandler
from bakeoff.runtime.service import Service


def handle(task: Task, context: ItemContext) -> Result:
    """Do the cases that the benchmark's name lists, and say how each ended."""
    print("what a library prints must not mix with what the parent reads")
    assert isinstance(task.body, PrepareTask)
    ended = {}
    for case_id in task.body.benchmark.name.split():
        if case_id == "killer-outside":
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            context.begin(case_id)
        except PoisonedCaseError as error:
            ended[case_id] = error.failure.reason
            continue
        _do(case_id)
        ended[case_id] = "done"
    sys.stdout.write("the same without a line end")
    return Result(encode(ended), counts={"isolated": int(context.isolated)})


def _do(case_id: str) -> None:
    if case_id.startswith("killer"):
        os.kill(os.getpid(), signal.SIGKILL)
    if case_id.startswith("leaver"):
        os._exit(3)
    if case_id.startswith("downer"):
        raise OutOfReachError("the knowledge service does not answer: 127.0.0.1:1")
    if case_id.startswith("refuser"):
        raise InvalidInputError("row 7 is empty")


service = Service("troubled", handler=lambda deps: StageHandler(Stage.PREPARE, lambda task: "unused", handle))

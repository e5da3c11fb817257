"""Running an item alone in a child process, and telling which case kills it."""

from __future__ import annotations

import asyncio
import base64
import json
import signal
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Protocol

from bakeoff.contract.work_codec import task_to_bytes
from bakeoff.domain import errors
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.work import Task
from bakeoff.runtime import logs
from bakeoff.runtime.backoff import delay_s
from bakeoff.runtime.items import Result
from bakeoff.runtime.settings import Settings

DEATHS_TO_BLAME = 2
"""Children that a case must kill before it is blamed: one may be an accident of the machine."""
OUTAGES_TO_BLAME = 5
"""How often a peer must go out of reach while a case is in hand before the case is blamed for taking it down."""

log = logs.get("isolation")


class ItemKilledError(errors.BakeoffError):
    """The item killed every process that worked on it, and no single case is to blame."""


class Isolation(Protocol):
    """A way to run an item apart from everything else."""

    async def run(self, service: str, task: Task) -> Result:
        """Run an item's handler alone.

        Args:
            service: Import path of the module that holds the service of the stage.
            task: The item.

        Raises:
            ItemKilledError: it killed its process again and again outside of any case.
            Exception: what the handler raised.
        """


@dataclass(frozen=True, slots=True)
class _End:
    """How a child ended."""

    result: Result | None = None
    error: Exception | None = None
    died: str = ""
    """How it died, such as `signal SIGKILL`."""
    case_id: str = ""
    """The case that it had begun last."""


class ChildIsolation:
    """Isolation by a fresh Python process for each try."""

    def __init__(self, settings: Settings) -> None:
        """Start children that connect as the settings say."""
        self._settings = settings

    async def run(self, service: str, task: Task) -> Result:
        """Run an item's handler in children until one lives to tell; cases that kill are failed one by one."""
        poisoned: dict[str, Failure] = {}
        deaths: Counter[str] = Counter()
        outages: Counter[str] = Counter()
        while True:
            end = await self._child(service, task, poisoned)
            if end.result is not None:
                return end.result
            if end.case_id and isinstance(end.error, errors.OutOfReachError):
                outages[end.case_id] += 1
                if outages[end.case_id] >= OUTAGES_TO_BLAME:
                    # Without the error's own words: addresses and times differ from run to run.
                    reason = f"the case took down the service that it was asked of, {OUTAGES_TO_BLAME} times"
                    poisoned[end.case_id] = Failure(FailureKind.INFRASTRUCTURE, reason)
                else:
                    await asyncio.sleep(delay_s(outages[end.case_id] + 3))
                continue
            if end.error is not None:
                raise end.error
            deaths[end.case_id] += 1
            log.warning("child died", item=task.item, case_id=end.case_id, how=end.died, times=deaths[end.case_id])
            if deaths[end.case_id] < DEATHS_TO_BLAME:
                continue
            if not end.case_id:
                raise ItemKilledError(f"the item killed the process that worked on it ({end.died})")
            poisoned[end.case_id] = Failure(
                FailureKind.INFRASTRUCTURE, f"the case killed the process that worked on it ({end.died})"
            )

    async def _child(self, service: str, task: Task, poisoned: dict[str, Failure]) -> _End:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bakeoff.runtime.child",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 30,
        )
        assert process.stdin is not None  # noqa: S101  # it is a pipe
        assert process.stdout is not None  # noqa: S101  # it is a pipe
        order = {
            # Secrets go through the pipe: never through arguments or the environment, which others can read.
            "settings": self._settings.as_environment(),
            "service": service,
            "task": base64.b64encode(task_to_bytes(task)).decode(),
            "poisoned": {case: failure.reason for case, failure in poisoned.items()},
        }
        end = _End()
        case_id = ""
        try:
            process.stdin.write(json.dumps(order).encode() + b"\n")
            # The pipe stays open: a child whose parent dies reads its end and dies too.
            while line := await process.stdout.readline():
                said = json.loads(line)
                if "begin" in said:
                    case_id = said["begin"]
                elif "error" in said:
                    end = _End(error=_error(said["error"], said["message"]), case_id=case_id)
                else:
                    end = _End(result=Result(base64.b64decode(said["data"]), said["media_type"], said["counts"]))
            code = await process.wait()
        except (BrokenPipeError, ConnectionResetError):
            code = await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if end.result is None and end.error is None:
            return _End(died=_how(code), case_id=case_id)
        return end


def _how(code: int) -> str:
    if code < 0:
        try:
            return f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"
    return f"exit status {code}"


def _error(name: str, message: str) -> Exception:
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, errors.BakeoffError):
        return kind(message)
    return RuntimeError(f"{name}: {message}")

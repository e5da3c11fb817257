"""A generator with faults, for tests: some cases raise, some kill the process that works on them."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from bakeoff.domain.answer import Passage
from bakeoff.inference.generator import Generated, Generator
from bakeoff.inference.registries import generators
from bakeoff.runtime.registry import Is


@generators.register("faulty")
def faulty(
    *,
    raises: Annotated[list[str], Is("Ids of the cases that raise.")] = (),  # type: ignore[assignment]  # read only
    kills: Annotated[list[str], Is("Ids of the cases that kill their process.")] = (),  # type: ignore[assignment]
    delay_s: Annotated[float, Is("Seconds that a case takes.", minimum=0)] = 0.0,
    fails_without: Annotated[str, Is("File without which every case fails; empty for none.")] = "",
    breaks_without: Annotated[str, Is("File without which its items fail; empty for none.")] = "",
    log: Annotated[str, Is("File to which the id of each case is added when it begins; empty for none.")] = "",
) -> Generator:
    """Answer with the question's own words, or fail as told."""
    # In the thread of an item alone: it is also made to be checked, before anything runs.
    working = threading.current_thread().name.startswith("infer-item")
    if working and breaks_without and not Path(breaks_without).exists():
        raise RuntimeError("told to break")
    return _Faulty(frozenset(raises), frozenset(kills), delay_s, fails_without, log)


class _Faulty:
    def __init__(self, raises: frozenset[str], kills: frozenset[str], delay_s: float, needs: str, log: str) -> None:
        self._raises = raises
        self._kills = kills
        self._delay_s = delay_s
        self._needs = needs
        self._log = log

    def generate(self, question: str, passages: Sequence[Passage], *, seed: int, case_id: str) -> Generated:
        if self._log:
            with Path(self._log).open("a") as file:  # appended in one write: processes do not tear each other's lines
                file.write(f"{case_id}\n")
        if case_id in self._kills:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._needs and not Path(self._needs).exists():
            raise ValueError("what it needs is not there")
        if case_id in self._raises:
            raise ValueError(f"told to raise for {case_id}")
        time.sleep(self._delay_s)
        return Generated(f"{question} ({len(passages)})", {})

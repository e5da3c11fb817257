"""A generator with faults, for tests: some cases raise, some kill the process that works on them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from typing import Annotated

from bakeoff.inference.generator import Generated, Generator
from bakeoff.inference.registries import generators

from bakeoff.domain.answer import Passage
from bakeoff.runtime.registry import Is


@generators.register("faulty")
def faulty(
    *,
    raises: Annotated[list[str], Is("Ids of the cases that raise.")] = (),  # type: ignore[assignment]  # read only
    kills: Annotated[list[str], Is("Ids of the cases that kill their process.")] = (),  # type: ignore[assignment]
    delay_s: Annotated[float, Is("Seconds that a case takes.", minimum=0)] = 0.0,
) -> Generator:
    """Answer with the question's own words, or fail as told."""
    return _Faulty(frozenset(raises), frozenset(kills), delay_s)


class _Faulty:
    def __init__(self, raises: frozenset[str], kills: frozenset[str], delay_s: float) -> None:
        self._raises = raises
        self._kills = kills
        self._delay_s = delay_s

    def generate(self, question: str, passages: Sequence[Passage], *, seed: int, case_id: str) -> Generated:
        if case_id in self._kills:
            os.kill(os.getpid(), signal.SIGKILL)
        if case_id in self._raises:
            raise ValueError(f"told to raise for {case_id}")
        time.sleep(self._delay_s)
        return Generated(f"{question} ({len(passages)})", {})

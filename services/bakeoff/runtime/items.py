"""What a stage's handler is: a plain function of a task, run by the worker in a thread or in a child process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bakeoff.contract.stored import JSON
from bakeoff.domain.answer import Failure
from bakeoff.domain.evaluation import Download, Stage
from bakeoff.domain.work import DoneFact, Task
from bakeoff.runtime.objects import ObjectStore


class PoisonedCaseError(Exception):
    """The case was found to kill the process that works on it: record its failure and go on with the next."""

    def __init__(self, failure: Failure) -> None:
        """Carry the failure that the case ends with."""
        super().__init__(failure.reason)
        self.failure = failure


class ItemContext(Protocol):
    """What a handler may use besides its task."""

    @property
    def objects(self) -> ObjectStore:
        """The object store."""

    @property
    def scratch(self) -> Path:
        """A folder of the item's own, removed afterwards."""

    @property
    def isolated(self) -> bool:
        """Whether the item runs alone in a child process: ask cases one by one, so that one that kills can be told."""

    def fact(self, stage: Stage, item: str) -> DoneFact:
        """Return how an item that this one needs has ended.

        Raises:
            UnavailableError: it has not, which only happens when the bus lost its fact; to be tried again.
        """

    def facts(self, stage: Stage) -> list[DoneFact]:
        """Return how the items of a stage of this evaluation have ended, by item."""

    def waiting(self) -> AbstractContextManager[None]:
        """Give the item's slot to another one, as the block only waits for others. Little is left to do after it."""

    def tell_download(self, download: Download) -> None:
        """Say how far a download is, for those who follow the evaluation. Does not wait, never fails, and may be lost.

        Call it about once a second at most.
        """

    def begin(self, case_id: str = "") -> None:
        """Say that the work on a case begins. Call it before each case, or each long step.

        Raises:
            CancelledItemError: the evaluation was cancelled; let it pass.
            PoisonedCaseError: the case killed a process before; record its failure as the case's.
        """


@dataclass(frozen=True, slots=True)
class Result:
    """What an item came to. The worker stores `data` under the item's result key, unless somebody was first."""

    data: bytes
    media_type: str = JSON
    counts: dict[str, int] = field(default_factory=dict)
    """What was done, such as `{"documents": 60}`; goes into the fact, not into any result."""


@dataclass(frozen=True, slots=True)
class StageHandler:
    """The work of a stage.

    `handle` is synchronous: it runs in a thread, so it may compute and block. It must give the same bytes for the same
    task, and may be run any number of times, by anyone, at the same time. It raises InvalidInputError or NotFoundError
    to give up, UnavailableError for something to be tried again; a case that fails is no error of the item.
    """

    stage: Stage
    result_key: Callable[[Task], str]
    """Key under which the result is stored; an item whose result exists is not worked on again."""
    handle: Callable[[Task, ItemContext], Result]

"""A context for handlers without a bus."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.domain.errors import UnavailableError
from bakeoff.domain.evaluation import Download, Stage
from bakeoff.domain.work import DoneFact
from bakeoff.runtime.memory_objects import MemoryObjects


@dataclass
class PlainItemContext:
    """What a handler is given; it remembers what began and what was told."""

    scratch: Path
    objects: MemoryObjects = field(default_factory=MemoryObjects)
    done: list[DoneFact] = field(default_factory=list)
    begun: list[str] = field(default_factory=list)
    told: list[Download] = field(default_factory=list)

    def fact(self, stage: Stage, item: str) -> DoneFact:
        for fact in self.facts(stage):
            if fact.item == item:
                return fact
        raise UnavailableError(f"{stage.value}/{item} has not ended")

    def facts(self, stage: Stage) -> list[DoneFact]:
        return [fact for fact in self.done if fact.stage is stage]

    def waiting(self) -> AbstractContextManager[None]:
        return nullcontext()

    def tell_download(self, download: Download) -> None:
        self.told.append(download)

    def begin(self, case_id: str = "") -> None:
        self.begun.append(case_id)

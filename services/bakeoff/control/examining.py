"""Looking at an evaluation: everything that a diagnosis is made of, read from the bus and the object store."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass

from bakeoff.contract import subjects
from bakeoff.contract.stored_answers import decode_answers
from bakeoff.control.diagnosis import StageSight, diagnose, others
from bakeoff.control.engine import Engine
from bakeoff.control.renewal import FAILED_CASES
from bakeoff.domain.diagnosis import Diagnosis
from bakeoff.domain.errors import BakeoffError
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.work import DoneFact
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.objects import ObjectStore
from bakeoff.runtime.task_versions import of_cards

LOOKED_AT = 5
"""Items whose failed cases are read for their reasons."""


@dataclass(frozen=True, slots=True)
class Examination:
    """The evaluations of an engine, as something to look at."""

    engine: Engine
    bus: Bus
    objects: ObjectStore

    async def look(self, evaluation_id: str) -> list[Diagnosis]:
        """Return what can be said of an evaluation.

        Raises:
            NotFoundError: there is none.
        """
        view = await self.engine.view(evaluation_id)
        tasks = await self.bus.subjects(subjects.tasks_of(evaluation_id))
        queued = Counter(subjects.item_of(subject)[1] for subject in tasks)
        standings = await asyncio.gather(*(self.bus.standing(subjects.stage_consumer(stage, 0.0)) for stage in Stage))
        there = of_cards(await self.engine.catalogue.cards())
        stages = {
            stage: StageSight(
                view.counts[stage],
                queued[stage.value],
                view.ready[stage],
                view.limit,
                standing,
                others(view.versions.get(stage, {}), there),
            )
            for stage, standing in zip(Stage, standings, strict=True)
        }
        return diagnose(view.record, stages, view.facts, await asyncio.to_thread(self._reasons, view.facts))

    def _reasons(self, facts: tuple[DoneFact, ...]) -> list[str]:
        found = []
        failed = [fact for fact in facts if fact.stage is Stage.INFER and fact.counts.get(FAILED_CASES) and fact.result]
        for fact in failed[:LOOKED_AT]:
            assert fact.result is not None  # noqa: S101  # asked above
            try:
                answers = decode_answers(self.objects.read(fact.result)).answers
            except BakeoffError as error:  # what cannot be read is a finding of its own
                found.append(str(error))
                continue
            found += [answer.failure.reason for answer in answers if answer.failure]
        return found

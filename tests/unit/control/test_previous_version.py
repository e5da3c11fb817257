"""A worker of the previous version joins a newer control: it sees the fields that it knows, and its facts are read."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from bakeoff.contract import subjects
from bakeoff.contract.work_codec import done_fact_to_bytes, task_from_bytes
from bakeoff.domain.evaluation import EvaluationState, Stage
from tests.builders import a_recipe, a_request
from tests.conftest import ROOT
from tests.unit.control.platform import FakePlatform
from tests.unit.control.test_engine import submit


@cache
def previous(name: str) -> Any:
    """Return a message class of the released contract, against which breaking changes are found."""
    files = descriptor_pb2.FileDescriptorSet.FromString((ROOT / "proto/baseline.binpb").read_bytes())
    pool = descriptor_pool.DescriptorPool()
    left = list(files.file)
    while left:  # each after what it imports
        known = {file.name for file in files.file} - {file.name for file in left}
        ready = [file for file in left if known.issuperset(file.dependency)]
        assert ready, f"imports that are not there: {[file.name for file in left]}"
        for file in ready:
            pool.Add(file)
            left.remove(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"bakeoff.v1.{name}"))


def as_known_to_it(name: str, data: bytes) -> bytes:
    """Return what the previous version makes of a message: the fields that it does not know are lost."""
    message = previous(name).FromString(data)
    message.DiscardUnknownFields()
    return bytes(message.SerializeToString())


class PreviousWorkers(FakePlatform):
    """Workers of which each other one is of the previous version."""

    async def work(self, *stages: Stage, tell: bool = True, at_most: int = 1000) -> int:
        count = 0
        for stage in stages or tuple(Stage):
            for delivery in await self.bus.fetch(subjects.stage_consumer(stage, 30.0), at_most, 0.01):
                old = count % 2 == 0
                data = delivery.message.data
                task = task_from_bytes(as_known_to_it("Task", data) if old else data)
                fact = self.outcome(task)
                told = done_fact_to_bytes(fact)
                await self.bus.publish(
                    subjects.done(task.evaluation_id, stage, task.item),
                    as_known_to_it("DoneFact", told) if old else told,
                    first_only=True,
                )
                await delivery.ack()
                count += 1
        await self.engine.sweep()
        return count


def test_workers_of_two_versions_finish_an_evaluation_together() -> None:
    async def run() -> None:
        platform = await PreviousWorkers(units=2).start()
        assert isinstance(platform, PreviousWorkers)
        name = await submit(platform, a_request(batch_cases=2, recipes=[a_recipe("one"), a_recipe("two")]))
        await platform.finish()
        status = await platform.engine.status(name)
        assert (status.state, sum(stage.failed for stage in status.stages)) == (EvaluationState.COMPLETED, 0)

    asyncio.run(run())

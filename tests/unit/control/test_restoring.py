"""The bus loses everything: what the object store holds is known again, and what is done is not done again."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from bakeoff.contract import object_keys
from bakeoff.contract.stored import encode
from bakeoff.control.restoring import LOST, Restoring
from bakeoff.control.result_places import result_key
from bakeoff.domain.evaluation import EvaluationState, Stage
from bakeoff.domain.work import DoneFact, Task
from bakeoff.runtime.memory_bus import MemoryBus
from tests.builders import a_request
from tests.unit.control.platform import FakePlatform
from tests.unit.control.test_engine import submit
from tests.unit.control.test_replaying import facts_of


class Storing(FakePlatform):
    """Stages whose results lie where the real ones' do, and are found there."""

    def outcome(self, task: Task) -> DoneFact:
        fact = super().outcome(task)
        if fact.result is None:
            return fact
        data = self.objects.read(fact.result) if task.stage is Stage.PREPARE else task.item.encode()
        ref = self.objects.create(result_key(task), data).ref
        return replace(fact, result=ref)


async def without_its_bus(platform: FakePlatform) -> FakePlatform:
    """Return the platform with an empty bus."""
    return await Storing(cases=platform.cases, objects=platform.objects, fail=platform.fail, bus=MemoryBus()).start()


def test_a_completed_evaluation_is_completed_again_and_what_had_no_result_has_failed() -> None:
    async def steps() -> None:
        platform = await Storing(fail={"infer/b0-u00000-r0m0-c0000002": "wrong"}).start()
        name = await submit(platform, a_request(batch_cases=2))
        await platform.finish()
        before = await platform.engine.status(name)
        assert before.state is EvaluationState.COMPLETED

        new = await without_its_bus(platform)
        (record,) = await Restoring(new.bus, new.objects).restore()
        assert (record.state, record.report) == (EvaluationState.COMPLETED, before.report)
        after = await new.engine.status(name)
        assert [(each.stage, each.done, each.failed) for each in after.stages] == [
            (each.stage, each.done, each.failed) for each in before.stages
        ]
        facts = await facts_of(new, name)
        assert facts["infer/b0-u00000-r0m0-c0000002"].failure == LOST
        assert await Restoring(new.bus, new.objects).restore() == []

    asyncio.run(steps())


def test_an_unfinished_evaluation_is_paused_and_goes_on_without_doing_again_what_is_done() -> None:
    async def steps() -> None:
        platform = await Storing().start()
        name = await submit(platform, a_request(batch_cases=2))
        await platform.work(Stage.PREPARE)
        await platform.work(Stage.INGEST)
        await platform.work(Stage.BUILD)
        await platform.work(Stage.INFER, at_most=2)

        new = await without_its_bus(platform)
        (record,) = await Restoring(new.bus, new.objects).restore()
        assert (record.state, record.resumes_to) == (EvaluationState.PAUSED, EvaluationState.RUNNING)
        await new.engine.sweep()
        assert await new.queued(name) == []
        await new.steering.resume(name, None)
        await new.finish()
        assert (await new.engine.status(name)).state is EvaluationState.COMPLETED
        assert [item for item in new.ran if not item.startswith("score/")] == [
            "infer/b0-u00000-r0m0-c0000004",
            "report/report",
        ]

    asyncio.run(steps())


def test_an_evaluation_that_was_not_planned_is_prepared_again() -> None:
    async def steps() -> None:
        platform = await Storing().start()
        name = await submit(platform)
        new = await without_its_bus(platform)
        (record,) = await Restoring(new.bus, new.objects).restore(resume=True)
        assert record.state is EvaluationState.PREPARING
        await new.engine.sweep()
        await new.finish()
        assert (await new.engine.status(name)).state is EvaluationState.COMPLETED

    asyncio.run(steps())


def test_every_evaluation_of_a_store_is_found_with_one_listing_each() -> None:
    async def steps() -> None:
        platform = await FakePlatform().start()
        for number in range(5):
            for item in range(20):
                platform.store(object_keys.answers(f"ev-{number}", f"i{item}"), b"x")
            platform.store(object_keys.request(f"ev-{number}"), encode(a_request(key=str(number))))
        restored = await Restoring(platform.bus, platform.objects).restore()
        assert [record.evaluation_id for record in restored] == [f"ev-{number}" for number in range(5)]

    asyncio.run(steps())

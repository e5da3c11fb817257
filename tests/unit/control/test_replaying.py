"""What failed is done again under new names; facts and results stay what they are."""

from __future__ import annotations

import asyncio

import pytest

from bakeoff.contract import subjects
from bakeoff.contract.stored import decode
from bakeoff.contract.work_codec import done_fact_from_bytes
from bakeoff.control.engine import Engine
from bakeoff.control.replaying import Replays
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import EvaluationState, Stage
from bakeoff.domain.work import DoneFact, InferTask, Plan, ScoreTask
from tests.builders import a_recipe, a_request
from tests.unit.control.platform import FakePlatform
from tests.unit.control.test_engine import scenario, submit

REQUEST = a_request(batch_cases=2, recipes=[a_recipe("one"), a_recipe("two")])
FAILED = "infer/b0-u00000-r1m0-c0000002"


def replays(platform: FakePlatform) -> Replays:
    return Replays(platform.bus, platform.objects, platform.engine.states)


async def facts_of(platform: FakePlatform, name: str) -> dict[str, DoneFact]:
    facts = [done_fact_from_bytes(message.data) for message in await platform.bus.messages(subjects.done_of(name))]
    return {f"{fact.stage.value}/{fact.item}": fact for fact in facts}


async def plan_of(platform: FakePlatform, name: str) -> Plan:
    record = await platform.engine.states.need(name)
    assert record.plan is not None
    return decode(platform.objects.read(record.plan), Plan)


def test_only_what_failed_and_what_needs_it_runs_again() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform, REQUEST)
        await platform.finish()
        before, ran = await facts_of(platform, name), len(platform.ran)

        platform.fail.clear()
        replayed = await replays(platform).replay(name)
        await platform.engine.advance(name, look=True)
        await platform.finish()

        again = [f"{FAILED}-attempt2", FAILED.replace("infer", "score") + "-attempt2"]
        assert list(replayed.items) == again
        assert platform.ran[ran:] == [*again, "report/report-attempt2"]
        status = await platform.engine.status(name)
        assert (status.state, sum(stage.failed for stage in status.stages)) == (EvaluationState.COMPLETED, 0)
        assert status.report is not None
        assert status.report.key.endswith("report-attempt2/report.json")
        after = await facts_of(platform, name)
        assert {each: after[each] for each in before} == before, "facts are for ever"

        plan = await plan_of(platform, name)
        bodies = {item.name: item.task.body for item in plan.items}
        score = bodies[again[1]]
        assert isinstance(score, ScoreTask)
        assert score.infer_item == again[0].partition("/")[2]
        assert isinstance(bodies[again[0]], InferTask)
        with pytest.raises(InvalidInputError, match="nothing to replay"):
            await replays(platform).replay(name)

    scenario(steps, fail={FAILED: "told to"})


def test_a_failed_knowledge_base_takes_all_that_asked_it_along() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform, REQUEST)
        await platform.work(Stage.PREPARE)
        (build,) = (item.name for item in (await plan_of(platform, name)).items if item.task.stage is Stage.BUILD)
        platform.fail[build] = "no memory"
        await platform.finish()
        platform.fail.clear()
        replayed = await replays(platform).replay(name)
        assert len(replayed.items) == 1 + 2 * 6
        plan = await plan_of(platform, name)
        asked = {item.task.body.build_item for item in plan.items if isinstance(item.task.body, InferTask)}
        assert asked == {f"{build.partition('/')[2]}-attempt2"}

    scenario(steps)


def test_a_replay_that_fails_again_can_be_replayed_again() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform, REQUEST)
        await platform.finish()
        platform.fail[f"{FAILED}-attempt2"] = "still"
        await replays(platform).replay(name)
        await platform.engine.advance(name, look=True)
        await platform.finish()
        platform.fail.clear()
        replayed = await replays(platform).replay(name)
        assert replayed.items[0] == f"{FAILED}-attempt3"
        await platform.engine.advance(name, look=True)
        await platform.finish()
        assert (await platform.engine.status(name)).state is EvaluationState.COMPLETED
        assert len(platform.ran) == len(set(platform.ran))

    scenario(steps, fail={FAILED: "told to"})


def test_two_control_processes_that_replay_at_once_do_it_once() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform, REQUEST)
        await platform.finish()
        ran = len(platform.ran)
        platform.fail.clear()
        other = Engine(platform.bus, platform.objects, 64)
        both = [replays(platform), Replays(platform.bus, platform.objects, other.states)]
        results = await asyncio.gather(*(each.replay(name) for each in both))
        assert results[0] == results[1]
        await asyncio.gather(platform.engine.sweep(), other.sweep())
        await platform.finish()
        await asyncio.gather(platform.engine.sweep(), other.sweep())
        assert (await other.status(name)).state is EvaluationState.COMPLETED
        assert len(platform.ran) - ran == 3

    scenario(steps, fail={FAILED: "told to"})


def test_a_report_that_failed_is_made_again_and_nothing_else() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform, REQUEST)
        await platform.finish()
        assert (await platform.engine.status(name)).state is EvaluationState.FAILED
        ran = len(platform.ran)
        replayed = await replays(platform).replay(name)
        assert replayed.items == ()
        await platform.engine.advance(name, look=True)
        await platform.finish()
        assert platform.ran[ran:] == ["report/report-attempt2"]
        assert (await platform.engine.status(name)).state is EvaluationState.COMPLETED

    scenario(steps, fail={"report/report": "no room"})


def test_benchmarks_that_could_not_be_prepared_are_prepared_again() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform, REQUEST)
        await platform.finish()
        platform.fail.clear()
        assert (await replays(platform).replay(name)).items == ("prepare/b0",)
        await platform.engine.advance(name, look=True)
        await platform.finish()
        assert (await platform.engine.status(name)).state is EvaluationState.COMPLETED

    scenario(steps, fail={"prepare/b0": "not found"})


def test_what_runs_or_was_cancelled_cannot_be_replayed() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform, REQUEST)
        with pytest.raises(InvalidInputError, match="wait until it has ended"):
            await replays(platform).replay(name)
        await platform.steering.cancel(name, "")
        with pytest.raises(InvalidInputError, match="submit it again"):
            await replays(platform).replay(name)

    scenario(steps)


def test_a_cancelled_evaluation_that_is_submitted_again_scores_what_is_asked_again() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform, REQUEST)
        for stage in (Stage.PREPARE, Stage.INGEST, Stage.BUILD, Stage.INFER, Stage.SCORE):
            await platform.work(stage)
        await platform.steering.cancel(name, "")
        ran = len(platform.ran)
        platform.fail.clear()
        assert await submit(platform, REQUEST) == name
        await platform.finish()
        scored = FAILED.replace("infer", "score")
        assert scored in platform.ran[:ran], "of what failed"
        assert platform.ran[ran:] == [f"{FAILED}-attempt2", f"{scored}-attempt2", "report/report-attempt2"]

    scenario(steps, fail={FAILED: "told to"})

"""An evaluation goes from request to report, whatever is lost, doubled or stopped on the way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace

import pytest

from bakeoff.contract import subjects
from bakeoff.contract.codec import download_to_bytes, evaluation_status_from_wire, request_to_wire
from bakeoff.control.engine import Engine
from bakeoff.control.loops import Loops, read_request
from bakeoff.domain.errors import InvalidInputError, NotFoundError, UnavailableError
from bakeoff.domain.evaluation import Download, EvaluationState, Stage
from bakeoff.domain.work import InferTask
from bakeoff.runtime.bus import Message
from bakeoff.v1 import evaluation_pb2
from tests.builders import a_recipe, a_request
from tests.unit.control.platform import FakePlatform

REQUEST = a_request(batch_cases=2)


def scenario(steps: Callable[[FakePlatform], Coroutine[object, object, None]], **settings: object) -> None:
    async def run() -> None:
        await steps(await FakePlatform(**settings).start())  # type: ignore[arg-type]  # a wrong one fails at once

    asyncio.run(run())


async def submit(platform: FakePlatform, request: object = REQUEST) -> str:
    accepted = await platform.intake.accept(request)  # type: ignore[arg-type]  # as above
    await platform.engine.advance(accepted.record.evaluation_id)
    return accepted.record.evaluation_id


def test_an_evaluation_runs_through_all_stages_to_its_report() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform)
        assert await platform.queued(name) == ["prepare/b0"]
        await platform.finish()
        status = await platform.engine.status(name)
        assert status.state is EvaluationState.COMPLETED
        assert status.report is not None
        assert [(stage.stage.value, stage.planned, stage.done) for stage in status.stages] == [
            ("prepare", 1, 1),
            ("ingest", 1, 1),
            ("build", 1, 1),
            ("infer", 3, 3),  # five cases in batches of two
            ("score", 3, 3),
            ("report", 1, 1),
        ]
        assert [stage.done_cases for stage in status.stages] == [0, 0, 0, 5, 5, 0]
        kinds = [
            message.subject.rpartition(".")[2] for message in await platform.bus.messages(subjects.events_of(name))
        ]
        assert [kind for kind in kinds if kind != "progress"] == ["accepted", "prepared", "built", "completed"]

    scenario(steps)


def test_a_knowledge_base_that_two_recipes_share_is_built_once() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform, a_request(recipes=[a_recipe("one"), a_recipe("two")]))
        await platform.finish()
        builds = [item for item in platform.ran if item.startswith("build/")]
        assert len(builds) == platform.units
        assert len({item for item in platform.ran if item.startswith("infer/")}) == 2 * platform.units
        assert (await platform.engine.status(name)).state is EvaluationState.COMPLETED

    scenario(steps, units=3)


def test_a_recipe_that_answers_without_a_knowledge_base_builds_none() -> None:
    async def steps(platform: FakePlatform) -> None:
        closed_book = a_recipe("closed book", query=(), answer="extractive")
        name = await submit(platform, a_request(recipes=[closed_book]))
        await platform.finish()
        plan = await platform.plan(name)
        assert not [item for item in plan.items if item.task.stage is Stage.BUILD]
        bodies = [item.task.body for item in plan.items if isinstance(item.task.body, InferTask)]
        assert {(str(body.entrant), body.kb_id, body.mode) for body in bodies} == {("closed book/direct", "", None)}
        assert (await platform.engine.status(name)).state is EvaluationState.COMPLETED

    scenario(steps)


def test_the_plan_fixes_every_denominator_with_all_settings_filled_in() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform)
        await platform.finish()
        plan = await platform.plan(name)
        assert (plan.benchmarks[0].cases, plan.benchmarks[0].units) == (10, 2)
        assert [str(spec) for spec in plan.benchmarks[0].evaluators] == ["recall(k=100)"]
        assert str(plan.request.recipes[0].build.indexes[0]) == "bm25(k1=1.5)"
        assert plan.versions["index:bm25"] == "3"
        assert plan.versions["evaluator:recall"] == "2"

    scenario(steps, units=2)


def test_one_key_is_one_evaluation_whichever_way_and_however_often_it_comes() -> None:
    async def steps(platform: FakePlatform) -> None:
        request = a_request(key="mine")
        loops = Loops(platform.bus, platform.engine, platform.intake, 0.05)
        running = asyncio.create_task(loops.run())
        for _ in range(2):
            await platform.bus.publish(
                subjects.request("default"), request_to_wire(request).SerializeToString(), headers={}
            )
        accepted = await asyncio.gather(*(platform.intake.accept(request) for _ in range(5)))
        while await platform.bus.pending(subjects.REQUEST_CONSUMER):
            await asyncio.sleep(0.01)
        running.cancel()
        assert len({each.record.evaluation_id for each in accepted}) == 1
        assert sum(each.created for each in accepted) <= 1
        assert len(await platform.engine.states.all()) == 1
        await platform.finish()
        assert len(platform.ran) == len(set(platform.ran))

    scenario(steps)


def test_a_key_that_belongs_to_another_question_is_refused() -> None:
    async def steps(platform: FakePlatform) -> None:
        await submit(platform, a_request(key="mine"))
        with pytest.raises(InvalidInputError, match=r"'mine'.*another"):
            await platform.intake.accept(a_request(key="mine", seed=7))
        # How it is run is no part of the question.
        again = await platform.intake.accept(a_request(key="mine", batch_cases=1))
        assert not again.created

    scenario(steps)


def test_lost_tasks_and_lost_facts_cost_a_sweep_and_nothing_else() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform)
        await platform.work(Stage.PREPARE)
        await platform.bus.purge(subjects.tasks_of(name))  # every queued task is lost
        await platform.engine.sweep()
        while await platform.work(tell=False):  # and control hears of nothing
            await platform.engine.sweep()
        assert (await platform.engine.status(name)).state is EvaluationState.COMPLETED
        assert len(platform.ran) == len(set(platform.ran))

    scenario(steps)


def test_a_control_process_that_starts_in_the_middle_goes_on() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform)
        rounds = 0
        while await platform.work(tell=False, at_most=1):
            platform.engine = Engine(platform.bus, platform.objects, 64)  # the old one died
            await platform.engine.sweep()
            rounds += 1
        assert (await platform.engine.status(name)).state is EvaluationState.COMPLETED
        assert rounds > 3
        assert len(platform.ran) == len(set(platform.ran))

    scenario(steps)


def test_two_control_processes_at_once_do_no_harm() -> None:
    async def steps(platform: FakePlatform) -> None:
        other = Engine(platform.bus, platform.objects, 64)
        name = await submit(platform)
        while await platform.work(tell=False):
            await asyncio.gather(platform.engine.sweep(), other.sweep())
        assert (await other.status(name)).state is EvaluationState.COMPLETED
        assert len(platform.ran) == len(set(platform.ran))

    scenario(steps)


def test_a_benchmark_that_cannot_be_prepared_fails_the_evaluation_with_its_reason() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform)
        await platform.finish()
        status = await platform.engine.status(name)
        assert (status.state, status.reason) == (EvaluationState.FAILED, "corpus.jsonl is not there")

        # Submitting it again, with the cause mended, takes it up again.
        platform.fail.clear()
        assert (await submit(platform)) == name
        await platform.finish()
        assert (await platform.engine.status(name)).state is EvaluationState.COMPLETED

    scenario(steps, fail={"prepare/b0": "corpus.jsonl is not there"})


def test_a_failed_item_does_not_stop_the_others() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform)
        await platform.finish()
        status = await platform.engine.status(name)
        assert status.state is EvaluationState.COMPLETED
        assert [stage.failed for stage in status.stages] == [0, 0, 0, 1, 0, 0]

    scenario(steps, fail={"infer/b0-u00000-r0m0-c0000002": "the model is gone"})


def test_cancel_takes_queued_tasks_back_and_keeps_what_is_done() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform)
        await platform.work(Stage.PREPARE)
        await platform.work(Stage.INGEST)
        await platform.work(Stage.BUILD)
        await platform.work(Stage.INFER, at_most=1)
        record = await platform.steering.cancel(name, "enough")
        assert (record.state, record.reason) == (EvaluationState.CANCELLED, "enough")
        assert await platform.queued(name) == []
        await platform.engine.sweep()
        assert await platform.queued(name) == []

        before = list(platform.ran)
        assert (await submit(platform)) == name  # the same request again
        await platform.finish()
        assert (await platform.engine.status(name)).state is EvaluationState.COMPLETED
        assert len(platform.ran) == len(set(platform.ran)), "nothing that was done is done again"
        assert platform.ran[: len(before)] == before

    scenario(steps)


def test_pause_releases_nothing_more_and_resume_goes_on() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform)
        await platform.work(Stage.PREPARE)
        assert (await platform.steering.pause(name)).state is EvaluationState.PAUSED
        assert await platform.queued(name) == []
        await platform.engine.sweep()
        assert await platform.queued(name) == []
        assert (await platform.steering.resume(name, None)).state is EvaluationState.RUNNING
        await platform.finish()
        assert (await platform.engine.status(name)).state is EvaluationState.COMPLETED

    scenario(steps)


def test_concurrency_bounds_what_is_released_and_can_be_changed_on_the_way() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform, a_request(batch_cases=1, concurrency=2))
        for stage in (Stage.PREPARE, Stage.INGEST, Stage.BUILD):
            await platform.work(stage)
        assert len(await platform.queued(name)) == 2
        await platform.steering.resume(name, 4)
        assert len(await platform.queued(name)) == 4
        await platform.steering.resume(name, 1)
        assert len(await platform.queued(name)) == 1

    scenario(steps)


def test_what_has_ended_cannot_be_paused_and_what_is_not_there_cannot_be_found() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform)
        await platform.finish()
        with pytest.raises(InvalidInputError, match="completed"):
            await platform.steering.pause(name)
        assert (await platform.steering.cancel(name, "")).state is EvaluationState.COMPLETED
        with pytest.raises(NotFoundError, match="ev-nope"):
            await platform.engine.status("ev-nope")

    scenario(steps)


def test_a_small_evaluation_does_not_wait_behind_a_large_one() -> None:
    async def steps(platform: FakePlatform) -> None:
        large = await submit(platform, a_request(tenant="a", batch_cases=1))
        platform.cases = 2
        small = await submit(platform, a_request(tenant="b", batch_cases=1))
        for stage in (Stage.PREPARE, Stage.INGEST, Stage.BUILD):
            await platform.work(stage)
        await platform.engine.sweep()
        assert len(await platform.queued(small)) == 2
        assert len(await platform.queued(large)) <= 64

    scenario(steps, cases=300)


def test_a_watcher_sees_each_change_and_the_end() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform)
        seen = []

        async def watch() -> None:
            seen.extend([status.state.value async for status in platform.engine.watch(name)])

        watching = asyncio.create_task(watch())
        while await platform.work(at_most=1):
            await asyncio.sleep(0.01)
        await watching
        assert seen[0] == "preparing"
        assert seen[-1] == "completed"
        assert "running" in seen

    scenario(steps)


def test_a_request_is_refused_with_all_its_faults_before_anything_is_stored() -> None:
    async def steps(platform: FakePlatform) -> None:
        request = a_request(name="", recipes=[a_recipe("one"), a_recipe("one")])
        with pytest.raises(InvalidInputError) as refusal:
            await platform.intake.accept(request)
        assert {violation.field for violation in refusal.value.violations} >= {"name", "recipes[1].name"}
        assert await platform.engine.states.all() == []
        assert list(platform.objects.list("")) == []

    scenario(steps)


def test_a_platform_whose_services_have_not_announced_themselves_is_unavailable() -> None:
    async def run() -> None:
        platform = await FakePlatform().start(announce=False)
        with pytest.raises(UnavailableError, match="is it running"):
            await platform.intake.accept(REQUEST)

    asyncio.run(run())


def test_a_request_on_the_bus_is_of_the_tenant_of_its_subject_whatever_it_says() -> None:
    data = request_to_wire(a_request(tenant="a")).SerializeToString()
    assert read_request(subjects.request("a"), data).tenant == "a"
    assert read_request(subjects.request("b"), data).tenant == "b"
    with pytest.raises(InvalidInputError, match="no EvaluationRequest"):
        read_request(subjects.request("a"), b"\xff\xff\xff")


def test_an_ended_evaluation_is_seen_whole_while_the_sweep_lets_go_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform)
        await platform.finish()
        messages = platform.bus.messages

        async def swept(filter: str) -> list[Message]:
            await platform.engine.sweep()
            return await messages(filter)

        monkeypatch.setattr(platform.bus, "messages", swept)
        view = await platform.engine.view(name)
        assert view.record.state is EvaluationState.COMPLETED
        assert all(counts.done == counts.planned > 0 for counts in view.counts.values())

    scenario(steps)


def test_a_download_is_shown_to_whoever_follows_until_all_is_prepared() -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform)
        assert (await platform.engine.status(name)).downloads == ()
        for received in (5, 10):
            told = Download("set", "https://data.example/set.zip", received, 20)
            await platform.bus.publish(subjects.download(name, "b0"), download_to_bytes(told))
        await platform.bus.publish(subjects.download("another", "b0"), download_to_bytes(replace(told, benchmark="b")))
        assert (await platform.engine.status(name)).downloads == (told,)
        await platform.engine.sweep()
        event = await platform.bus.last(subjects.event(name, "progress"))
        assert event is not None
        said = evaluation_status_from_wire(evaluation_pb2.EvaluationEvent.FromString(event.data).evaluation)
        assert (said.state, said.downloads) == (EvaluationState.PREPARING, (told,))
        await platform.work(Stage.PREPARE)
        await platform.engine.advance(name, look=True)
        assert (await platform.engine.status(name)).downloads == ()

    scenario(steps)


def test_a_refused_bus_request_is_told_as_a_failed_event() -> None:
    async def steps(platform: FakePlatform) -> None:
        request = a_request(recipes=[], key="k")
        running = asyncio.create_task(Loops(platform.bus, platform.engine, platform.intake, 0.05).run())
        await platform.bus.publish(subjects.request("default"), request_to_wire(request).SerializeToString())
        while not (found := await platform.bus.messages("bakeoff.v1.event.*.failed")):
            await asyncio.sleep(0.01)
        running.cancel()
        event = evaluation_pb2.EvaluationEvent.FromString(found[0].data)
        assert "at least one recipe" in event.evaluation.reason

    scenario(steps)


def test_an_evaluation_that_nobody_can_read_or_move_on_keeps_no_other_from_its_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def steps(platform: FakePlatform) -> None:
        await platform.bus.kv_put(subjects.STATES_BUCKET, "0-of-a-later-version", b'{"no": "document"}')
        first, second = sorted([await submit(platform, a_request(key=key)) for key in ("one", "two")])
        advance = platform.engine.advance

        async def stumbling(evaluation_id: str, *, look: bool = False) -> None:
            if evaluation_id == first:
                raise RuntimeError("a fault of ours")
            await advance(evaluation_id, look=look)

        monkeypatch.setattr(platform.engine, "advance", stumbling)
        for _ in Stage:
            await platform.work(tell=False)
            await platform.engine.sweep()
        assert (await platform.engine.status(first)).state is not EvaluationState.COMPLETED
        assert (await platform.engine.status(second)).state is EvaluationState.COMPLETED

    scenario(steps)

"""A rolling upgrade: scoring workers of the previous version and of the next take from one queue."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from bakeoff.contract import object_keys, subjects
from bakeoff.contract.stored import encode
from bakeoff.contract.work_codec import done_fact_from_bytes
from bakeoff.domain.component import ComponentCard, ComponentKind
from bakeoff.domain.evaluation import EvaluationState, Stage
from bakeoff.domain.work import ItemOutcome, Task
from bakeoff.runtime.cancellations import Cancellations
from bakeoff.runtime.items import ItemContext, Result, StageHandler
from bakeoff.runtime.service import Deps, Peers
from bakeoff.runtime.settings import Settings
from bakeoff.runtime.task_versions import TaskVersions
from bakeoff.runtime.worker import Worker
from tests.builders import a_recipe, a_request
from tests.unit.control.platform import CARDS, FakePlatform
from tests.unit.control.test_engine import submit
from tests.unit.runtime.test_worker import Alone

PLANNED = tuple(card for card in CARDS if card.kind is ComponentKind.EVALUATOR)
OTHER = tuple(replace(card, version="other") for card in PLANNED)
SETTINGS = Settings(ack_wait_s=1.0, slots=1)


def worker(platform: FakePlatform, cards: Sequence[ComponentCard], did: list[str], upgrade_s: float) -> Worker:
    """Return a worker of the stage `score` that has these methods and remembers what it did."""

    def handle(task: Task, context: ItemContext) -> Result:
        did.append(task.item)
        return Result(b"scores")

    handler = StageHandler(Stage.SCORE, lambda task: object_keys.scores(task.evaluation_id, task.item), handle)
    deps = Deps(SETTINGS, platform.objects, platform.bus, Peers({}))
    versions = TaskVersions(platform.bus, "scoring", cards, upgrade_s)
    return Worker(deps, handler, "none", Alone(), Cancellations(platform.bus), versions)


@contextlib.asynccontextmanager
async def at_work(*workers: Worker) -> AsyncIterator[None]:
    stopping = asyncio.Event()
    running = [asyncio.create_task(each.run(stopping)) for each in workers]
    try:
        yield
    finally:
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def until_ended(platform: FakePlatform, name: str) -> None:
    async with asyncio.timeout(30):
        while not (await platform.engine.status(name)).state.ended:
            await platform.work(Stage.PREPARE, Stage.INGEST, Stage.BUILD, Stage.INFER, Stage.REPORT, tell=False)
            await platform.engine.sweep()
            await asyncio.sleep(0.01)


Cards = Sequence[ComponentCard]


def outcomes(announced: Cards, upgrade_s: float, *workers: Cards) -> list[list[str]]:
    """Run an evaluation of four score items that was planned with PLANNED; return what each worker did.

    It must complete without a failed item.
    """

    async def run() -> list[list[str]]:
        platform = await FakePlatform(units=2).start()
        await platform.bus.kv_put(subjects.COMPONENTS_BUCKET, "scoring", encode(tuple(announced)))
        did: list[list[str]] = [[] for _ in workers]
        async with at_work(*(worker(platform, cards, did[i], upgrade_s) for i, cards in enumerate(workers))):
            name = await submit(platform, a_request(batch_cases=3, recipes=[a_recipe("one")]))
            await until_ended(platform, name)
        status = await platform.engine.status(name)
        assert (status.state, sum(stage.failed for stage in status.stages)) == (EvaluationState.COMPLETED, 0)
        return did

    return asyncio.run(run())


def test_what_was_planned_with_the_next_version_is_left_to_its_workers() -> None:
    previous, following = outcomes(PLANNED, 0.0, OTHER, PLANNED)
    assert (len(previous), len(following)) == (0, 4)


def test_what_was_planned_with_the_previous_version_is_left_to_its_workers_while_there_are_some() -> None:
    # The next version is announced after the plan was made: `control` still plans with all that is announced.
    previous, following = outcomes((), 60.0, PLANNED, OTHER)
    assert (len(previous), len(following)) == (4, 0)


def test_what_nobody_can_do_any_more_fails_with_its_reason() -> None:
    async def run() -> None:
        platform = await FakePlatform(units=1).start()
        async with at_work(worker(platform, OTHER, [], 0.0)):
            name = await submit(platform, a_request(batch_cases=5, recipes=[a_recipe("one")]))
            await until_ended(platform, name)
        (message,) = await platform.bus.messages(subjects.done_of(name, Stage.SCORE))
        fact = done_fact_from_bytes(message.data)
        assert fact.outcome is ItemOutcome.FAILED
        assert fact.failure is not None
        assert "evaluator:recall 2, here other" in fact.failure.reason
        assert len(await platform.bus.subjects(subjects.dead(name, Stage.SCORE, fact.item))) == 1

    asyncio.run(run())


def test_a_task_says_which_versions_its_stage_needs() -> None:
    async def run() -> None:
        platform = await FakePlatform().start()
        seen: dict[Stage, dict[str, str]] = {}
        outcome = platform.outcome

        def spy(task: Task) -> object:
            seen[task.stage] = task.versions
            return outcome(task)

        platform.outcome = spy  # type: ignore[method-assign,assignment]
        await submit(platform, a_request(recipes=[a_recipe("one")]))
        await platform.finish()
        assert seen[Stage.SCORE] == {"evaluator:recall": "2"}
        assert seen[Stage.INFER] == {"query_engine:full_text_search": "1"}
        assert seen[Stage.BUILD]["index:bm25"] == "3"
        assert seen[Stage.REPORT] == seen[Stage.PREPARE] == {}

    asyncio.run(run())

"""Why an evaluation does not go on is said with what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace

import pytest

from bakeoff.contract import subjects
from bakeoff.contract.stored import encode
from bakeoff.control.diagnosis import StageSight, diagnose
from bakeoff.control.examining import Examination
from bakeoff.control.frontier import StageCounts
from bakeoff.domain.diagnosis import Diagnosis
from bakeoff.domain.evaluation import EvaluationRecord, EvaluationState, ObjectRef, Stage
from bakeoff.domain.work import DoneFact, ItemOutcome
from bakeoff.runtime.bus import Standing
from tests.builders import a_request
from tests.unit.control.platform import CARDS, FakePlatform
from tests.unit.control.test_engine import scenario, submit

RUNNING = EvaluationRecord("ev-1", "n", "t", EvaluationState.RUNNING, "", ObjectRef("", "", 0))


def sight(
    standing: Standing | None, *, queued: int = 3, ready: int = 0, released: int = 3, limit: int = 8
) -> StageSight:
    return StageSight(StageCounts(planned=9, done=2, released=released), queued, ready, limit, standing)


@pytest.mark.parametrize(
    ("seen", "ok", "said"),
    [
        (sight(None), False, "consumer is missing"),
        (sight(Standing(3, 0, 0, 0)), False, "no worker takes any"),
        (sight(Standing(0, 0, 0, 2)), False, "all their deliveries are used"),
        (sight(Standing(1, 2, 2, 0)), False, "their workers died or gave no sign of life"),
        (replace(sight(Standing(3, 0, 0, 1)), others=("index:bm25 2, not 1",)), False, "index:bm25 2, not 1"),
        (sight(Standing(2, 1, 0, 0)), True, "3 are queued or in hand"),
        (sight(Standing(3, 0, 0, 1)), True, "3 are queued or in hand"),
        (sight(Standing(0, 4, 0, 0), queued=0, ready=5, released=8), True, "5 wait for the window of 8"),
    ],
)
def test_each_way_of_being_stuck_is_told_apart(seen: StageSight, ok: bool, said: str) -> None:
    state, found = diagnose(RUNNING, {Stage.INFER: seen}, [])
    assert state.ok
    assert (found.name, found.ok) == ("stage infer", ok)
    assert said in found.detail
    assert bool(found.advice) is not ok


def test_a_stage_whose_turn_has_not_come_is_not_looked_at() -> None:
    waiting = StageSight(StageCounts(planned=9), 0, 0, 8, Standing(0, 0, 0, 0))
    assert len(diagnose(RUNNING, {Stage.SCORE: waiting}, [])) == 1


def test_the_most_frequent_reasons_of_failed_cases_are_told() -> None:
    fact = DoneFact("ev-1", Stage.INFER, "a", ItemOutcome.DONE, counts={"cases": 9, "failed_cases": 4})
    scored = DoneFact("ev-1", Stage.SCORE, "a", ItemOutcome.DONE, counts={"cases": 9, "failed_cases": 4})
    reasons = ["the model at http://m does not answer"] * 3 + ["too long"]
    _, found = diagnose(RUNNING, {}, [fact, scored], reasons)
    assert found.detail == "4 in 1 items: the model at http://m does not answer (3×); too long"
    assert "--failed-cases" in found.advice


def looked(
    then: Callable[[FakePlatform, str, list[Diagnosis]], Coroutine[object, object, None]], **settings: object
) -> None:
    async def steps(platform: FakePlatform) -> None:
        name = await submit(platform, a_request(batch_cases=2))
        await platform.work(Stage.PREPARE)
        await then(platform, name, await Examination(platform.engine, platform.bus, platform.objects).look(name))

    scenario(steps, **settings)


def test_a_running_evaluation_without_workers_is_found_stuck() -> None:
    async def then(platform: FakePlatform, name: str, found: list[Diagnosis]) -> None:
        assert [(each.name, each.ok) for each in found] == [("state", True), ("stage ingest", False)]
        assert "bakeoff serve ingestion" in found[1].advice
        assert await platform.bus.subjects(subjects.tasks_of(name))

    looked(then)


def test_a_paused_and_a_completed_one_are_told_as_what_they_are() -> None:
    async def then(platform: FakePlatform, name: str, found: list[Diagnosis]) -> None:
        examination = Examination(platform.engine, platform.bus, platform.objects)
        await platform.steering.pause(name)
        (paused,) = await examination.look(name)
        assert (paused.ok, paused.advice) == (False, f"bakeoff resume {name}")
        await platform.steering.resume(name, None)
        await platform.finish()
        state, failed = await examination.look(name)
        assert (state.ok, state.detail) == (True, "completed")
        assert (failed.name, failed.detail) == ("failed items of score", "1 were given up: told to")
        assert f"bakeoff dead replay {name}" in failed.advice

    looked(then, fail={"score/b0-u00000-r0m0-c0000000": "told to"})


def test_what_only_workers_of_an_earlier_version_can_do_is_told() -> None:
    async def then(platform: FakePlatform, name: str, found: list[Diagnosis]) -> None:
        await platform.work(Stage.INGEST)
        newer = tuple(replace(card, version="9") if card.name == "bm25" else card for card in CARDS)
        await platform.bus.kv_put(subjects.COMPONENTS_BUCKET, "all", encode(newer))
        await platform.bus.fetch(subjects.stage_consumer(Stage.BUILD, 30.0), 1, 0.01)
        found = await Examination(platform.engine, platform.bus, platform.objects).look(name)
        assert [(each.name, each.ok) for each in found] == [("state", True), ("stage build", False)]
        assert "index:bm25 9, not 3" in found[1].detail

    looked(then)

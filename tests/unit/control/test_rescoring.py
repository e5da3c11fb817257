"""Stored answers are scored with other methods: nothing is prepared, built or asked again, whatever happens."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bakeoff.contract import object_keys, subjects
from bakeoff.contract.codec import request_to_wire
from bakeoff.contract.stored import decode, encode
from bakeoff.contract.work_codec import done_fact_from_bytes
from bakeoff.control.engine import Engine
from bakeoff.control.loops import Loops
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec, Setting
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest, EvaluationState, Rescoring, Stage
from bakeoff.domain.work import DoneFact, Plan, ScoreTask
from tests.builders import a_recipe, a_request
from tests.unit.control.platform import CARDS, FakePlatform
from tests.unit.control.test_engine import scenario, submit

OWN = ("score/", "report/")


def rescoring(of: str, *evaluators: str, add: bool = False, name: str = "", key: str = "") -> EvaluationRequest:
    specs = tuple(map(ComponentSpec.parse, evaluators))
    return EvaluationRequest(name, (), (), idempotency_key=key, rescoring=Rescoring(of, specs, add))


async def evaluated(platform: FakePlatform, **settings: object) -> str:
    """Return an evaluation that has ended, and forget what was done for it."""
    name = await submit(platform, a_request(batch_cases=2, **settings))  # type: ignore[arg-type]  # as in a_request
    await platform.finish()
    platform.ran.clear()
    return name


async def facts(platform: FakePlatform, name: str) -> dict[str, DoneFact]:
    messages = await platform.bus.messages(subjects.done_of(name))
    found = [done_fact_from_bytes(message.data) for message in messages]
    return {f"{fact.stage.value}/{fact.item}": fact for fact in found}


def methods(plan: Plan) -> list[str]:
    return [str(spec) for spec in plan.benchmarks[0].evaluators]


def test_only_scores_and_report_are_made_anew() -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await evaluated(platform)
        again = await submit(platform, rescoring(first, "recall(k=3)"))
        assert again != first
        await platform.finish()
        status = await platform.engine.status(again)
        assert status.state is EvaluationState.COMPLETED
        assert len(platform.ran) == 3 + 1
        assert all(item.startswith(OWN) for item in platform.ran)
        assert [(each.stage.value, each.planned, each.done) for each in status.stages if each.planned] == [
            ("score", 3, 3),
            ("report", 1, 1),
        ]

    scenario(steps)


def test_its_answers_are_the_stored_ones_of_the_first_evaluation() -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await evaluated(platform)
        again = await submit(platform, rescoring(first, "recall(k=3)"))
        await platform.finish()
        ours, theirs = await facts(platform, again), await facts(platform, first)
        taken = {name for name in theirs if not name.startswith(OWN)}
        assert {name.partition("/")[0] for name in taken} == {"prepare", "ingest", "build", "infer"}
        for name in taken:
            assert replace(ours[name], evaluation_id=first) == theirs[name]
        assert all(ours[name].result != theirs[name].result for name in theirs.keys() - taken)

    scenario(steps)


def test_its_plan_has_the_cases_of_the_first_and_the_methods_that_were_asked_for() -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await evaluated(platform, seed=7)
        again = await submit(platform, rescoring(first, "recall"))
        plan, earlier = await platform.plan(again), await platform.plan(first)
        assert methods(plan) == ["recall(k=10)"]  # with every default filled in
        assert plan.benchmarks[0].cases == earlier.benchmarks[0].cases
        bodies = [item.task.body for item in plan.items if isinstance(item.task.body, ScoreTask)]
        assert {str(spec) for body in bodies for spec in body.evaluators} == {"recall(k=10)"}
        assert {body.seed for body in bodies} == {7}
        assert plan.request.rescoring == Rescoring(first)
        assert plan.request.recipes == earlier.request.recipes
        assert plan.request.name == "a bake-off, re-scored"
        assert plan.versions == earlier.versions

    scenario(steps)


def test_further_methods_come_behind_those_there_were_and_none_twice() -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await evaluated(platform)
        again = await submit(platform, rescoring(first, "recall(k=100)", "recall(k=3)", add=True))
        assert methods(await platform.plan(again)) == ["recall(k=100)", "recall(k=3)"]

    scenario(steps)


def test_the_versions_of_the_methods_are_those_of_now() -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await evaluated(platform)
        newer = [replace(card, version="3") if card.kind is ComponentKind.EVALUATOR else card for card in CARDS]
        await platform.bus.kv_put(subjects.COMPONENTS_BUCKET, "all", encode(tuple(newer)))
        plan = await platform.plan(await submit(platform, rescoring(first, "recall(k=100)")))
        assert plan.versions["evaluator:recall"] == "3"
        assert plan.versions["index:bm25"] == "3"

    scenario(steps)


def test_the_same_methods_give_the_same_evaluation_and_other_versions_or_methods_another() -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await evaluated(platform)
        again = await submit(platform, rescoring(first, "recall(k=3)"))
        assert await submit(platform, rescoring(first, "recall(k=3)")) == again
        assert await submit(platform, rescoring(first, "recall(k=4)")) != again
        assert await submit(platform, rescoring(first, "recall(k=3)", add=True)) != again
        assert await submit(platform, rescoring(first, "recall(k=3)", key="fresh")) != again
        newer = [replace(card, version="3") if card.kind is ComponentKind.EVALUATOR else card for card in CARDS]
        await platform.bus.kv_put(subjects.COMPONENTS_BUCKET, "all", encode(tuple(newer)))
        assert await submit(platform, rescoring(first, "recall(k=3)")) != again

    scenario(steps)


def test_the_answers_of_a_rescoring_are_those_of_the_evaluation_that_asked() -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await evaluated(platform)
        second = await submit(platform, rescoring(first, "recall(k=3)"))
        await platform.finish()
        third = await submit(platform, rescoring(second, "recall(k=4)", add=True))
        await platform.finish()
        plan = await platform.plan(third)
        assert (plan.request.rescoring, methods(plan)) == (Rescoring(first), ["recall(k=3)", "recall(k=4)"])
        assert plan.request.name == "a bake-off, re-scored"
        assert (await platform.engine.status(third)).state is EvaluationState.COMPLETED
        # By whichever way the answers were found, the same methods are the same evaluation.
        assert await submit(platform, rescoring(second, "recall(k=3)")) == second

    scenario(steps)


def test_questions_that_failed_stay_failed_and_are_not_asked_again() -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await submit(platform, a_request(batch_cases=2))
        await platform.work(Stage.PREPARE)
        infer = next(item for item in (await platform.plan(first)).items if item.task.stage is Stage.INFER)
        platform.fail = {infer.name: "the endpoint is gone"}
        await platform.finish()
        platform.fail = {"report/report": "the disk is full"}
        platform.ran.clear()
        again = await submit(platform, rescoring(first, "recall(k=3)"))
        await platform.finish()
        assert (await platform.engine.status(again)).state is EvaluationState.FAILED

        # Submitted again, it does its own work again, and nothing that it took over.
        platform.fail.clear()
        assert await submit(platform, rescoring(first, "recall(k=3)")) == again
        await platform.finish()
        assert (await platform.engine.status(again)).state is EvaluationState.COMPLETED
        taken = (await facts(platform, again))[infer.name]
        assert taken.failure is not None
        assert taken.failure.reason == "the endpoint is gone"
        assert all(item.startswith(OWN) for item in platform.ran)

    scenario(steps)


def test_a_control_process_that_starts_in_the_middle_asks_nothing_again_even_when_facts_are_lost() -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await evaluated(platform)
        again = await submit(platform, rescoring(first, "recall(k=3)"))
        for message in await platform.bus.messages(subjects.done_of(again, Stage.INFER)):
            await platform.bus.remove(subjects.DONE, message.sequence)
        while await platform.work(tell=False, at_most=1):
            platform.engine = Engine(platform.bus, platform.objects, 64)
            await platform.engine.sweep()
        assert (await platform.engine.status(again)).state is EvaluationState.COMPLETED
        assert all(item.startswith(OWN) for item in platform.ran)

    scenario(steps)


@pytest.mark.parametrize(
    ("evaluator", "told"),
    [
        ("recal(k=3)", r"rescoring.evaluators\[1\].*did you mean 'recall'\? known: recall"),
        ("recall(depth=3)", r"rescoring.evaluators\[1\].depth.*allowed: k"),
        ("recall(k=many)", r"rescoring.evaluators\[1\].k: must be int, not str 'many'"),
    ],
)
def test_a_method_that_is_not_known_is_refused_before_anything_is_done(evaluator: str, told: str) -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await evaluated(platform)
        before = list(platform.objects.list(""))
        with pytest.raises(InvalidInputError, match=told):
            await platform.intake.accept(rescoring(first, "recall", evaluator))
        assert [record.evaluation_id for record in await platform.engine.states.all()] == [first]
        assert list(platform.objects.list("")) == before

    scenario(steps)


def test_an_evaluation_that_does_not_exist_has_no_answers() -> None:
    async def steps(platform: FakePlatform) -> None:
        with pytest.raises(NotFoundError, match="there is no evaluation 'ev-nowhere'"):
            await platform.intake.accept(rescoring("ev-nowhere", "recall"))

    scenario(steps)


def test_an_evaluation_that_has_not_completed_is_refused_with_its_state() -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await submit(platform)
        with pytest.raises(InvalidInputError, match=rf"{first} is preparing: .* wait until"):
            await platform.intake.accept(rescoring(first, "recall"))
        await platform.steering.cancel(first, "enough")
        with pytest.raises(InvalidInputError, match=rf"{first} is cancelled \(enough\): .* submit it again"):
            await platform.intake.accept(rescoring(first, "recall"))

    scenario(steps)


def test_an_evaluation_whose_records_are_gone_is_refused() -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await evaluated(platform)
        (message, *_) = await platform.bus.messages(subjects.done_of(first, Stage.INFER))
        await platform.bus.remove(subjects.DONE, message.sequence)
        with pytest.raises(InvalidInputError, match=r"how 1 of the 5 items .* no longer known, such as infer/"):
            await platform.intake.accept(rescoring(first, "recall"))

    scenario(steps)


def test_what_a_rescoring_takes_from_the_first_evaluation_must_not_be_given() -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await evaluated(platform)
        wrong = replace(rescoring(first), recipes=(a_recipe(),), options=EvaluationOptions(concurrency=0))
        with pytest.raises(InvalidInputError) as caught:
            await platform.intake.accept(wrong)
        fields = [violation.field for violation in caught.value.violations]
        assert fields == ["recipes", "rescoring.evaluators", "options.concurrency"]

    scenario(steps)


def test_a_method_that_is_kept_but_not_known_any_more_is_named() -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await evaluated(platform)
        other = ComponentCard(ComponentKind.EVALUATOR, "hit", "1")
        cards = (*(card for card in CARDS if card.kind is not ComponentKind.EVALUATOR), other)
        await platform.bus.kv_put(subjects.COMPONENTS_BUCKET, "all", encode(cards))
        with pytest.raises(InvalidInputError, match=r"(?s)replace them.*no evaluator is named 'recall'.*known: hit"):
            await platform.intake.accept(rescoring(first, "hit", add=True))
        assert methods(await platform.plan(await submit(platform, rescoring(first, "hit")))) == ["hit"]

    scenario(steps)


def test_a_method_that_compares_entrants_reads_the_stored_answers_of_both() -> None:
    duel = ComponentCard(ComponentKind.EVALUATOR, "duel", "1", (Setting("opponent", "str", ""),))

    async def steps(platform: FakePlatform) -> None:
        await platform.bus.kv_put(subjects.COMPONENTS_BUCKET, "all", encode((*CARDS, duel)))
        first = await evaluated(platform, recipes=[a_recipe("one"), a_recipe("two")])
        again = await submit(platform, rescoring(first, "duel(opponent=two)"))
        plan = await platform.plan(again)
        assert methods(plan) == ['duel(opponent="two/full_text_search")']
        asked = {item.task.item for item in (await platform.plan(first)).items if item.task.stage is Stage.INFER}
        opponents = [item.task.body.opponents for item in plan.items if isinstance(item.task.body, ScoreTask)]
        assert sorted(map(len, opponents)) == [0, 0, 0, 1, 1, 1]
        assert {infer for each in opponents for infer in each.values()} < asked
        await platform.finish()
        assert (await platform.engine.status(again)).state is EvaluationState.COMPLETED
        assert all(item.startswith(OWN) for item in platform.ran)
        # Who names the entrant in full says the same.
        assert await submit(platform, rescoring(first, 'duel(opponent="two/full_text_search")')) == again

        alone = await evaluated(platform)
        with pytest.raises(InvalidInputError, match=r"rescoring.evaluators\[1\].opponent: .*needs two entrants"):
            await platform.intake.accept(rescoring(alone, "recall", "duel"))

    scenario(steps)


def test_a_rescoring_can_be_asked_for_on_the_bus_and_a_wrong_one_is_refused_with_an_event() -> None:
    async def steps(platform: FakePlatform) -> None:
        first = await evaluated(platform)
        loops = Loops(platform.bus, platform.engine, platform.intake, 0.05)
        running = asyncio.create_task(loops.run())
        for request in (rescoring(first, "recall(k=3)"), rescoring("ev-nowhere", "recall", key="lost")):
            data = request_to_wire(request).SerializeToString()
            await platform.bus.publish(subjects.request("default"), data, headers={})
        while await platform.bus.pending(subjects.REQUEST_CONSUMER):
            await asyncio.sleep(0.01)
        running.cancel()
        (again,) = {record.evaluation_id for record in await platform.engine.states.all()} - {first}
        request = decode(platform.objects.read_key(object_keys.request(again)), EvaluationRequest)
        assert request.rescoring == Rescoring(first)
        (failed,) = await platform.bus.messages("bakeoff.v1.event.*.failed")
        assert b"there is no evaluation 'ev-nowhere'" in failed.data

    scenario(steps)

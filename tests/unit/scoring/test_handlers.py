"""The stage `score` on stored cases and answers."""

from __future__ import annotations

from bakeoff.contract.stored import decode
from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.score import Outcome, ScoreBatch
from bakeoff.scoring.handlers import score
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import Context, Evaluated, evaluate

CASES = [a_case(f"c{number}") for number in range(5)]


def evaluated(failed_items: dict[str, Failure] | None = None, **options: object) -> Evaluated:
    return evaluate(
        a_request(recipes=[a_recipe()], **options),  # type: ignore[arg-type]
        CASES,
        lambda entrant, case: an_answer(case.case_id),
        methods=["ndcg(k=10)", "hit(k=10)"],
        failed_items=failed_items,
    )


def batches(found: Evaluated) -> list[ScoreBatch]:
    facts = found.context.facts(Stage.SCORE)
    return [decode(found.context.objects.read(fact.result), ScoreBatch) for fact in facts if fact.result]


def test_each_case_of_the_item_is_scored_and_the_metrics_are_described() -> None:
    (first, second, third) = batches(evaluated(batch_cases=2))
    assert [case.case_id for batch in (first, second, third) for case in batch.cases] == ["c0", "c1", "c2", "c3", "c4"]
    assert [card.name for card in first.metrics] == ["ndcg@10", "hit@10"]
    assert first.versions["pytrec_eval-terrier"]


def test_a_failed_infer_item_fails_its_cases_with_its_reason() -> None:
    failure = Failure(FailureKind.INFRASTRUCTURE, "the knowledge base could not be built")
    found = batches(evaluated({"infer/b0-u00000-r0m0-c0000002": failure}, batch_cases=2))
    assert [case.scores[0].failure for batch in found for case in batch.cases] == [None, None, failure, failure, None]


def test_alone_in_a_process_each_case_is_announced_and_a_poisoned_one_fails_alone() -> None:
    found = evaluated()
    (task,) = [item.task for item in found.plan.items if item.task.stage is Stage.SCORE]
    failure = Failure(FailureKind.INFRASTRUCTURE, "the case killed its process")
    alone = Context(found.context.objects, found.context.known, isolated=True, poisoned={"c3": failure})
    batch = decode(score(task, alone).data, ScoreBatch)
    assert alone.begun == ["", "c0", "c1", "c2", "c3", "c4"]
    outcomes = [case.scores[0].outcome for case in batch.cases]
    assert outcomes == [Outcome.SCORED] * 3 + [Outcome.FAILED, Outcome.SCORED]
    assert batch.cases[3].scores[0].failure == failure


def test_the_same_task_gives_the_same_bytes() -> None:
    found = evaluated()
    (task,) = [item.task for item in found.plan.items if item.task.stage is Stage.SCORE]
    assert score(task, found.context).data == score(task, found.context).data


def test_the_benchmarks_own_rule_on_its_cases_ids_is_followed() -> None:
    def says(entrant: str, case: Case) -> CaseAnswer:
        return an_answer(case.case_id, found=["c0", "d1"])

    for exclude, expected in ((False, 0.5), (True, 1.0)):
        found = evaluate(
            a_request(recipes=[a_recipe()]),
            CASES[:1],
            says,
            methods=["reciprocal_rank"],
            exclude_self=exclude,
        )
        assert batches(found)[0].cases[0].scores[0].value == expected

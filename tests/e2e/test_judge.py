"""A model judges answers, from an evaluation file to the report: nothing is asked twice, failures are no zeros."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import Ended, run
from tests.e2e.scripted_judge import Judge, a_judge

CASES = [
    # id, question, target, what is answered, what people say of it, another answer
    ("c0", "Where is the gauge?", "North Quay", "It stands on the North Quay.", "yes", "North Quay"),
    ("c1", "Who keeps it?", "The harbour master", "A fisherman keeps it.", "no", "Some of the fishermen of the town."),
    ("c2", "And mumble?", "Nothing", "Something or other.", "no", "Or other."),
    ("c3", "Which is first?", "The pier", "The pier, as far as is known.", "no", "The old lighthouse"),
]
PRICES = "price_in: 1.0, price_out: 2.0"


def write(folder: Path, judge: Judge, evaluators: str, name: str = "judged") -> None:
    rows = [
        {"id": case, "question": question, "target": target, "people": people, "other": other}
        for case, question, target, _, people, other in CASES
    ]
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    rules = [{"case": case, "answer": answer} for case, _, _, answer, _, _ in CASES]
    (folder / "answers.json").write_text(json.dumps({"rules": rules}))
    model = f'base_url: "{judge.base_url}", model: judge, {PRICES}'
    (folder / f"{name}.yaml").write_text(
        f"""name: {name}
benchmarks:
  - rows: {{path: rows.jsonl}}
    evaluators:
{evaluators.replace("MODEL", model)}
recipes:
  - name: told
    answer: mock(path="answers.json")
"""
    )


BOTH = """      - judge: {MODEL, labels: people}
      - judge_pair: {MODEL, against: other}
"""


def evaluate(folder: Path, name: str = "judged") -> tuple[Ended, dict[str, Any]]:
    ended = run(["run", f"{name}.yaml", "--dir", "platform", "--out", f"report-{name}"], folder)
    assert ended.code == 0, ended.err
    return ended, json.loads((folder / f"report-{name}/report.json").read_text())


@pytest.mark.parametrize("takes_schema", [True, False])
def test_answers_are_judged_once_and_what_the_judge_failed_on_is_no_zero_and_no_tie(
    takes_schema: bool, tmp_path: Path
) -> None:
    with a_judge(takes_schema=takes_schema) as judge:
        write(tmp_path, judge, BOTH)
        _, report = evaluate(tmp_path)
        asked, refused = len(judge.asked), judge.refused
        write(tmp_path, judge, "      - exact_match\n" + BOTH, "again")
        _, again = evaluate(tmp_path, "again")

        # Four of each kind of question; pairs in both orders; what cannot be read is asked once more.
        assert asked == (4 + 1) + 2 * (4 + 1)
        assert (len(judge.asked), judge.refused) == (asked, refused), "the second evaluation finds all judgements"
        assert refused == (0 if takes_schema else 1), "one refusal of the schema is enough"
        assert all(("response_format" in body) == takes_schema for body in judge.asked)

    rated, compared = report["entrants"][0]["metrics"]
    assert (rated["metric"], rated["scored"], rated["failed"]) == ("judge_correctness", 3, 1)
    assert rated["mean_scored"] == pytest.approx(2 / 3)  # c0 and c3 are right, c1 is not, of c2 nothing is known
    assert (compared["metric"], compared["scored"], compared["failed"]) == ("win_rate_other", 3, 1)
    assert compared["mean_scored"] == pytest.approx((1 + 0 + 0.5) / 3)  # of c3 the order decided
    assert report["entrants"][0]["failures"] == {"judge": 1}
    assert again["entrants"][0]["metrics"][1:] == [rated, compared]

    cost = {each["metric"]: each for each in report["run"]["judging"]}
    assert (cost["judge_correctness"]["calls"], cost["judge_correctness"]["tokens_in"]) == (5, 500)
    assert cost["judge_correctness"]["cost"] == pytest.approx((500 * 1.0 + 50 * 2.0) / 1e6)
    assert cost["win_rate_other"]["order_dependent"] == 1
    assert {each["stored"] for each in again["run"]["judging"]} == {5, 10}
    assert report["run"]["usage"] == {}, "what judging took is not the answering model's"

    # People and judge: c0 yes yes, c1 no no, c3 no yes.
    (agreement,) = report["agreements"]
    assert (agreement["cases"], agreement["only_people"], agreement["judge_failures"]) == (3, 1, 1)
    assert agreement["share"] == pytest.approx(2 / 3)
    assert agreement["kappa"] == pytest.approx(1 - (1 / 3) / (1 - (2 / 9 + 2 / 9)))

    cards = {card["name"]: card for card in report["benchmarks"][0]["metrics"]}
    assert cards["judge_correctness"]["version"] == f"1+{cards['judge_correctness']['prompt'][:12]}"
    text = run(["report", "report-judged"], tmp_path).out
    assert "what judging took:" in text
    assert "judge and people:" in text
    assert "by order" in text


@pytest.mark.parametrize(
    ("evaluator", "message"),
    [
        ("judge: {MODEL, rubric: corectness}", "did you mean 'correctness'"),
        ("judge: {MODEL, lowest: 5, highest: 1}", "must be smaller than highest"),
        ("judge: {MODEL, lowest: 1}", "give both `lowest` and `highest`"),
        ("judge: {MODEL, prompt: 'Is {answr} right? {question} {form}'}", "did you mean 'answer'"),
        ("judge: {MODEL, prompt: 'Is it right? {question} {form}'}", "must have the slot {answer}"),
        ("judge_pair: {MODEL, prompt: '{question} {answer_a} {form}'}", "must have the slot {answer_b}"),
        ("judge: {MODEL, votes: 3}", "3 votes at temperature 0 are one vote"),
        ("judge: {MODEL, key: hose}", "no key named 'hose' (known: house)"),
    ],
)
def test_what_is_wrong_with_a_judge_is_told_before_anybody_is_asked(
    evaluator: str, message: str, tmp_path: Path
) -> None:
    with a_judge() as judge:
        write(tmp_path, judge, f"      - {evaluator}\n")
        ended = run(["run", "judged.yaml"], tmp_path, {"BAKEOFF_KEY_HOUSE": "sk-canary-41"})
        assert ended.code == 2, ended.out
        assert message in ended.err
        assert judge.asked == []
        assert "sk-canary-41" not in ended.err + ended.out


def test_entrants_are_compared_on_the_cases_that_both_have_answered(tmp_path: Path) -> None:
    with a_judge() as judge:
        judge.faults = 2  # from which the endpoint recovers
        write(
            tmp_path, judge, "      - duel: {MODEL, opponent: told}\n      - duel: {MODEL, opponent: told, name: x}\n"
        )
        better = [{"case": "c0", "answer": "The gauge stands on the North Quay, of course."}]
        better += [{"case": "c1", "answer": "Somebody."}, {"case": "c3", "answer": "The pier, as far as is known."}]
        (tmp_path / "better.json").write_text(json.dumps({"rules": better}))
        with (tmp_path / "judged.yaml").open("a") as file:
            file.write('  - name: other\n    answer: mock(path="better.json")\n')
        _, report = evaluate(tmp_path)

    told, other = report["entrants"]
    assert told["metrics"][0]["metric"] == "win_rate_vs_told/direct"
    assert (told["metrics"][0]["not_applicable"], told["metrics"][0]["mean"]) == (4, None), "it is the opponent"
    (win_rate, again) = other["metrics"]
    # c0 is longer and won, c1 is shorter and lost, c3 says the same; c2 has no answer: a failed case.
    assert (win_rate["scored"], win_rate["failed"]) == (3, 1)
    assert win_rate["mean_scored"] == pytest.approx((1 + 0 + 0.5) / 3)
    assert win_rate["interval"]["low"] <= win_rate["mean"] <= win_rate["interval"]["high"]
    assert {**again, "metric": ""} == {**win_rate, "metric": ""}
    assert len(judge.asked) == 2 * 2, "two pairs in both orders; what says the same is nobody's to judge"

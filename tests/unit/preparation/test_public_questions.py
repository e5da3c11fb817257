"""Public question sets: as many questions as their publishers say, and none lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff.preparation.boxed import last_boxed
from tests.unit.preparation.conftest import Outcome

pytestmark = pytest.mark.data
Prepare = Callable[..., Outcome]
ICL = "llm-foundry-icl/scripts"


@pytest.mark.parametrize(
    ("adapter", "path", "settings", "cases"),
    [
        ("arc", ICL, {"subset": "challenge"}, 1172),
        ("arc", ICL, {"subset": "easy"}, 2376),
        ("hellaswag", "llm-foundry-icl", {}, 4),
        ("triviaqa", ICL, {}, 3000),
        ("gsm8k", "gsm8k/grade_school_math/data", {}, 1319),
        ("gsm8k", ICL, {}, 1319),
        ("math", ICL, {}, 5000),
        ("race", "expmrc/data/race", {"split": "dev"}, 561),
        ("race", "expmrc/data/c3", {"split": "dev", "language": "zh"}, 505),
        ("squad", "expmrc/data/squad", {}, 501),
        ("squad", "search-datasets/squad2", {}, 500),
        ("cmrc", "cmrc2018", {}, 3219),
        ("cmrc", "cmrc2018/squad-style-data", {}, 3219),
        ("cmrc", "expmrc/data/cmrc2018", {}, 515),
        ("cmrc", "search-datasets/cmrc2018", {}, 500),
        ("icl", ICL, {"dataset": "boolq"}, 3270),
        ("icl", ICL, {"dataset": "piqa"}, 1838),
        ("icl", ICL, {"dataset": "openbook_qa"}, 500),
        ("icl", ICL, {"dataset": "commonsense_qa"}, 1221),
        ("icl", ICL, {"dataset": "siqa"}, 1954),
        ("icl", ICL, {"dataset": "pubmed_qa_labeled", "kind": "language_modeling"}, 1000),
        ("icl", ICL, {"dataset": "svamp", "kind": "generation"}, 300),
    ],
)
def test_counts_are_those_published(
    prepare_as: Prepare, data_dir: Path, adapter: str, path: str, settings: dict[str, Any], cases: int
) -> None:
    outcome = prepare_as(adapter, path=str(data_dir / path), **settings)
    assert outcome.manifest.cases == cases
    assert outcome.findings == {}


def test_evidence_of_expmrc_stands_in_its_passages(prepare_as: Prepare, data_dir: Path) -> None:
    cases = prepare_as("race", path=str(data_dir / "expmrc/data/race"), split="dev").cases
    assert Counter(len(case.metadata["choices"]) for case in cases) == {4: 539, 3: 21, 2: 1}  # type: ignore[arg-type]
    told = [(piece.text, case.metadata["contexts"]) for case in cases for piece in case.expected.evidence]
    assert all(case.expected.evidence for case in cases)
    found = sum(text in passages[0] for text, passages in told)  # type: ignore[index]
    assert found / len(told) > 0.9


def test_both_copies_of_gsm8k_expect_the_same_numbers(prepare_as: Prepare, data_dir: Path) -> None:
    folders = (data_dir / "gsm8k/grade_school_math/data", data_dir / ICL)
    first, second = (prepare_as("gsm8k", path=str(folder)).cases for folder in folders)
    assert [case.expected.value for case in first] == [case.expected.value for case in second]


def test_the_answer_of_every_problem_of_math_is_in_the_last_box_of_its_solution(
    prepare_as: Prepare, data_dir: Path
) -> None:
    cases = prepare_as("math", path=str(data_dir / ICL)).cases
    boxed = [last_boxed(str(case.expected.metadata["solution"])) for case in cases]
    assert boxed == [case.expected.answers[0].strip() for case in cases]


def test_each_of_67_subjects_has_five_shots_in_the_order_of_their_file(prepare_as: Prepare, data_dir: Path) -> None:
    outcome = prepare_as("cmmlu", path=str(data_dir / "cmmlu"))
    shots = Counter(example.labels["subject"] for example in outcome.reader.examples())
    assert set(shots.values()) == {5}
    assert set(shots) == {case.labels["subject"] for case in outcome.cases}
    assert (len(shots), outcome.manifest.cases, outcome.manifest.examples) == (67, 11582, 335)


def test_two_questions_of_cmmlu_are_examples_too_with_their_choices_shuffled(
    prepare_as: Prepare, data_dir: Path
) -> None:
    outcome = prepare_as("cmmlu", path=str(data_dir / "cmmlu"))
    (finding,) = outcome.quality.findings
    assert (finding.code, finding.count) == ("case_in_examples", 2)
    assert finding.examples == ("test/college_law/100", "test/high_school_mathematics/160")


def test_dates_that_a_spreadsheet_made_numbers_lose_no_question_of_cmrc(prepare_as: Prepare, data_dir: Path) -> None:
    cases = {case.case_id: case for case in prepare_as("cmrc", path=str(data_dir / "cmrc2018")).cases}
    assert cases["DEV_158_QUERY_2"].expected.answers == ("4.9",)
    assert "39764.0" in cases["DEV_10_QUERY_2"].expected.answers


def test_questions_of_the_trial_that_are_blank_are_kept_and_told(prepare_as: Prepare, data_dir: Path) -> None:
    outcome = prepare_as("cmrc", path=str(data_dir / "cmrc2018"), split="trial")
    assert (outcome.manifest.cases, outcome.findings) == (1002, {"empty_query": 2})


def test_hotpotqa_is_read_as_rows_with_all_its_paragraphs(prepare_as: Prepare, data_dir: Path) -> None:
    keys = {
        "id": "question_id",
        "question": "question_text",
        "targets": "answers_objects.0.spans",
        "context": "contexts.*.paragraph_text",
    }
    path = data_dir / "hotpotqa-ircot/processed_data/hotpotqa/dev_subsampled.jsonl"
    cases = prepare_as("rows", path=str(path), eval_type="key2_q_ma", keys=keys).cases
    paragraphs = Counter(len(case.metadata["contexts"]) for case in cases)  # type: ignore[arg-type]
    assert (len(cases), paragraphs[10]) == (500, 489)


def test_rows_of_choices_agree_with_the_adapter_of_their_set(prepare_as: Prepare, data_dir: Path) -> None:
    path = str(data_dir / ICL / "eval/local_data/world_knowledge/arc_easy.jsonl")
    keys = {"question": "query", "label": "gold"}
    rows = prepare_as("rows", path=path, eval_type="key3_q_choices_a", keys=keys, label_base="0").cases
    arc = prepare_as("arc", path=path, subset="easy").cases
    assert [case.expected.value for case in rows] == [case.expected.value for case in arc]
    assert [case.expected.answers for case in rows] == [case.expected.answers for case in arc]


@pytest.mark.parametrize(
    ("path", "cases", "findings"),
    [
        (
            "agbenchmark/benchmark",
            56,
            {
                "missing_dependency": 2,
                "ambiguous_dependency": 3,
                "duplicate_challenge_name": 6,
                # This copy of the challenges has no Python files.
                "absent_program": 21,
                "no_tests": 1,
            },
        ),
        ("agbenchmark/legacy", 34, {"absent_program": 15}),
    ],
)
def test_every_agent_challenge_is_read(
    prepare_as: Prepare, data_dir: Path, path: str, cases: int, findings: dict[str, int]
) -> None:
    outcome = prepare_as("agent_challenges", path=str(data_dir / path))
    assert (outcome.manifest.cases, outcome.findings) == (cases, findings)
    place = {case.case_id: index for index, case in enumerate(outcome.cases)}
    for case in outcome.cases:
        assert all(place[needed] < place[case.case_id] for needed in case.metadata["challenge"]["needs"])  # type: ignore[index]

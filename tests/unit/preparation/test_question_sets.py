"""The public question sets: their layouts, with golds and choices as everybody downstream expects them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from bakeoff.domain.benchmark import Case
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.adapters.hellaswag import beginning, cleaned
from bakeoff.preparation.boxed import last_boxed
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from tests.unit.preparation.conftest import Outcome
from tests.unit.preparation.question_samples import ARTICLE, CMRC, SQUAD, lines, write_samples

Prepare = Callable[..., Outcome]


@pytest.fixture
def cases_of(prepare_as: Prepare, tmp_path: Path) -> Callable[[str], list[Case]]:
    samples = write_samples(tmp_path)
    return lambda adapter: prepare_as(adapter, **samples[adapter]).cases


Sample = Callable[[str], list[Case]]


def test_c10_every_question_of_an_article_of_race_is_a_case(cases_of: Sample) -> None:
    cases = cases_of("race")
    assert [case.case_id for case in cases] == ["high1.txt/0", "high1.txt/1"]
    assert [(case.expected.answers, case.expected.value) for case in cases] == [(("gulls",), 0), (("terns",), 1)]
    assert [len(case.metadata["choices"]) for case in cases] == [2, 3]  # type: ignore[arg-type]
    assert cases[0].metadata["contexts"] == [ARTICLE["article"]]
    assert cases[0].labels["level"] == "high"


def test_race_with_an_answer_that_is_no_option_is_refused(prepare_as: Prepare, tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text(lines({**ARTICLE, "answers": ["A", "D"]}))
    with pytest.raises(InvalidInputError, match=r"row 1, answers\[1\]: must be one of A, B, C.* not 'D'"):
        prepare_as("race", path=str(tmp_path))


def test_race_with_fewer_answers_than_questions_is_refused(prepare_as: Prepare, tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text(lines({**ARTICLE, "answers": ["A"]}))
    with pytest.raises(InvalidInputError, match="has not as many options and answers as questions"):
        prepare_as("race", path=str(tmp_path))


def test_rows_of_race_number_the_questions_of_each_article(prepare_as: Prepare, tmp_path: Path) -> None:
    row = {"example_id": "middle7.txt", "article": "a", "question": "q?", "options": ["x", "y"], "answer": "B"}
    (tmp_path / "test.jsonl").write_text(lines(row, row))
    cases = prepare_as("race", path=str(tmp_path)).cases
    assert [case.case_id for case in cases] == ["middle7.txt/0", "middle7.txt/1"]


def test_c6_numeric_keys_of_arc_are_looked_up_and_three_to_five_choices_are_kept(cases_of: Sample) -> None:
    letters, numbers = cases_of("arc")
    assert (letters.expected.value, letters.expected.answers) == (2, ("c",))
    assert (numbers.expected.value, numbers.expected.answers) == (0, ("v",))
    assert numbers.metadata["choices"] == ["v", "w", "x", "y", "z"]


def test_arc_with_a_key_that_is_no_label_is_refused(prepare_as: Prepare, tmp_path: Path) -> None:
    row = {"id": "a", "question": "q?", "choices": {"text": ["x", "y"], "label": ["A", "B"]}, "answerKey": "1"}
    (tmp_path / "a.jsonl").write_text(lines(row))
    with pytest.raises(InvalidInputError, match="row 1, answerKey: must be one of the labels A, B, not '1'"):
        prepare_as("arc", path=str(tmp_path / "a.jsonl"))


def test_arc_in_parquet_is_read(prepare_as: Prepare, tmp_path: Path) -> None:
    row = {"id": "a", "question": "q?", "choices": {"text": ["x", "y"], "label": ["1", "2"]}, "answerKey": "2"}
    (tmp_path / "ARC-Easy").mkdir()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "ARC-Easy" / "test-00000-of-00001.parquet")
    (case,) = prepare_as("arc", path=str(tmp_path), subset="easy").cases
    assert (case.expected.value, case.labels) == (1, {"subset": "easy"})


def test_hellaswag_reads_as_its_rule_says(cases_of: Sample) -> None:
    first, second = cases_of("hellaswag")
    assert first.query == "Roof shingle removal: A man is sitting on a roof. He"
    assert first.metadata["choices"] == ["is using wrap.", "falls.", "sings.", "sleeps."]
    assert (first.expected.value, second.expected.value) == (0, 3)


def test_marks_of_how_to_pages_are_taken_out() -> None:
    # The rule: ` [title]` becomes `. `, other brackets go, double spaces become one.
    assert cleaned("How to sail [title] Hoist it. [step] Go  on.") == "How to sail. Hoist it. Go on."
    assert beginning("Sailing", "A boat.", "the SAIL") == "Sailing: A boat. The sail"


def test_every_alias_of_triviaqa_is_right_and_none_is_there_twice(cases_of: Sample) -> None:
    assert cases_of("triviaqa")[0].expected.answers == ("Gull", "Seagull")


def test_the_number_behind_the_mark_is_what_gsm8k_expects(cases_of: Sample) -> None:
    first, second = cases_of("gsm8k")
    assert (first.expected.answers, first.expected.value) == (("2,000",), 2000)
    assert second.expected.value == 0.5
    assert first.expected.metadata == {"solution": "1,000 * 2 = 2,000."}


def test_gsm8k_without_the_mark_is_refused(prepare_as: Prepare, tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text(lines({"question": "q?", "answer": "A: 18"}))
    with pytest.raises(InvalidInputError, match=r"test\.jsonl:1: row 1, answer: must end with #### and a number"):
        prepare_as("gsm8k", path=str(tmp_path))


def test_the_last_box_is_what_math_expects(cases_of: Sample) -> None:
    first = cases_of("math")[0]
    assert first.expected.answers == (r"\frac{1}{2}",)
    assert (first.case_id, first.labels) == ("test/algebra/1", {"subject": "Algebra", "level": "2"})


@pytest.mark.parametrize(
    ("text", "held"),
    [
        (r"\boxed{1} and \boxed{2}", "2"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed{\{1, 2\}}", r"\{1, 2\}"),
        (r"\fbox{3}", "3"),
        (r"$\boxed 5$.", "5"),
        (r"\boxed{1", None),
        ("none", None),
    ],
)
def test_what_a_box_holds_is_found(text: str, held: str | None) -> None:
    assert last_boxed(text) == held


def test_exams_keep_their_subjects_and_their_letters(cases_of: Sample) -> None:
    first, second = cases_of("mmlu")
    assert (first.case_id, first.query) == ("test/anatomy/1", "Which, of these?")
    assert [case.expected.value for case in (first, second)] == [1, 3]
    assert first.labels == {"subject": "anatomy"}
    assert cases_of("cmmlu")[0].expected.answers == ("二",)


@pytest.mark.parametrize("adapter", ["mmlu", "cmmlu"])
def test_exams_are_averaged_over_their_subjects_too(prepare_as: Prepare, tmp_path: Path, adapter: str) -> None:
    outcome = prepare_as(adapter, **write_samples(tmp_path)[adapter])
    assert outcome.manifest.benchmark.metadata["macro_by"] == "subject"
    assert all(case.labels["subject"] for case in outcome.cases)


def test_an_exam_with_a_letter_beyond_its_choices_is_refused(prepare_as: Prepare, tmp_path: Path) -> None:
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "law_test.csv").write_text("q?,a,b,c,d,E\n")
    with pytest.raises(InvalidInputError, match=r"law_test\.csv:1: row 1, answer: must be one of A, B, C, D.* not 'E'"):
        prepare_as("mmlu", path=str(tmp_path))


def test_a_question_without_an_answer_has_no_gold_answer_and_says_so(cases_of: Sample) -> None:
    answered, impossible = cases_of("squad")
    assert answered.expected.answers == ("1901", "in 1901")
    assert (impossible.expected.answers, impossible.expected.metadata) == ((), {"answerable": False})
    assert (answered.labels["answerable"], impossible.labels["answerable"]) == ("yes", "no")
    assert impossible.metadata == {"contexts": ["The quay was built in 1901."], "title": "Quay"}


def test_squad_in_rows_is_the_same_as_in_articles(prepare_as: Prepare, tmp_path: Path) -> None:
    context, title = "The quay was built in 1901.", "Quay"
    rows = [
        {"id": "a", "title": title, "context": context, "question": "When?", "answers": {"text": ["1901", "in 1901"]}},
        {"id": "b", "title": title, "context": context, "question": "By whom?", "answers": {"text": []}},
    ]
    (tmp_path / "rows.jsonl").write_text(lines(*rows))
    (tmp_path / "articles.json").write_text(json.dumps(SQUAD))
    flat, nested = (prepare_as("squad", path=str(tmp_path / name)).cases for name in ("rows.jsonl", "articles.json"))
    assert flat == nested


def test_a_chinese_answer_that_was_written_as_a_number_is_its_text(cases_of: Sample) -> None:
    first, second = cases_of("cmrc")
    assert first.expected.answers == ("1901年",)
    assert second.expected.answers == ("49.5米", "49.5")
    assert first.metadata["contexts"] == [CMRC[0]["context_text"]]
    assert first.labels["language"] == "zh"


@pytest.mark.parametrize(
    ("adapter", "settings", "normalisers"),
    [
        ("squad", {}, ("squad_v2", "squad_v2_official")),
        ("squad", {"version": "1.1"}, ("squad", "squad_official")),
        ("cmrc", {}, ("cmrc",)),
    ],
)
@pytest.mark.parametrize("evidence", [False, True])
def test_answers_are_compared_as_by_the_script_of_the_set_and_of_expmrc_when_there_is_evidence(
    prepare_as: Prepare,
    tmp_path: Path,
    adapter: str,
    settings: dict[str, str],
    normalisers: tuple[str, ...],
    evidence: bool,
) -> None:
    asked = {"id": "a", "question": "When?", "answers": [{"text": "1901"}]}
    more = {"evidences": ["The quay was built in 1901."]} if evidence else {}
    paragraph = {"context": "The quay was built in 1901.", "qas": [asked | more]}
    (tmp_path / "dev.json").write_text(json.dumps({"data": [{"paragraphs": [paragraph]}]}))
    found = prepare_as(adapter, path=str(tmp_path / "dev.json"), **settings).manifest.evaluators
    rules = [{"normaliser": normaliser} for normaliser in (("expmrc",) if evidence else normalisers)]
    assert found == tuple(ComponentSpec(name, rule) for rule in rules for name in ("exact_match", "token_f1"))


@pytest.mark.parametrize(
    ("adapter", "strict", "official"),
    [
        ("squad", "exact_match_squad_v2", "exact_match_squad_v2_official"),
        ("triviaqa", "exact_match_triviaqa", "exact_match_triviaqa_official"),
        ("gsm8k", "numeric", "gsm8k_strict"),
        ("race", "choice_accuracy", "choice_first_option_official"),
        ("arc", "choice_accuracy", "choice_first_option_official"),
        ("hellaswag", "choice_accuracy", "choice_first_option_official"),
        ("mmlu", "choice_accuracy", "choice_lm_eval_official"),
        ("cmmlu", "choice_accuracy", "choice_cmmlu_official"),
    ],
)
def test_a_careful_readers_figure_and_the_published_scripts_stand_in_one_report(
    prepare_as: Prepare, tmp_path: Path, adapter: str, strict: str, official: str
) -> None:
    specs = prepare_as(adapter, **write_samples(tmp_path)[adapter]).manifest.evaluators
    assert {strict, official} <= {card.name for card in make_methods(evaluators.load(), specs).metrics}

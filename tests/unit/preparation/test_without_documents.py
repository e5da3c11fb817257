"""Benchmarks that are questions alone: one unit without documents, examples beside the cases, no false alarms."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.domain.errors import InvalidInputError
from tests.unit.preparation.conftest import Outcome
from tests.unit.preparation.question_samples import SAMPLES, write_samples

Prepare = Callable[..., Outcome]


@pytest.fixture
def samples(tmp_path: Path) -> dict[str, dict[str, str]]:
    return write_samples(tmp_path)


@pytest.mark.parametrize("adapter", sorted(SAMPLES))
def test_there_is_one_unit_with_all_cases_and_no_document(
    prepare_as: Prepare, samples: dict[str, dict[str, str]], adapter: str
) -> None:
    outcome = prepare_as(adapter, **samples[adapter])
    (unit,) = outcome.reader.units()
    assert (unit.unit_id, unit.documents, unit.cases_start, unit.cases_stop) == ("all", 0, 0, 2)
    assert (outcome.documents, outcome.manifest.originals) == ([], 0)
    assert outcome.manifest.needs_texts is False
    assert outcome.findings == {}


def test_the_digest_of_no_documents_depends_on_the_benchmark_alone(
    prepare_as: Prepare, samples: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    first = prepare_as("rows", **samples["rows"], name="tides")
    (tmp_path / "rows" / "test.csv").write_text("question,target\nother?,1\n")
    second, third = prepare_as("rows", **samples["rows"], name="tides"), prepare_as("rows", **samples["rows"])
    digests = [outcome.reader.units()[0].documents_digest for outcome in (first, second, third)]
    assert digests[0] == digests[1] != digests[2]
    assert first.manifest.fingerprint != second.manifest.fingerprint


@pytest.mark.parametrize("adapter", sorted(SAMPLES))
def test_a_folder_and_its_archive_are_the_same_cases(
    prepare_as: Prepare, samples: dict[str, dict[str, str]], tmp_path: Path, adapter: str
) -> None:
    archive = shutil.make_archive(str(tmp_path / adapter), "zip", samples[adapter]["path"])
    packed = prepare_as(adapter, **(samples[adapter] | {"path": archive}))
    assert packed.cases == prepare_as(adapter, **samples[adapter]).cases


def test_examples_come_from_the_split_for_them_and_in_its_order(
    prepare_as: Prepare, samples: dict[str, dict[str, str]]
) -> None:
    outcome = prepare_as("mmlu", **samples["mmlu"])
    examples = list(outcome.reader.examples())
    assert [example.query for example in examples] == [f"Shot {n}?" for n in range(5)]
    assert {example.labels["subject"] for example in examples} == {"anatomy"}
    assert outcome.manifest.examples == 5


def test_a_limit_is_for_the_cases_and_not_for_the_examples(
    prepare_as: Prepare, samples: dict[str, dict[str, str]]
) -> None:
    outcome = prepare_as("mmlu", limit=1, **samples["mmlu"])
    assert (outcome.manifest.cases, outcome.manifest.examples) == (1, 5)


def test_other_examples_are_another_benchmark(
    prepare_as: Prepare, samples: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    before = prepare_as("gsm8k", **samples["gsm8k"]).manifest.fingerprint
    (tmp_path / "gsm8k" / "train.jsonl").write_text(json.dumps({"question": "How near?", "answer": "#### 3"}))
    assert prepare_as("gsm8k", **samples["gsm8k"]).manifest.fingerprint != before


def test_examples_in_parts_are_read_across_them(prepare_as: Prepare, tmp_path: Path) -> None:
    rows = [json.dumps({"question": f"How many are {n}?", "answer": f"#### {n}"}) for n in range(1200)]
    (tmp_path / "test.jsonl").write_text(json.dumps({"question": "How far?", "answer": "#### 3"}))
    (tmp_path / "train.jsonl").write_text("\n".join(rows))
    outcome = prepare_as("gsm8k", path=str(tmp_path))
    assert len(outcome.manifest.example_parts) == 3
    assert [example.expected.value for example in outcome.reader.examples()] == list(range(1200))


@pytest.mark.parametrize(
    ("case", "example", "found"),
    [
        ({"question": "How  far?"}, {"question": "how far?"}, True),
        ({"id": "q1"}, {"id": "q1"}, True),
        ({"question": "How near?"}, {"question": "How far?"}, False),
        ({"context": "Here."}, {"context": "There."}, False),
    ],
    ids=["same words", "same id", "other words", "other passage"],
)
def test_a_case_that_is_an_example_too_is_counted(
    prepare_as: Prepare, tmp_path: Path, case: dict[str, str], example: dict[str, str], found: bool
) -> None:
    numbers = itertools.count()
    for name, row in (("cases", case), ("examples", example)):
        whole = {"id": f"{name}", "question": f"How far?{next(numbers) if 'id' in row else ''}", "target": "3", **row}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(whole))
    outcome = prepare_as("rows", path=str(tmp_path / "cases.jsonl"), examples=str(tmp_path / "examples.jsonl"))
    assert outcome.findings == ({"case_in_examples": 1} if found else {})


def test_two_examples_of_one_id_are_refused(prepare_as: Prepare, tmp_path: Path) -> None:
    row = json.dumps({"id": "a", "question": "How far?", "target": "3"})
    (tmp_path / "cases.jsonl").write_text(row)
    (tmp_path / "examples.jsonl").write_text(f"{row}\n{row}\n")
    with pytest.raises(InvalidInputError, match="the id 'a' of an in-context example is there twice"):
        prepare_as("rows", path=str(tmp_path / "cases.jsonl"), examples=str(tmp_path / "examples.jsonl"))


def test_a_benchmark_that_should_have_documents_is_still_refused_without(prepare_as: Prepare, tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "questions.yaml").write_text("cases: [{id: q, question: q, answers: [a]}]")
    with pytest.raises(InvalidInputError, match="has no document"):
        prepare_as("folder", path=str(tmp_path / "documents"), questions=str(tmp_path / "questions.yaml"))


def test_a_folder_without_the_split_says_what_is_there(prepare_as: Prepare, samples: dict[str, dict[str, str]]) -> None:
    with pytest.raises(
        InvalidInputError, match=r"has no file 'validation\.jsonl'.*there are: test\.jsonl, train\.jsonl"
    ):
        prepare_as("gsm8k", **samples["gsm8k"], split="validation")

"""What the previous version has stored is read today, and means the same."""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import Any

import pytest

from bakeoff.contract import object_keys
from bakeoff.contract.stored import PreparedReader, decode, encode
from bakeoff.contract.stored_answers import decode_answers, encode_answers
from bakeoff.contract.work_codec import task_from_bytes
from bakeoff.domain.answer import AnswerBatch
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.knowledge import KnowledgeBaseManifest
from bakeoff.domain.prepared import IngestedOriginal, PreparedManifest, PrepareResult, QualityReport
from bakeoff.domain.score import ScoreBatch
from bakeoff.domain.work import InferTask, Plan
from bakeoff.knowledge.library import Library
from bakeoff.reporting.load import dump_report, load_report
from tests.contract import previous

OBJECTS = previous.stored()
KEYS = [info.key for info in OBJECTS.list("")]

KINDS: dict[str, Any] = {
    "evaluations/*/request.json": EvaluationRequest,
    "evaluations/*/plan.json": Plan,
    "evaluations/*/prepared/*.json": PrepareResult,
    "evaluations/*/scores/*.json": ScoreBatch,
    "prepared/*/manifest.json": PreparedManifest,
    "prepared/*/quality.json": QualityReport,
    "prepared/*/ingested/*.json": tuple[IngestedOriginal, ...],
    "kb/*/manifest.json": KnowledgeBaseManifest,
}
"""What is stored as plain nouns, by its keys."""


def keys(pattern: str) -> list[str]:
    """Return the keys that match a pattern; there are some."""
    found = fnmatch.filter(KEYS, pattern)
    assert found, f"the previous version has stored nothing under {pattern}"
    return found


@pytest.mark.parametrize("pattern", KINDS)
def test_stored_nouns_are_read(pattern: str) -> None:
    for key in keys(pattern):
        noun = decode(OBJECTS.read_key(key), KINDS[pattern])
        assert decode(encode(noun), KINDS[pattern]) == noun


def test_prepared_benchmarks_are_read_whole() -> None:
    [key] = keys("prepared/*/manifest.json")
    reader = PreparedReader(OBJECTS, decode(OBJECTS.read_key(key), PreparedManifest))
    assert [case.case_id for case in reader.cases()] == ["q1", "q2", "q3"]
    assert len(list(reader.documents())) == 3
    assert [unit.documents for unit in reader.units()] == [3]
    assert {original.name for original in reader.originals(0)} == {"fees.md", "radio.md", "tides.md"}


def test_answers_are_read_and_a_ranking_still_says_whence_each_passage_comes() -> None:
    for key in keys("evaluations/*/answers/*.json"):
        batch = decode_answers(OBJECTS.read_key(key))
        assert [answer.case_id for answer in batch.answers] == ["q1", "q2", "q3"]
        assert all(OBJECTS.stat(passage.raw_key) for answer in batch.answers for passage in answer.passages)
        assert decode_answers(encode_answers(batch)) == batch


def test_a_report_is_read_with_its_digest() -> None:
    [key] = keys("evaluations/*/report/report.json")
    report = load_report(OBJECTS.read_key(key))
    assert report.digest == "f383783ccbc261a2a379acc2391a622ce4d5085f62d7d6ede806326ed45e78f2"
    assert load_report(dump_report(report)) == report


def test_knowledge_bases_are_opened_and_find_what_they_found(tmp_path: Path) -> None:
    library = Library(OBJECTS, tmp_path)
    [prepared] = keys("prepared/*/manifest.json")
    reader = PreparedReader(OBJECTS, decode(OBJECTS.read_key(prepared), PreparedManifest))
    questions = [case.query for case in reader.cases()]
    for sent in previous.sent("bakeoff.v1.task.infer."):
        task = task_from_bytes(sent.data)
        assert isinstance(task.body, InferTask)
        assert task.body.mode is not None
        stored = answers_of(task.item)
        found = library.get(stored.kb_id).search(questions, task.body.mode)
        for answer, passages in zip(stored.answers, found, strict=True):
            assert isinstance(passages, tuple)
            assert [passage.chunk_id for passage in passages] == [passage.chunk_id for passage in answer.passages]
            assert [passage.score for passage in passages] == pytest.approx([each.score for each in answer.passages])


def answers_of(item: str) -> AnswerBatch:
    return decode_answers(OBJECTS.read_key(object_keys.answers(previous.EVALUATION, item)))

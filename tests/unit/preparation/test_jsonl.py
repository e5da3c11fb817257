"""The adapter for two files of JSON lines."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.media_types import RECORD
from bakeoff.preparation.registries import adapters
from tests.unit.preparation.conftest import Outcome

Prepare = Callable[..., Outcome]
CASE = {"id": "c1", "question": "Why?", "answers": "because", "evidence": [{"document": "t"}], "value": 3.5}


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., dict[str, str]]:
    """Write the two files and return the adapter's settings."""

    def write(documents: list[dict[str, object]], *cases: dict[str, object]) -> dict[str, str]:
        folder = tmp_path / "notes"
        folder.mkdir(exist_ok=True)
        for name, records in (("documents", documents), ("cases", cases or [CASE])):
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        return {name: str(folder / f"{name}.jsonl") for name in ("documents", "cases")}

    return write


def test_a_document_may_be_a_text_a_file_or_bytes(
    prepare_as: Prepare, files: Callable[..., dict[str, str]], tmp_path: Path
) -> None:
    settings = files(
        [
            {"id": "t", "title": "T", "text": "words", "metadata": {"year": 2031}},
            {"id": "f", "path": "files/f.md"},
            {"id": "b", "data_base64": base64.b64encode(b"%PDF-1.7").decode(), "name": "b.pdf"},
        ]
    )
    (tmp_path / "notes" / "files").mkdir()
    (tmp_path / "notes" / "files" / "f.md").write_text("# F")
    outcome = prepare_as("jsonl", **settings)

    text, file, data = outcome.documents
    assert (text.media_type, text.original_id, text.metadata) == (RECORD, "documents", {"year": 2031})
    assert json.loads(outcome.bytes_of(text))["text"] == "words"
    assert (file.media_type, file.original_id, outcome.bytes_of(file)) == ("text/markdown", "f", b"# F")
    assert (data.media_type, data.name, outcome.bytes_of(data)) == ("application/pdf", "b.pdf", b"%PDF-1.7")
    assert outcome.manifest.originals == 3


def test_a_document_may_be_an_address(
    prepare_as: Prepare, files: Callable[..., dict[str, str]], tmp_path: Path
) -> None:
    (tmp_path / "far off.md").write_text("# Far")
    outcome = prepare_as("jsonl", **files([{"id": "t", "source_uri": (tmp_path / "far off.md").as_uri()}]))
    (document,) = outcome.documents
    assert (document.name, document.media_type) == ("far off.md", "text/markdown")
    assert outcome.bytes_of(document) == b"# Far"


def test_a_document_with_the_id_of_the_file_keeps_its_own_original(
    prepare_as: Prepare, files: Callable[..., dict[str, str]]
) -> None:
    data = base64.b64encode(b"x").decode()
    outcome = prepare_as("jsonl", **files([{"id": "t", "text": "a"}, {"id": "documents", "data_base64": data}]))
    assert [document.original_id for document in outcome.documents] == ["documents", "documents~2"]
    assert outcome.bytes_of(outcome.documents[1]) == b"x"


def test_a_case_is_read_whole(prepare_as: Prepare, files: Callable[..., dict[str, str]]) -> None:
    (case,) = prepare_as("jsonl", **files([{"id": "t", "text": "a"}])).cases
    assert (case.query, case.expected.answers, case.expected.value) == ("Why?", ("because",), 3.5)
    assert case.expected.evidence[0].reference_id == "t"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"id": "d"}, "needs one of text, path, source_uri, data_base64, not none"),
        ({"id": "d", "text": "a", "path": "b"}, "needs one of text, path, source_uri, data_base64, not text, path"),
        ({"id": "d", "path": "gone.md"}, "gone.md' is no file"),
        ({"id": "d", "data_base64": "%%%"}, "data_base64: document 'd'"),
        ({"id": "d", "txt": "a"}, "unknown field `txt`"),
        ({"id": "", "text": "a"}, "id: must not be empty"),
        ({"id": "d", "data_base64": "", "name": "a/b"}, "name: must be a file name, not 'a/b'"),
    ],
)
def test_a_wrong_document_is_refused_with_its_line(
    prepare_as: Prepare, files: Callable[..., dict[str, str]], document: dict[str, object], expected: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        prepare_as("jsonl", **files([{"id": "t", "text": "a"}, document]))
    assert "documents.jsonl:2: " in str(caught.value)
    assert expected in str(caught.value)


def test_all_wrong_cases_are_told_at_once(prepare_as: Prepare, files: Callable[..., dict[str, str]]) -> None:
    cases = [{"id": "c1"}, {"id": "c2", "question": "a", "labels": 3}, CASE]
    with pytest.raises(InvalidInputError) as caught:
        prepare_as("jsonl", **files([{"id": "t", "text": "a"}], *cases))
    assert "cases.jsonl:1: question: is missing" in str(caught.value)
    assert "cases.jsonl:2: labels: must be a mapping, not int '3'" in str(caught.value)


def test_evidence_without_a_document_that_is_there_is_counted(
    prepare_as: Prepare, files: Callable[..., dict[str, str]]
) -> None:
    case = {"id": "c2", "question": "a", "evidence": [{"document": "gone"}]}
    assert prepare_as("jsonl", **files([{"id": "t", "text": "a"}], CASE, case)).findings == {"dangling_judgement": 1}


def test_the_names_of_the_benchmark_protocol_are_understood(
    prepare_as: Prepare, files: Callable[..., dict[str, str]]
) -> None:
    case = {
        "case_id": "c1",
        "query": "When?",
        "expected": {"answers": ["noon"], "evidence": [{"locator": {"document_id": "t"}, "text": "noon"}], "value": 12},
    }
    outcome = prepare_as("jsonl", **files([{"document_id": "t", "text": "At noon."}], case))
    (read,) = outcome.cases
    assert (read.case_id, read.query, read.expected.answers, read.expected.value) == ("c1", "When?", ("noon",), 12)
    assert read.expected.evidence[0].locator == {"document_id": "t"}
    assert outcome.findings == {}


def test_what_is_expected_in_two_places_is_refused(prepare_as: Prepare, files: Callable[..., dict[str, str]]) -> None:
    case = {"id": "c1", "question": "When?", "answers": ["noon"], "expected": {"answers": ["six"]}}
    with pytest.raises(InvalidInputError, match="expected: is no known field"):
        prepare_as("jsonl", **files([{"id": "t", "text": "a"}], case))


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("s3://datasets/our%20own/documents.jsonl", "our own"),
        ("s3://datasets/documents.jsonl", "datasets"),
        ("https://data.example/sets/documents.jsonl?v=1", "sets"),
    ],
)
def test_a_benchmark_at_an_address_is_named_after_its_folder_there(address: str, name: str) -> None:
    spec = ComponentSpec("jsonl", {"documents": address, "cases": "s3://datasets/cases.jsonl"})
    assert adapters.load().make(spec).manifest.name == name

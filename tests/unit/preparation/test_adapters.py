"""What holds for every adapter that is registered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.preparation.download import Downloads
from bakeoff.preparation.protocol import BenchmarkProtocol, has_documents
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.workspace import LocalWorkspace
from tests.conftest import ROOT
from tests.unit.preparation.document_samples import write_documents
from tests.unit.preparation.question_samples import SAMPLES, write_samples

NAMES = adapters.load().names()


@pytest.fixture
def samples(tmp_path: Path) -> dict[str, dict[str, str]]:
    """The settings of a small benchmark for each adapter; a new adapter needs one here."""
    files = {
        "beir/corpus.jsonl": '{"_id": "d1", "text": "High water."}\n{"_id": "d2", "text": "Low water."}\n',
        "beir/queries.jsonl": '{"_id": "q1", "text": "high?"}\n{"_id": "q2", "text": "low?"}\n',
        "beir/qrels/test.tsv": "q1\td1\t1\nq2\td2\t1\n",
        "jsonl/documents.jsonl": '{"id": "d1", "text": "High water."}\n{"id": "d2", "text": "Low water."}\n',
        "jsonl/cases.jsonl": '{"id": "q1", "question": "high?"}\n{"id": "q2", "question": "low?"}\n',
        "folder/documents/d1.md": "High water.",
        "folder/documents/d2.md": "Low water.",
        "folder/questions.yaml": json.dumps(
            {"cases": [{"id": "q1", "question": "high?"}, {"id": "q2", "question": "low?"}]}
        ),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return {
        "beir": {"path": str(tmp_path / "beir")},
        "jsonl": {name: str(tmp_path / "jsonl" / f"{name}.jsonl") for name in ("documents", "cases")},
        "folder": {
            "path": str(tmp_path / "folder" / "documents"),
            "questions": str(tmp_path / "folder" / "questions.yaml"),
        },
        **write_samples(tmp_path / "questions"),
        **write_documents(tmp_path / "sets"),
    }


@pytest.fixture(params=NAMES)
def adapter(request: pytest.FixtureRequest, samples: dict[str, dict[str, str]]) -> BenchmarkProtocol:
    return adapters.make(ComponentSpec(request.param, samples[request.param]))


@pytest.fixture
def workspace(tmp_path: Path) -> LocalWorkspace:
    return LocalWorkspace(tmp_path / "scratch", Downloads(tmp_path / "cache"))


def test_a_second_reading_gives_the_same(adapter: BenchmarkProtocol, workspace: LocalWorkspace) -> None:
    source = adapter.prepare(workspace)
    assert list(adapter.documents(source)) == list(adapter.documents(source))
    for read in (adapter.cases, adapter.run_units):
        assert list(read(source)) == list(read(source)) != []


def test_documents_and_cases_come_one_by_one(adapter: BenchmarkProtocol, workspace: LocalWorkspace) -> None:
    source = adapter.prepare(workspace)
    for items in (adapter.documents(source), adapter.cases(source)):
        assert isinstance(items, Iterator)


def test_ids_are_unique(adapter: BenchmarkProtocol, workspace: LocalWorkspace) -> None:
    source = adapter.prepare(workspace)
    documents = [document.document_id for document in adapter.documents(source)]
    cases = [case.case_id for case in adapter.cases(source)]
    assert len(documents) == len(set(documents)) == (2 if has_documents(adapter.manifest) else 0)
    assert len(cases) == len(set(cases)) == 2


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_what_is_questions_alone_says_so(name: str, samples: dict[str, dict[str, str]]) -> None:
    assert not has_documents(adapters.make(ComponentSpec(name, samples[name])).manifest)


def test_what_is_sound_passes_the_check_and_has_methods(adapter: BenchmarkProtocol) -> None:
    assert adapter.check() == []
    assert adapter.evaluators()
    assert adapter.manifest.name


@pytest.mark.parametrize("name", NAMES)
def test_making_one_touches_nothing(name: str) -> None:
    card = adapters.card(name)
    settings = {setting.name: "/nowhere/at/all" for setting in card.settings if setting.required}
    adapters.make(ComponentSpec(name, settings))


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_says_what_it_does(name: str) -> None:
    card = adapters.card(name)
    assert card.doc
    assert all(setting.doc for setting in card.settings)


def test_the_guide_names_every_adapter_and_every_finding() -> None:
    page = (ROOT / "docs/guide/benchmarks.md").read_text()
    code = "".join(path.read_text() for path in (ROOT / "services/bakeoff/preparation").rglob("*.py"))
    codes = set(re.findall(r'note\(\s*"(\w+)"', code))
    assert len(codes) > 20
    assert [name for name in sorted({*NAMES, *codes}) if f"`{name}`" not in page] == []

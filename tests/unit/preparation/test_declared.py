"""Benchmarks declared as a class with asynchronous readings."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from bakeoff.domain.benchmark import BenchmarkDocument, BenchmarkManifest, BenchmarkResource, BuildScope, ResourceKind
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.declared import (
    BenchmarkCase,
    BenchmarkEvidence,
    BenchmarkExpected,
    BenchmarkRunUnit,
    BenchmarkWorkspace,
    Declared,
    PreparedBenchmark,
    register_benchmark,
)
from bakeoff.preparation.registries import adapters
from tests.unit.preparation.conftest import Outcome

Prepare = Callable[..., Outcome]
numbers = itertools.count()


class Reports:
    """Reports and questions about them; written for asynchronous readings."""

    taken = 0

    def __init__(self, root: Path, split: str = "test") -> None:
        self._root = root
        self._split = split

    @property
    def manifest(self) -> BenchmarkManifest:
        return BenchmarkManifest(
            name="reports", version="official", split=self._split, task_type="qa", build_scope=BuildScope.CASE
        )

    def resources(self) -> tuple[BenchmarkResource, ...]:
        return (BenchmarkResource("questions", str(self._root / "questions.json"), ResourceKind.FILE),)

    async def prepare(self, workspace: BenchmarkWorkspace) -> PreparedBenchmark:
        questions = workspace.fetch(self.resources()[0])
        return PreparedBenchmark(
            self.manifest, workspace.root_dir, self.resources(), {"questions": json.loads(questions.read_text())}
        )

    async def documents(self, prepared: PreparedBenchmark) -> AsyncIterator[BenchmarkDocument]:
        for name in ("ADI_2009", "GS_2016"):
            type(self).taken += 1
            yield BenchmarkDocument(name, f"{name}.txt", path=self._root / f"{name}.txt")

    async def cases(self, prepared: PreparedBenchmark) -> AsyncIterator[BenchmarkCase]:
        questions = prepared.metadata["questions"]
        assert isinstance(questions, list)
        for each in questions:
            evidence = BenchmarkEvidence(
                reference_id=each["report"], locator={"document_id": each["report"], "page_index": 4}, text=""
            )
            yield BenchmarkCase(
                case_id=each["id"],
                query=each["question"],
                expected=BenchmarkExpected(answers=("380",), evidence=(evidence,), value=380),
            )

    async def run_units(self, prepared: PreparedBenchmark) -> AsyncIterator[BenchmarkRunUnit]:
        yield BenchmarkRunUnit(unit_id="ADI_2009", document_ids=("ADI_2009",), case_ids=("q1",))
        yield BenchmarkRunUnit(unit_id="all")

    def evaluators(self) -> tuple[str, ...]:
        return ("evidence_recall(k=5)", "answer_contains")


def forget(name: str) -> None:
    """Take a benchmark out of the register, which is one for all tests."""
    del adapters._cards[name], adapters._factories[name]


@pytest.fixture
def name() -> Iterator[str]:
    name = f"reports_{next(numbers)}"
    register_benchmark(name)(Reports)
    yield name
    forget(name)


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    for document in ("ADI_2009", "GS_2016"):
        (tmp_path / f"{document}.txt").write_text(f"{document} earned 380.")
    questions = [{"id": "q1", "question": "How much?", "report": "ADI_2009"}]
    (tmp_path / "questions.json").write_text(json.dumps(questions))
    return tmp_path


def test_a_class_with_asynchronous_readings_is_prepared(prepare_as: Prepare, name: str, reports: Path) -> None:
    outcome = prepare_as(name, root=str(reports))
    assert [document.document_id for document in outcome.documents] == ["ADI_2009", "GS_2016"]
    assert [case.expected.value for case in outcome.cases] == [380, 380]
    assert [str(spec) for spec in outcome.manifest.evaluators] == ["evidence_recall(k=5)", "answer_contains"]
    assert outcome.manifest.benchmark.version == "official"


def test_a_unit_that_names_nothing_has_all(prepare_as: Prepare, name: str, reports: Path) -> None:
    units = list(prepare_as(name, root=str(reports)).reader.units())
    assert [(unit.unit_id, unit.documents, unit.cases_stop - unit.cases_start) for unit in units] == [
        ("ADI_2009", 1, 1),
        ("all", 2, 1),
    ]


def test_its_constructor_s_parameters_are_settings(name: str, reports: Path) -> None:
    card = adapters.card(name)
    assert [(setting.name, setting.type, setting.required) for setting in card.settings] == [
        ("root", "path", True),
        ("split", "str", False),
    ]
    made = adapters.make(ComponentSpec(name, {"root": str(reports), "split": "dev"}))
    assert made.manifest.split == "dev"


def test_what_is_missing_is_found_by_the_check(name: str, tmp_path: Path) -> None:
    (fault,) = adapters.make(ComponentSpec(name, {"root": str(tmp_path)})).check()
    assert "questions.json' does not exist" in fault.problem


def test_documents_are_read_one_by_one(name: str, reports: Path) -> None:
    adapter = adapters.make(ComponentSpec(name, {"root": str(reports)}))
    assert isinstance(adapter, Declared)
    Reports.taken = 0
    from bakeoff.preparation.download import Downloads
    from bakeoff.preparation.workspace import LocalWorkspace

    documents = adapter.documents(adapter.prepare(LocalWorkspace(reports / "s", Downloads(reports / "c"))))
    next(documents)
    assert Reports.taken == 1


def test_the_files_that_it_fetched_are_part_of_the_result(prepare_as: Prepare, name: str, reports: Path) -> None:
    before = prepare_as(name, root=str(reports))
    assert set(before.manifest.resources) == {"questions"}
    (reports / "questions.json").write_text((reports / "questions.json").read_text() + "\n")
    assert prepare_as(name, root=str(reports)).manifest.fingerprint != before.manifest.fingerprint


@pytest.mark.parametrize("kind", [ResourceKind.MANUAL, ResourceKind.REPOSITORY])
def test_what_cannot_be_downloaded_says_how_it_is_got(prepare_as: Prepare, reports: Path, kind: ResourceKind) -> None:
    class ByHand(Reports):
        def resources(self) -> tuple[BenchmarkResource, ...]:
            return (BenchmarkResource("questions", "https://reports.example/form", kind),)

    name = f"by_hand_{next(numbers)}"
    register_benchmark(name)(ByHand)
    with pytest.raises(InvalidInputError, match=r"questions (must be got by hand|is a repository)"):
        prepare_as(name, root=str(reports))
    forget(name)

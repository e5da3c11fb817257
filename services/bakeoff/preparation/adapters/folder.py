"""Benchmarks that are a folder of files and a file of questions: YAML, or a table."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from bakeoff.domain.benchmark import (
    BenchmarkDocument,
    BenchmarkManifest,
    BenchmarkResource,
    Case,
    ResourceKind,
    RunUnit,
)
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.protocol import BenchmarkProtocol, PreparedSource, Workspace
from bakeoff.preparation.question_tables import is_table, named_by_path, read_question_table
from bakeoff.preparation.questions import Questions, read_questions
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.sources import is_remote, local_path, missing
from bakeoff.preparation.written_evaluators import default_evaluators
from bakeoff.runtime.registry import Is

PLAIN = ("documents", "docs", "corpus", "files")
"""Folder names that say nothing; a benchmark in such a folder is named after the folder above."""


@adapters.register("folder")
def folder(
    *,
    path: Annotated[str, Is("folder with the documents, one a file; hidden ones are passed over", path=True)],
    questions: Annotated[str, Is("YAML, CSV, JSON lines, JSON, Parquet or XLSX file with the cases", path=True)],
    columns: Annotated[
        dict[str, Any] | None,
        Is(
            "of a table, column by part: question, id, answers, document, page (from 1), page_index (from 0), "
            "evidence, type, difficulty; null means: guessed by their names, and told in the report"
        ),
    ] = None,
) -> BenchmarkProtocol:
    """A folder of files, and questions about them in one file.

    A document's id is its path in the folder, with `/`. In a table, a document may also be told by its file name, or
    that without its ending, where only one file has it.
    """
    return Folder(path, questions, columns)


@dataclass(frozen=True, slots=True)
class Folder:
    """The adapter; see `folder` for its settings."""

    path: str
    questions: str
    columns: dict[str, Any] | None = None

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is, as a YAML file says; named after its folder when nothing says it."""
        about = self._read().about
        root = local_path(self.path).absolute()
        name = root.parent.name if root.name in PLAIN and root.parent.name else root.name
        return BenchmarkManifest(
            name=about.get("name") or name or "folder",
            version=about.get("version") or "1",
            split=about.get("split") or "test",
            task_type="question_answering",
            homepage=about.get("homepage", ""),
            licence=about.get("licence", ""),
            citation=about.get("citation", ""),
        )

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return the folder and the file."""
        return (
            BenchmarkResource("documents", self.path, ResourceKind.DATASET),
            BenchmarkResource("questions", self.questions),
        )

    def check(self) -> list[Violation]:
        """Return what is missing, and what is wrong with the questions."""
        documents, questions = self.resources()
        faults = [
            Violation(field, f"{uri!r} must be a path of this machine: of folder, nothing is fetched")
            for field, uri in (("path", self.path), ("questions", self.questions))
            if is_remote(uri)
        ]
        if faults:
            return faults
        faults = missing([documents], "path") + missing([questions], "questions")
        if faults:
            return faults
        try:
            self._cases()
        except InvalidInputError as error:
            return list(error.violations) or [Violation("", error.message)]
        return []

    def decisions(self) -> tuple[str, ...]:
        """Return which columns of a table were taken for what, by their names alone."""
        return tuple(self._read().guesses)

    def prepare(self, workspace: Workspace) -> PreparedSource:
        """Find the folder and the file."""
        return PreparedSource({each.name: workspace.fetch(each) for each in self.resources()})

    def documents(self, source: PreparedSource) -> Iterator[BenchmarkDocument]:
        """Yield each file, sorted by its path."""
        for document_id, path in self._files():
            yield BenchmarkDocument(document_id, path.name, path=path)

    def cases(self, source: PreparedSource) -> Iterator[Case]:
        """Yield the cases of the file.

        Raises:
            InvalidInputError: something is wrong with it, or evidence names a document that is not there.
        """
        for guess in self._read().guesses:
            message = "columns of the questions were told by their names; set columns to say otherwise"
            source.findings.note("guessed_columns", message, guess)
        yield from self._cases()

    def run_units(self, source: PreparedSource) -> Iterator[RunUnit]:
        """Yield one unit: all documents, and every case."""
        yield RunUnit("corpus")

    def evaluators(self) -> tuple[ComponentSpec, ...]:
        """Return metrics of retrieval and, when some case has a gold answer, of answers."""
        return default_evaluators(answers=any(case.expected.answers for case in self._read().cases))

    def _read(self) -> Questions:
        path = local_path(self.questions)
        return read_question_table(path, self.columns or {}) if is_table(path) else read_questions(path)

    def _cases(self) -> tuple[Case, ...]:
        """Return the cases, each document told by its id."""
        questions = self._read()
        document_ids = [document_id for document_id, _ in self._files()]
        if is_table(local_path(self.questions)):
            questions = replace(questions, cases=named_by_path(questions.cases, document_ids))
        self._known(questions, document_ids)
        return questions.cases

    def _files(self) -> list[tuple[str, Path]]:
        root, questions = local_path(self.path), local_path(self.questions).resolve()
        found = (
            (_document_id(path.relative_to(root)), path)
            for path in root.rglob("*")
            if path.is_file() and path.resolve() != questions
        )
        return sorted((name, path) for name, path in found if not any(part[0] == "." for part in name.split("/")))

    def _known(self, questions: Questions, document_ids: list[str]) -> None:
        known = set(document_ids)
        faults = []
        for case in questions.cases:
            for index, evidence in enumerate(case.expected.evidence):
                wanted = str(evidence.locator.get("document_id", ""))
                if wanted and wanted not in known:
                    near = difflib.get_close_matches(wanted, document_ids, n=1)
                    hint = f"; did you mean {near[0]!r}?" if near else ""
                    place = f"{case.case_id}.evidence[{index}].document"
                    problem = f"{wanted!r} is no file of {self.path!r}{hint}"
                    faults.append(Violation(place, problem, self.questions, questions.lines[case.case_id]))
        if faults:
            raise InvalidInputError(f"{self.questions!r} names documents that are not there", faults)


def _document_id(path: Path) -> str:
    name = path.as_posix()
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InvalidInputError(f"the file name {name!r} is no UTF-8; rename the file") from None
    return name

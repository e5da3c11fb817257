"""FinanceBench: questions about the filings of companies, with the pages that answer them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from bakeoff.domain.benchmark import (
    BenchmarkDocument,
    BenchmarkManifest,
    BenchmarkResource,
    BuildScope,
    Case,
    Evidence,
    Expected,
    RunUnit,
)
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.document_files import DocumentFiles, folders_named
from bakeoff.preparation.protocol import BenchmarkProtocol, PreparedSource, Workspace
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.source_files import SourceFile, check_resource, find_files, open_resource, resource_of
from bakeoff.runtime.registry import Is

QUESTIONS = ("financebench_open_source.jsonl", "financebench*open_source*.jsonl", "financebench*.jsonl")
LABELS = ("question_type", "question_reasoning", "company")
EVALUATORS = (
    ComponentSpec("page_recall", {"k": 5}),
    ComponentSpec("page_recall", {"k": 10}),
    ComponentSpec("page_reciprocal_rank"),
    ComponentSpec("evidence_recall", {"k": 10}),
    ComponentSpec("numeric", {"tolerance": 0.01}),
    ComponentSpec("token_f1"),
)


@adapters.register("financebench")
def financebench(
    *,
    path: Annotated[str, Is("folder or archive with FinanceBench (data/ and pdfs/), or its address", path=True)],
    scope: Annotated[
        Literal["corpus", "document"], Is("one knowledge base of all filings, or one for each filing")
    ] = "corpus",
    documents: Annotated[
        str | None, Is("folder or archive with the PDFs; null means pdfs/ below path", path=True)
    ] = None,
) -> BenchmarkProtocol:
    """FinanceBench: 150 open questions about the filings of companies, each with the pages that answer it.

    Source: Islam et al. 2023, "FinanceBench", arXiv:2311.11944; scope is its shared or single vector store.
    """
    return FinanceBench(path, scope, documents)


class _Evidence(msgspec.Struct):
    evidence_text: str = ""
    evidence_page_num: int | None = None
    doc_name: str | None = None
    evidence_doc_name: str | None = None


class _Question(msgspec.Struct):
    financebench_id: str
    doc_name: str
    question: str
    answer: str | None = None
    justification: str | None = None
    evidence: list[_Evidence] = []
    question_type: str | None = None
    question_reasoning: str | None = None
    company: str | None = None


@dataclass(frozen=True, slots=True)
class FinanceBench:
    """The adapter; see `financebench` for its settings."""

    path: str
    scope: Literal["corpus", "document"]
    documents_path: str | None

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is."""
        return BenchmarkManifest(
            name="financebench",
            version="1",
            split="open_source",
            task_type="document_question_answering",
            build_scope=BuildScope.CORPUS if self.scope == "corpus" else BuildScope.GROUP,
            homepage="https://github.com/patronus-ai/financebench",
            licence="CC BY-NC 4.0",
            citation="Islam et al. 2023, FinanceBench, arXiv:2311.11944",
        )

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return the benchmark and, when they are elsewhere, the PDFs."""
        questions = resource_of("questions", self.path)
        return (questions, resource_of("documents", self.documents_path)) if self.documents_path else (questions,)

    def check(self) -> list[Violation]:
        """Return what is missing, as far as it can be told without unpacking or downloading."""
        how = {"questions": ("path", QUESTIONS), "documents": ("documents", ("*.pdf",))}
        return [
            fault for each in self.resources() for fault in check_resource(each, how[each.name][1], how[each.name][0])
        ]

    def prepare(self, workspace: Workspace) -> PreparedSource:
        """Find the questions and the PDFs."""
        roots = {resource.name: open_resource(workspace, resource) for resource in self.resources()}
        questions = find_files(roots["questions"], QUESTIONS)[0]
        root = roots.get("documents", roots["questions"]).path
        return PreparedSource({"questions": questions.path, "documents": root if root.is_dir() else root.parent})

    def documents(self, source: PreparedSource) -> Iterator[BenchmarkDocument]:
        """Yield each filing that is there: of a corpus all, else those of which something is asked."""
        files = self._files(source)
        if self.scope == "corpus":
            wanted = sorted(name for name, path in files.paths.items() if path.suffix.lower() == ".pdf")
        else:
            wanted = list(dict.fromkeys(each.doc_name for each in self._questions(source)))
        for name in wanted:
            path = files.get(name)
            if path is not None:
                yield BenchmarkDocument(name, path.name, path=path)

    def cases(self, source: PreparedSource) -> Iterator[Case]:
        """Yield each question about a filing that is there; the others are counted.

        Raises:
            InvalidInputError: no filing is there.
        """
        files, asked = self._files(source), 0
        for question in self._questions(source):
            if files.get(question.doc_name) is None:
                message = "questions about documents that are not there; they are not asked"
                source.findings.note("document_absent", message, f"{question.financebench_id} ({question.doc_name})")
                continue
            asked += 1
            yield _case(question)
        if not asked:
            raise InvalidInputError("none of the filings that the questions are about is there; set documents")

    def run_units(self, source: PreparedSource) -> Iterator[RunUnit]:
        """Yield one unit, or one for each filing."""
        if self.scope == "corpus":
            yield RunUnit("corpus")
            return
        files, by_document = self._files(source), dict[str, list[str]]()
        for question in self._questions(source):
            if files.get(question.doc_name) is not None:
                by_document.setdefault(question.doc_name, []).append(question.financebench_id)
        for name, case_ids in by_document.items():
            yield RunUnit(name, (name,), tuple(case_ids), {"doc_name": name})

    def evaluators(self) -> tuple[ComponentSpec, ...]:
        """Return page recall and methods for answers; the authors had people judge them."""
        return EVALUATORS

    def _questions(self, source: PreparedSource) -> Iterator[_Question]:
        path = source.files["questions"]
        for row in read_rows(SourceFile(path.name, path)):
            yield row.convert(_Question)

    def _files(self, source: PreparedSource) -> DocumentFiles:
        return DocumentFiles.below(folders_named(source.files["documents"], ("pdfs",)))


def _case(question: _Question) -> Case:
    evidence, texts = [], []
    for each in question.evidence:
        document_id = each.doc_name or each.evidence_doc_name or question.doc_name
        # Pages count from 0, as the publisher says. The words are those of another reader of PDFs: they are shown,
        # and a passage of the page counts whatever its words.
        page = {} if each.evidence_page_num is None else {"page_index": each.evidence_page_num}
        evidence.append(Evidence(document_id, {"document_id": document_id, **page}))
        texts.append(each.evidence_text)
    shown = {"evidence_texts": texts, "justification": question.justification or ""}
    labels = {name: value for name in LABELS if (value := getattr(question, name))}
    answers = (question.answer,) if question.answer else ()
    expected = Expected(answers, tuple(evidence), metadata=dict(shown))
    return Case(question.financebench_id, question.question, expected, labels, {"document": question.doc_name})

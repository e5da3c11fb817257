"""Benchmarks of questions with paragraphs: each with its own few as a knowledge base, or all over one corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.json_rows import decoded_row
from bakeoff.preparation.opened_lines import opened_lines
from bakeoff.preparation.paragraph_pool import ParagraphPool, corpus_documents
from bakeoff.preparation.paragraph_questions import ParagraphQuestion, read_question
from bakeoff.preparation.protocol import PreparedSource, Workspace
from bakeoff.preparation.question_set import About
from bakeoff.preparation.record_documents import TextDocument, record_documents, write_records
from bakeoff.preparation.row import Row
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.source_files import SourceFile, check_resource, find_files, open_resource, resource_of

CORPUS = "corpus.jsonl"
QUESTIONS = "questions/"
"""Before the name of the file of questions, which may be any."""
DUMP = ("wiki_*.bz2",)
"""How HotpotQA's dump of Wikipedia names its files."""


@dataclass(frozen=True, slots=True)
class ParagraphSet:
    """The adapter of such a set; an adapter's own file says what it is about and how its files are named."""

    about: About
    path: str
    split: str
    patterns: tuple[str, ...]
    """Globs for the file of questions in a folder."""
    corpus: str | None
    """File or folder with the paragraphs; None means those of the questions."""
    corpus_patterns: tuple[str, ...]
    each: bool
    """Whether each question has its own paragraphs as its knowledge base; else all share one."""

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is."""
        about = self.about
        return BenchmarkManifest(
            name=about.name,
            version="1",
            split=self.split,
            task_type="multi_hop_question_answering",
            build_scope=BuildScope.CASE if self.each else BuildScope.CORPUS,
            homepage=about.homepage,
            licence=about.licence,
            citation=about.citation,
            metadata=about.metadata,
        )

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return the questions and, when it is elsewhere, the corpus."""
        questions = resource_of("questions", self.path)
        return (questions, resource_of("corpus", self.corpus)) if self.corpus else (questions,)

    def check(self) -> list[Violation]:
        """Return what is missing, as far as it can be told without unpacking or downloading."""
        how = {"questions": ("path", self.patterns), "corpus": ("corpus", (*self.corpus_patterns, *DUMP))}
        return [
            fault
            for resource in self.resources()
            for fault in check_resource(resource, how[resource.name][1], how[resource.name][0])
        ]

    def prepare(self, workspace: Workspace) -> PreparedSource:
        """Find the questions, and write all paragraphs as one corpus of records."""
        roots = {resource.name: open_resource(workspace, resource) for resource in self.resources()}
        questions = find_files(roots["questions"], self.patterns)[0]
        made = workspace.folder() / CORPUS
        source = PreparedSource({QUESTIONS + questions.name: questions.path, CORPUS: made})
        files: Sequence[SourceFile] = ()
        if "corpus" in roots:
            files = find_files(roots["corpus"], (*self.corpus_patterns, *DUMP))
        write_records(made, self._given(files) if files else self._pooled(source))
        return source

    def documents(self, source: PreparedSource) -> Iterator[BenchmarkDocument]:
        """Yield each paragraph."""
        yield from record_documents(source.files[CORPUS], source.findings)

    def cases(self, source: PreparedSource) -> Iterator[Case]:
        """Yield each question, with the paragraphs that its answer rests on as evidence."""
        pool = ParagraphPool.of_records(source.files[CORPUS])
        for question in self._questions(source):
            yield _case(question, pool, source.findings)

    def run_units(self, source: PreparedSource) -> Iterator[RunUnit]:
        """Yield a unit for each question, or one for all."""
        if not self.each:
            yield RunUnit("corpus")
            return
        pool = ParagraphPool.of_records(source.files[CORPUS])
        for question in self._questions(source):
            ids = dict.fromkeys(one for paragraph in question.paragraphs for one in pool.ids_of(paragraph)[:1])
            if not ids:  # a unit that names none would have all
                raise InvalidInputError(
                    f"question {question.case_id!r} has no paragraphs to be a knowledge base of its own"
                )
            yield RunUnit(question.case_id, tuple(ids), (question.case_id,))

    def evaluators(self) -> tuple[ComponentSpec, ...]:
        """Return the methods of the set's authors, and strict ones beside them."""
        return self.about.evaluators

    def _questions(self, source: PreparedSource) -> Iterator[ParagraphQuestion]:
        name, path = next((name, path) for name, path in source.files.items() if name.startswith(QUESTIONS))
        for row in read_rows(SourceFile(name, path)):
            yield read_question(row)

    def _pooled(self, source: PreparedSource) -> Iterator[TextDocument]:
        pool = ParagraphPool()
        for question in self._questions(source):
            for paragraph in question.paragraphs:
                document = pool.add(paragraph)
                if document:
                    yield document

    def _given(self, files: Sequence[SourceFile]) -> Iterator[TextDocument]:
        for file in files:
            rows = _compressed_rows(file) if file.ending == ".bz2" else read_rows(file)
            yield from corpus_documents(rows)


def _compressed_rows(file: SourceFile) -> Iterator[Row]:
    for number, (line, data) in enumerate(opened_lines(file.path), start=1):
        yield decoded_row(file, data, number, line)


def _case(question: ParagraphQuestion, pool: ParagraphPool, findings: Findings) -> Case:
    evidence: list[Evidence] = []
    for paragraph in question.supporting:
        found = pool.ids_of(paragraph)
        if len(found) > 1:
            message = "evidence whose title several paragraphs have; each of them counts as evidence"
            findings.note("ambiguous_evidence", message, f"{question.case_id} {paragraph.title}")
        wanted = found or (paragraph.title,)  # one that is not there is judged, and dangles
        evidence += [Evidence(paragraph.title or one, {"document_id": one}) for one in wanted]
    metadata = {"supporting_facts": [list(fact) for fact in question.facts]} if question.facts else {}
    return Case(
        question.case_id,
        question.question,
        Expected(question.answers, tuple(evidence), metadata=dict(metadata)),
        labels=question.labels,
    )

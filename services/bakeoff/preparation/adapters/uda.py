"""UDA: questions about reports, papers and articles, each document a knowledge base of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from bakeoff.domain.benchmark import (
    BenchmarkDocument,
    BenchmarkManifest,
    BenchmarkResource,
    BuildScope,
    Case,
    RunUnit,
)
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.document_files import DocumentFiles, folders_named
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.protocol import BenchmarkProtocol, PreparedSource, Workspace
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.source_files import (
    SourceFile,
    check_resource,
    find_files,
    matching,
    open_resource,
    resource_of,
)
from bakeoff.preparation.uda_evidence import read_evidence
from bakeoff.preparation.uda_questions import Subset, UdaQuestion, read_uda
from bakeoff.runtime.registry import Is

FOLDERS = {
    "fin": ("fin_docs",),
    "tat": ("tat_docs",),
    "paper_tab": ("paper_docs",),
    "paper_text": ("paper_docs",),
    "feta": ("wiki_docs", "feta_docs"),
    "nq": ("wiki_docs", "nq_docs"),
}
"""Where the publisher keeps each subset's documents."""
WITH_WORDS = ("tat", "paper_tab", "paper_text")
"""Subsets whose evidence is told by its words; that of fin is a page."""
OFFICIAL = {"paper_tab": "paper", "paper_text": "paper"}
PAGES = (*(ComponentSpec("page_recall", {"k": k}) for k in (1, 5, 10)), ComponentSpec("page_reciprocal_rank"))
STRICT: dict[str, tuple[ComponentSpec, ...]] = {
    "fin": (ComponentSpec("numeric", {"tolerance": 0.01}), ComponentSpec("exact_match")),
    "tat": (),  # its golds are the spans of one answer, all of them wanted: any one of them is not right
}


@adapters.register("uda")
def uda(
    *,
    path: Annotated[str, Is("folder or archive with UDA-Benchmark, or its address", path=True)],
    subset: Annotated[Subset, Is("which of the six: finance, financial tables, papers, tables, Wikipedia")] = "fin",
    documents: Annotated[
        str | None,
        Is("folder or archive with the documents; null means where the publisher has them, below path", path=True),
    ] = None,
    only_present: Annotated[
        bool,
        Is("whether questions about documents that are not there are left out, and counted; else they are refused"),
    ] = True,
) -> BenchmarkProtocol:
    """UDA: 8,190 questions about 788 financial reports, and five more subsets; one knowledge base for each document.

    The page that the id of a question of `fin` names is its evidence: `page_49.pdf` is page_index 48. Of papers and
    financial tables the sentences and facts of `bench_{subset}_qa.json` are, where that file is there.

    Source: Hui et al. 2024, "UDA", arXiv:2406.15187.
    """
    return Uda(path, subset, documents, only_present)


@dataclass(frozen=True, slots=True)
class Uda:
    """The adapter; see `uda` for its settings."""

    path: str
    subset: Subset
    documents_path: str | None
    only_present: bool

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is."""
        return BenchmarkManifest(
            name=f"uda_{self.subset}",
            version="1",
            split="test",
            task_type="document_question_answering",
            build_scope=BuildScope.CASE,
            homepage="https://github.com/qinchuanhui/UDA-Benchmark",
            licence="CC BY-SA 4.0",
            citation="Hui et al. 2024, UDA, arXiv:2406.15187",
            metadata={"subset": self.subset},
        )

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return the benchmark and, when they are elsewhere, the documents."""
        questions = resource_of("questions", self.path)
        return (questions, resource_of("documents", self.documents_path)) if self.documents_path else (questions,)

    def check(self) -> list[Violation]:
        """Return what is missing, as far as it can be told without unpacking or downloading."""
        fields = {"questions": ("path", self._pattern()), "documents": ("documents", "*")}
        return [
            fault
            for resource in self.resources()
            for fault in check_resource(resource, (fields[resource.name][1],), fields[resource.name][0])
        ]

    def prepare(self, workspace: Workspace) -> PreparedSource:
        """Find the questions and the documents."""
        roots = {resource.name: open_resource(workspace, resource).path for resource in self.resources()}
        evidence = matching(roots["questions"], (f"bench_{self.subset}_qa.json",)) if self.subset in WITH_WORDS else []
        files = {"evidence": evidence[0].path} if evidence else {}
        questions = find_files(SourceFile(self.path, roots["questions"]), (self._pattern(),))[0]
        files |= {"questions": questions.path, "documents": roots.get("documents", roots["questions"])}
        return PreparedSource(files)

    def documents(self, source: PreparedSource) -> Iterator[BenchmarkDocument]:
        """Yield each document of which something is asked and that is there, in the order of the questions.

        Raises:
            InvalidInputError: none is.
        """
        files = self._files(source)
        found = False
        for name in dict.fromkeys(each.document for each in self._questions(source, Findings())):
            path = files.get(name)
            if path is not None:
                found = True
                yield BenchmarkDocument(name, path.name, path=path)
        if not found:
            raise InvalidInputError(f"none of the documents that {self._pattern()} asks about is there; set documents")

    def cases(self, source: PreparedSource) -> Iterator[Case]:
        """Yield each question about a document that is there; the others are counted.

        Raises:
            InvalidInputError: a document is not there, unless such questions may be left out.
        """
        files = self._files(source)
        words = read_evidence(source.files["evidence"]) if "evidence" in source.files else {}
        for each in self._questions(source, source.findings):
            if files.get(each.document) is not None:
                yield each.case(words.get(each.case_id, ()))
            elif self.only_present:
                message = "questions about documents that are not there; they are not asked"
                source.findings.note("document_absent", message, f"{each.case_id} ({each.document})")
            else:
                raise InvalidInputError(f"question {each.case_id!r}: there is no file {each.document}.pdf")

    def run_units(self, source: PreparedSource) -> Iterator[RunUnit]:
        """Yield a unit for each document that is there, with the questions about it."""
        files = self._files(source)
        by_document: dict[str, list[str]] = {}
        for each in self._questions(source, Findings()):
            by_document.setdefault(each.document, []).append(each.case_id)
        for name, case_ids in by_document.items():
            if files.get(name) is not None:
                yield RunUnit(name, (name,), tuple(case_ids), {"doc_name": name})

    def evaluators(self) -> tuple[ComponentSpec, ...]:
        """Return the recall of pages or words where they are known, the subset's own script, and strict methods."""
        known = self.subset in ("fin", *WITH_WORDS)
        places = tuple(ComponentSpec("evidence_recall", {"k": k}) for k in (1, 5, 10)) if known else ()
        pages = PAGES if self.subset == "fin" else ()
        official = ComponentSpec("uda", {"subset": OFFICIAL.get(self.subset, self.subset)})
        strict = STRICT.get(self.subset, (ComponentSpec("token_f1"), ComponentSpec("exact_match")))
        return (*pages, *places, official, *strict)

    def _pattern(self) -> str:
        return f"{self.subset}_qa.csv"

    def _questions(self, source: PreparedSource, findings: Findings) -> Iterator[UdaQuestion]:
        return read_uda(SourceFile(self._pattern(), source.files["questions"]), self.subset, findings)

    def _files(self, source: PreparedSource) -> DocumentFiles:
        root = source.files["documents"]
        return DocumentFiles.below([root] if self.documents_path else folders_named(root, FOLDERS[self.subset]))

"""CRAG: questions with the web pages that a search found, which may or may not answer them."""

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
    Expected,
    RunUnit,
)
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import Violation
from bakeoff.preparation.opened_lines import opened_lines
from bakeoff.preparation.protocol import BenchmarkProtocol, PreparedSource, Workspace
from bakeoff.preparation.records import fault
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.source_files import check_resource, find_files, open_resource, resource_of
from bakeoff.runtime.registry import Is

FILES = ("crag_task_*_dev_*.jsonl.bz2", "crag_*.jsonl*", "*.jsonl.bz2", "*.jsonl")
LABELS = ("domain", "question_type", "static_or_dynamic", "popularity")
SPLITS = {"dev": 0, "test": 1}
"""What the file calls validation and public test."""


@adapters.register("crag")
def crag(
    *,
    path: Annotated[str, Is("file (.jsonl, .jsonl.bz2), folder or archive with CRAG, or its address", path=True)],
    split: Annotated[
        Literal["dev", "test", "all"], Is("questions of the validation split, the public test, or both")
    ] = "all",
    pages: Annotated[
        Literal["html", "snippet"], Is("documents are the whole pages, or the short texts that the search showed")
    ] = "html",
) -> BenchmarkProtocol:
    """CRAG: 2,706 questions of five domains, each with up to 5 or 50 web pages as its knowledge base.

    A page's id is `<interaction_id>/<number from 0>`. The gold answers are `answer` and `alt_ans`; that of a question
    with a false premise is "invalid question".

    Source: Yang et al. 2024, "CRAG", arXiv:2406.04744; layout of versions 3 to 5 of the data.
    """
    return Crag(path, split, pages)


class _Page(msgspec.Struct):
    page_name: str | None = None
    page_url: str | None = None
    page_snippet: str | None = None
    page_result: str | None = None
    page_last_modified: str | None = None


class _Question(msgspec.Struct):
    interaction_id: str
    query: str
    answer: str | None = None
    alt_ans: list[str] = []
    query_time: str | None = None
    domain: str | None = None
    question_type: str | None = None
    static_or_dynamic: str | None = None
    popularity: str | None = None
    split: int | None = None
    search_results: list[_Page] = []


@dataclass(frozen=True, slots=True)
class Crag:
    """The adapter; see `crag` for its settings."""

    path: str
    split: Literal["dev", "test", "all"]
    pages: Literal["html", "snippet"]

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is."""
        return BenchmarkManifest(
            name="crag",
            version="1",
            split=self.split,
            task_type="question_answering",
            build_scope=BuildScope.CASE,
            homepage="https://github.com/facebookresearch/CRAG",
            licence="CC BY-NC 4.0",
            citation="Yang et al. 2024, CRAG, arXiv:2406.04744",
            metadata={"pages": self.pages},
        )

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return the benchmark."""
        return (resource_of("questions", self.path),)

    def check(self) -> list[Violation]:
        """Return what is missing, as far as it can be told without unpacking or downloading."""
        return check_resource(self.resources()[0], FILES, "path")

    def prepare(self, workspace: Workspace) -> PreparedSource:
        """Find the file."""
        return PreparedSource({"questions": find_files(open_resource(workspace, self.resources()[0]), FILES)[0].path})

    def documents(self, source: PreparedSource) -> Iterator[BenchmarkDocument]:
        """Yield each page of each question."""
        for question in self._questions(source):
            for number, page in enumerate(question.search_results):
                html = self.pages == "html"
                text = (page.page_result if html else page.page_snippet) or ""
                about = {"url": page.page_url, "title": page.page_name, "last_modified": page.page_last_modified}
                yield BenchmarkDocument(
                    _page_id(question, number),
                    f"{number}.html" if html else f"{number}.txt",
                    "text/html" if html else "text/plain",
                    data=text.encode(),
                    metadata={name: value for name, value in about.items() if value},
                )

    def cases(self, source: PreparedSource) -> Iterator[Case]:
        """Yield each question; its time is in the metadata `query_time`."""
        for question in self._questions(source):
            if not question.search_results:
                message = "questions without a web page; there is nothing to search, and they are not asked"
                source.findings.note("question_without_page", message, question.interaction_id)
                continue
            golds = (question.answer, *question.alt_ans)
            yield Case(
                question.interaction_id,
                question.query,
                Expected(tuple(dict.fromkeys(str(gold) for gold in golds if gold))),
                {name: value for name in LABELS if (value := getattr(question, name))},
                {"query_time": question.query_time} if question.query_time else {},
            )

    def run_units(self, source: PreparedSource) -> Iterator[RunUnit]:
        """Yield a unit for each question, with its pages."""
        for question in self._questions(source):
            if question.search_results:
                ids = tuple(_page_id(question, number) for number in range(len(question.search_results)))
                yield RunUnit(question.interaction_id, ids, (question.interaction_id,))

    def evaluators(self) -> tuple[ComponentSpec, ...]:
        """Return methods for answers; the authors' own score needs a judge."""
        return (ComponentSpec("exact_match"), ComponentSpec("token_f1"), ComponentSpec("answer_contains"))

    def _questions(self, source: PreparedSource) -> Iterator[_Question]:
        path = source.files["questions"]
        decode = msgspec.json.Decoder(_Question).decode
        for line, data in opened_lines(path):
            try:
                question = decode(data)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise fault(path, line, "", str(error)) from error
            if self.split == "all" or question.split == SPLITS[self.split]:
                yield question


def _page_id(question: _Question, number: int) -> str:
    return f"{question.interaction_id}/{number}"

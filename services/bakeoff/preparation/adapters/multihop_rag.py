"""MultiHop-RAG: questions that take facts of two to four news articles to answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from bakeoff.domain.benchmark import BenchmarkDocument, BenchmarkManifest, BenchmarkResource, Case, RunUnit
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.multihop_queries import Article, Query, fact_articles, query_case, read_articles, read_queries
from bakeoff.preparation.protocol import BenchmarkProtocol, PreparedSource, Workspace
from bakeoff.preparation.record_documents import TextDocument, record_documents, write_records
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.source_files import SourceFile, check_resource, find_files, open_resource, resource_of
from bakeoff.runtime.registry import Is

QUESTIONS = ("MultiHopRAG.json", "MultiHopRAG*.parquet", "MultiHopRAG*.json", "queries.json")
ARTICLES = ("corpus.json", "corpus.jsonl", "corpus*.parquet")
ANSWERS = "ground_truth.json"
"""Where a sample keeps answers and evidence by the question's id, beside `queries.json`."""
MADE = "articles.jsonl"
EVALUATORS = (
    ComponentSpec("evidence_recall", {"k": 10}),
    ComponentSpec("evidence_hit", {"k": 4}),
    ComponentSpec("evidence_hit", {"k": 10}),
    ComponentSpec("evidence_complete", {"k": 10}),
    ComponentSpec("evidence_reciprocal_rank", {"k": 10}),
    ComponentSpec("multihop_rag_retrieval"),
    ComponentSpec("exact_match"),
    ComponentSpec("token_f1"),
    ComponentSpec("multihop_rag_answer"),
)
"""The two of the authors' scripts beside strict ones."""


@adapters.register("multihop_rag")
def multihop_rag(
    *,
    path: Annotated[str, Is("folder or archive with corpus.json and MultiHopRAG.json, or its address", path=True)],
    articles: Annotated[
        Literal["corpus", "facts"],
        Is("whole articles of the corpus; or, without one, each article's gold facts alone: much easier to search"),
    ] = "corpus",
) -> BenchmarkProtocol:
    """MultiHop-RAG: 2,556 questions over 609 news articles, 301 of them without an answer in the corpus.

    Each gold fact is evidence by its article and its words; a question without an answer has none, and its label
    `question_type` is `null_query`.

    Source: Tang & Yang 2024, "MultiHop-RAG", arXiv:2401.15391.
    """
    return MultiHopRag(path, articles)


@dataclass(frozen=True, slots=True)
class MultiHopRag:
    """The adapter; see `multihop_rag` for its settings."""

    path: str
    articles: Literal["corpus", "facts"]

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is."""
        return BenchmarkManifest(
            name="multihop_rag",
            version="1",
            split="all",
            task_type="multi_hop_question_answering",
            homepage="https://github.com/yixuantt/MultiHop-RAG",
            licence="ODC-BY 1.0",
            citation="Tang & Yang 2024, MultiHop-RAG, arXiv:2401.15391",
            metadata={"articles": self.articles},
        )

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return the benchmark."""
        return (resource_of("benchmark", self.path),)

    def check(self) -> list[Violation]:
        """Return what is missing, as far as it can be told without unpacking or downloading."""
        wanted = (QUESTIONS, ARTICLES) if self.articles == "corpus" else (QUESTIONS,)
        faults = [fault for names in wanted for fault in check_resource(self.resources()[0], names, "path")]
        return list(dict.fromkeys(faults))

    def prepare(self, workspace: Workspace) -> PreparedSource:
        """Find the questions, and write the articles as records.

        Raises:
            InvalidInputError: the questions or the corpus are not there, or two articles have one address.
        """
        root = open_resource(workspace, self.resources()[0])
        questions = find_files(root, QUESTIONS)[0]
        files = {"questions": questions.path}
        beside = questions.path.parent / ANSWERS
        if beside.is_file():
            files[ANSWERS] = beside
        made = workspace.folder() / MADE
        if self.articles == "corpus":
            if root.path.is_file():
                raise InvalidInputError(f"{self.path!r} must be a folder or an archive, with {ARTICLES[0]} beside it")
            corpus = find_files(root, ARTICLES)[0]
            files[corpus.name] = corpus.path
            found = read_articles(corpus)
        else:
            found = fact_articles(read_queries(questions, files.get(ANSWERS)))
        write_records(made, (_document(article) for article in found))
        return PreparedSource({**files, MADE: made})

    def documents(self, source: PreparedSource) -> Iterator[BenchmarkDocument]:
        """Yield each article."""
        yield from record_documents(source.files[MADE], source.findings)

    def cases(self, source: PreparedSource) -> Iterator[Case]:
        """Yield each question."""
        if self.articles == "facts":
            message = "articles are their gold facts alone: numbers are no numbers of the benchmark"
            source.findings.note("corpus_of_facts", message, "set articles to corpus, with corpus.json")
        for number, query in enumerate(self._queries(source)):
            yield query_case(number, query)

    def run_units(self, source: PreparedSource) -> Iterator[RunUnit]:
        """Yield one unit: all articles, and every question."""
        yield RunUnit("corpus")

    def evaluators(self) -> tuple[ComponentSpec, ...]:
        """Return the scripts' own measures with strict ones beside them, and the retrieval of articles."""
        return EVALUATORS

    def _queries(self, source: PreparedSource) -> Iterator[Query]:
        path = source.files["questions"]
        return read_queries(SourceFile(path.name, path), source.files.get(ANSWERS))


def _document(article: Article) -> TextDocument:
    return TextDocument(article.document_id, article.title, article.body, article.metadata)

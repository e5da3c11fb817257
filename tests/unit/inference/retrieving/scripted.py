"""A knowledge base in a dictionary, and a model that says what a script makes of what it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bakeoff.domain.answer import Failure, FailureKind, Passage
from bakeoff.domain.benchmark import Json
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.prompt import Completion, Usage
from bakeoff.domain.recipe import QueryMode
from bakeoff.inference.core import Retrieve, Retrieved
from bakeoff.inference.registries import engines, rerankers
from bakeoff.inference.retrieving.opening import engine_of
from bakeoff.inference.retrieving.searching import Asked, KnowledgeSearch, Question
from tests.builders import a_passage

MODEL = {"base_url": "http://127.0.0.1:1/v1", "model": "scripted"}
USAGE = Usage(10, 2, 0, 0.5, 1, 20.0)


@dataclass
class Knowledge:
    """Finds documents by how many of a query's words they have; equals in their order."""

    documents: Mapping[str, str]
    opened: list[tuple[str, int, int]] = field(default_factory=list)
    """Engine, top_k and text_ranks of each search."""
    queries: list[list[str]] = field(default_factory=list)
    embedding: Usage | None = None
    """What an endpoint takes to embed each query."""

    def __call__(self, kb_id: str, mode: QueryMode, text_ranks: int) -> Retrieve:
        self.opened.append((str(mode.engine), mode.top_k, text_ranks))
        return _Retrieve(self, mode.top_k, text_ranks)


@dataclass
class _Retrieve:
    knowledge: Knowledge
    top_k: int
    text_ranks: int

    def ready(self) -> None:
        """It always is."""

    def __call__(self, queries: Sequence[str]) -> list[Retrieved]:
        self.knowledge.queries.append(list(queries))
        return [self._found(query) for query in queries]

    def _found(self, query: str) -> Retrieved:
        if query == "refused":
            return Retrieved(failure=Failure(FailureKind.INPUT, "the question is blank"), retrieve_ms=1.0)
        words = set(query.lower().split())
        scored = [(len(words & set(text.lower().split())), name) for name, text in self.knowledge.documents.items()]
        best = sorted((each for each in scored if each[0]), key=lambda each: -each[0])[: self.top_k]
        texts = self.knowledge.documents
        passages = [a_passage(name, rank=rank, text=texts[name]) for rank, (_, name) in enumerate(best, start=1)]
        shown = [self._cut(each) for each in passages]
        return Retrieved(shown, retrieve_ms=1.0, embedding=self.knowledge.embedding)

    def _cut(self, passage: Passage) -> Passage:
        return passage if passage.rank <= self.text_ranks else replace(passage, text=None)


@dataclass
class Model:
    """Says what a script makes of each prompt; a failure where the script gives none."""

    script: Callable[[str], str | None]
    asked: list[Asked] = field(default_factory=list)
    batches: int = 0

    def __call__(self, asked: Sequence[Asked], schema: Json) -> list[Completion | Failure]:
        self.asked += asked
        self.batches += 1
        said = [self.script(each.prompt.text) for each in asked]
        return [
            Failure(FailureKind.INPUT, "the endpoint refused it") if text is None else Completion(text, "stop", USAGE)
            for text in said
        ]


def retrieve(
    spec: ComponentSpec,
    knowledge: Knowledge,
    model: Model,
    questions: Mapping[str, str],
    *,
    top_k: int = 10,
    text_ranks: int = 0,
) -> list[Retrieved]:
    """Return what an engine over the knowledge base finds for questions by case."""
    engines.load()
    rerankers.load()
    engine = engine_of(spec)
    assert engine is not None
    search = KnowledgeSearch(knowledge, "kb-1", engine.first)
    asked = [Question(case, text) for case, text in questions.items()]
    return engine.retrieve(asked, search, model, top_k=top_k, text_ranks=text_ranks)


def names(found: Retrieved) -> list[str]:
    """Return the documents that were found."""
    return [passage.document_id for passage in found.passages]

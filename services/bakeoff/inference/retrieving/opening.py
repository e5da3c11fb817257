"""From a query mode to what retrieves: engines of inference, over each other and over one of the knowledge service."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bakeoff.domain.answer import Failure
from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prompt import Completion
from bakeoff.domain.recipe import QueryMode
from bakeoff.inference.core import Retrieve, Retrieved
from bakeoff.inference.registries import engines, rerankers
from bakeoff.inference.retrieving.model_asking import Asker, SchemaTakers
from bakeoff.inference.retrieving.reranking import ENGINE, Rerank
from bakeoff.inference.retrieving.searching import (
    Asked,
    AskModel,
    KnowledgeSearch,
    ModelEngine,
    OpenKnowledge,
    Question,
    Search,
)
from bakeoff.models.access import ModelAccess

RERANK_DEPTH = 50
"""Of `rerank`, where it is not said: the default of the knowledge service's engine of that name."""


@dataclass(frozen=True, slots=True)
class EngineOpener:
    """Opens knowledge bases to be asked by any engine. Thread-safe."""

    plain: OpenKnowledge
    """Opens them to be asked by the knowledge service's engines."""
    models: ModelAccess
    takers: SchemaTakers = field(default_factory=SchemaTakers)

    def on_behalf(self, *, seed: int, scope: str = "", step: Callable[[], None] = lambda: None) -> OpenKnowledge:
        """Return what opens knowledge bases for the cases of one evaluation.

        Args:
            seed: With the case id, the source of everything random.
            scope: On whose behalf; see `Model.batch`.
            step: Is told of every reply of a model, and may raise to end the asking.
        """

        def open_knowledge(kb_id: str, mode: QueryMode, text_ranks: int) -> Retrieve:
            """Open a knowledge base.

            Raises:
                NotFoundError: there is no such reranker.
                InvalidInputError: an engine cannot be made, or the key of its model is not there.
            """
            engine = engine_of(mode.engine)
            plain = self.plain(kb_id, QueryMode(mode.name, innermost(mode.engine), mode.top_k), text_ranks)
            if engine is None:
                return plain

            def ask_of(engine: ModelEngine) -> AskModel:
                if engine.model is None:
                    return _nobody
                self.models.open(engine.model.choice)  # a key that is not there is no matter of a case
                return Asker(engine.model, self.models, seed, scope, step, self.takers)

            def search_of(spec: ComponentSpec) -> Search:
                inner = engine_of(spec)
                if inner is None:
                    return KnowledgeSearch(self.plain, kb_id, spec)
                return _EngineSearch(inner, search_of(inner.first), ask_of(inner))

            return EngineRetriever(search_of(mode.engine), plain, mode.top_k, text_ranks)

        return open_knowledge


@dataclass(frozen=True, slots=True)
class EngineRetriever:
    """Asks one knowledge base by an engine of inference. Thread-safe."""

    search: Search
    plain: Retrieve
    """The innermost engine, which knows whether the knowledge base can be asked."""
    top_k: int
    text_ranks: int

    def ready(self) -> None:
        """Prove that the knowledge base can be asked now; as `Retrieve`."""
        self.plain.ready()

    def __call__(self, queries: Sequence[str]) -> list[Retrieved]:
        """Return what was found for each query, which is its own case id."""
        return self._found([Question(query, query) for query in queries])

    def for_cases(self, cases: Sequence[Case]) -> list[Retrieved]:
        """Return what was found for each case."""
        return self._found([Question(case.case_id, case.query) for case in cases])

    def _found(self, questions: Sequence[Question]) -> list[Retrieved]:
        return self.search(questions, top_k=self.top_k, text_ranks=min(self.text_ranks, self.top_k))


@dataclass(frozen=True, slots=True)
class _EngineSearch:
    engine: ModelEngine
    first: Search
    ask: AskModel

    def __call__(self, questions: Sequence[Question], *, top_k: int, text_ranks: int) -> list[Retrieved]:
        return self.engine.retrieve(questions, self.first, self.ask, top_k=top_k, text_ranks=text_ranks)


def engine_of(spec: ComponentSpec) -> ModelEngine | None:
    """Return an engine that inference runs; None when it is the knowledge service's.

    `rerank` is the knowledge service's engine, unless its reranker asks a model.

    Raises:
        InvalidInputError: it cannot be made of its settings.
    """
    if spec.name in engines.names():
        return engines.make(spec)
    if spec.name != ENGINE:
        return None
    reranker, first = (str(spec.settings.get(name, "")) for name in ("reranker", "first"))
    if not reranker or ComponentSpec.parse(reranker).name not in rerankers.names():
        return None
    depth = spec.settings.get("depth", RERANK_DEPTH)
    if not isinstance(depth, int) or depth < 1:
        raise InvalidInputError(f"{spec}: depth must be a whole number from 1, not {depth!r}")
    return Rerank(
        ComponentSpec.parse(first or "full_text_search"), rerankers.make(ComponentSpec.parse(reranker)), depth
    )


def innermost(spec: ComponentSpec) -> ComponentSpec:
    """Return the knowledge service's engine at the bottom of an engine."""
    while engine := engine_of(spec):
        spec = engine.first
    return spec


def models_in(spec: ComponentSpec) -> list[ModelEngine]:
    """Return the engines that ask a model, from the outermost to the innermost."""
    found = []
    while engine := engine_of(spec):
        if engine.model is not None:
            found.append(engine)
        spec = engine.first
    return found


def _nobody(asked: Sequence[Asked], schema: Json) -> list[Completion | Failure]:
    raise AssertionError("an engine without a model asks nobody")

"""What engines of inference are: they ask another engine, and mostly a model, and come to passages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bakeoff.domain.answer import Failure
from bakeoff.domain.benchmark import Json
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.prompt import Completion, Prompt
from bakeoff.domain.recipe import QueryMode
from bakeoff.inference.core import BATCH_QUERIES, Retrieve, Retrieved
from bakeoff.models.choice import ModelChoice

OpenKnowledge = Callable[[str, QueryMode, int], Retrieve]
"""Opens a knowledge base by id, to be asked in a mode, with the texts of the first so many ranks."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked on behalf of a case; several may be asked on behalf of one."""

    case_id: str
    text: str


class Search(Protocol):
    """Asks an engine."""

    def __call__(self, questions: Sequence[Question], *, top_k: int, text_ranks: int) -> list[Retrieved]:
        """Return what was found for each question, in their order.

        Args:
            questions: Any number.
            top_k: Passages of each, from 1.
            text_ranks: First ranks whose texts are given.

        Raises:
            NotFoundError, InvalidInputError, OutOfReachError: as `Retrieve`.
        """


@dataclass(frozen=True, slots=True)
class Asked:
    """What a model is told for a step of a case."""

    case_id: str
    step: str
    """Unique in the case, such as `rewrite`: with it and the seed, the source of what is random."""
    prompt: Prompt


class AskModel(Protocol):
    """Asks the model of an engine; one that was asked before is not asked again."""

    def __call__(self, asked: Sequence[Asked], schema: Json) -> list[Completion | Failure]:
        """Return what each came to, in their order.

        Args:
            asked: What the model is told, many at once.
            schema: JSON schema of the replies, for endpoints that hold models to one.

        Raises:
            OutOfReachError: a part of the platform does not answer.
            CancelledItemError: the evaluation was cancelled.
        """


@dataclass(frozen=True, slots=True)
class EngineModel:
    """The model of an engine."""

    choice: ModelChoice
    structured: bool = True
    """Whether the endpoint is asked to hold it to a JSON schema, if it can."""


class ModelEngine(Protocol):
    """An engine over another one. Deterministic but for its model; thread-safe."""

    @property
    def first(self) -> ComponentSpec:
        """The engine that it asks."""

    @property
    def model(self) -> EngineModel | None:
        """The model that it asks; None when it asks none."""

    def retrieve(
        self, questions: Sequence[Question], search: Search, ask: AskModel, *, top_k: int, text_ranks: int
    ) -> list[Retrieved]:
        """Return what was found for each question, in their order; whatever fails for one, fails for it alone.

        Args:
            questions: What is asked.
            search: Asks `first`.
            ask: Asks `model`.
            top_k: Passages of each, from 1.
            text_ranks: First ranks whose texts are given.
        """


@dataclass(frozen=True, slots=True)
class KnowledgeSearch:
    """Asks a knowledge base by an engine of the knowledge service; the same text once, however many ask it."""

    open_knowledge: OpenKnowledge
    kb_id: str
    engine: ComponentSpec

    def __call__(self, questions: Sequence[Question], *, top_k: int, text_ranks: int) -> list[Retrieved]:
        """Return what was found for each question."""
        retrieve = self.open_knowledge(self.kb_id, QueryMode(self.engine.name, self.engine, top_k), text_ranks)
        texts = list(dict.fromkeys(question.text for question in questions))
        found: dict[str, Retrieved] = {}
        for start in range(0, len(texts), BATCH_QUERIES):
            batch = texts[start : start + BATCH_QUERIES]
            found |= zip(batch, retrieve(batch), strict=True)
        return [found[question.text] for question in questions]

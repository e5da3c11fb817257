"""Asking one entrant a batch of cases: each ends with its passages and answer, or with the reason why it has none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind, Passage, Timing
from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.errors import CancelledItemError, NotFoundError, OutOfReachError
from bakeoff.domain.failing import failure_of
from bakeoff.domain.prompt import Usage
from bakeoff.domain.ranking import Ranking
from bakeoff.domain.retrieval_steps import RETRIEVAL
from bakeoff.inference.generation import generate
from bakeoff.inference.generator import CaseGenerator, Generator
from bakeoff.runtime.items import PoisonedCaseError

BATCH_QUERIES = 250
"""Questions that are asked at once; a quarter of what the knowledge service takes."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What was found for one question."""

    passages: Sequence[Passage] = ()
    """Best first."""
    failure: Failure | None = None
    """Why it could not be asked; None when it could."""
    retrieve_ms: float | None = None
    """With the time of models that retrieval asked."""
    facts: Json = field(default_factory=dict)
    """How it was retrieved, where that is more than a search: what was asked instead of the question; JSON values."""
    usage: Usage | None = None
    """What models took to retrieve it; None when none was asked."""
    embedding: Usage | None = None
    """What an endpoint took to embed what was searched for, apart from `usage`; None when none embeds it."""


class Retrieve(Protocol):
    """Asks the questions of a batch at once."""

    def __call__(self, queries: Sequence[str]) -> Sequence[Retrieved]:
        """Return what was found for each query, in their order.

        Raises:
            NotFoundError: there is no such knowledge base; no matter of a case.
            OutOfReachError: a part of the platform does not answer; no matter of a case.
        """

    def ready(self) -> None:
        """Prove that the knowledge base can be asked now.

        Raises:
            NotFoundError: there is no such knowledge base.
            OutOfReachError: a part of the platform does not answer.
        """


@runtime_checkable
class RetrieveCases(Protocol):
    """A way to retrieve that wants more of a case than its question, such as its id for what is random."""

    def for_cases(self, cases: Sequence[Case]) -> Sequence[Retrieved]:
        """Return what was found for each case; otherwise as `Retrieve`."""


class NoKnowledge:
    """Retrieves for a recipe that answers without a knowledge base: nothing, and that is no failure."""

    def __call__(self, queries: Sequence[str]) -> Sequence[Retrieved]:
        """Return that nothing was found for each query."""
        return [Retrieved() for _ in queries]

    def ready(self) -> None:
        """Nothing is asked that could be out of reach."""


class Begin(Protocol):
    """Is told which case begins, and may refuse it; see `ItemContext.begin`."""

    def __call__(self, case_id: str = "") -> None:
        """Say that the work on a case begins."""


@dataclass(frozen=True, slots=True)
class Answering:
    """How answers are made of what was retrieved."""

    generator: Generator | None = None
    """None when only retrieval is compared, or a model is asked afterwards."""
    passages: int = 5
    """First passages that the generator sees."""
    seed: int = 0
    text_ranks: int = 0
    """First ranks whose texts are kept in the answer."""

    @property
    def needed_texts(self) -> int:
        """First ranks whose texts must be retrieved."""
        return max(self.text_ranks, self.passages if self.generator else 0)


def answer_cases(
    cases: Sequence[Case], retrieve: Retrieve, answering: Answering, *, begin: Begin, one_by_one: bool = False
) -> tuple[CaseAnswer, ...]:
    """Return the answer of each case, in the cases' order.

    Whatever retrieval or the generator raises for a case fails that case alone.

    Args:
        cases: What is asked.
        retrieve: Asks the knowledge base.
        answering: How answers are made.
        begin: Is told of each case before it can do harm.
        one_by_one: Whether each case is also retrieved by itself, so that one whose retrieval kills the process can be
            told; otherwise retrieval is shared and only generation is told apart.

    Raises:
        OutOfReachError: a part of the platform does not answer.
        NotFoundError: the knowledge base does not exist.
        CancelledItemError: the evaluation was cancelled.
    """
    if one_by_one:
        return tuple(_alone(case, retrieve, answering, begin) for case in cases)
    return tuple(_together(cases, retrieve, answering, begin))


def _alone(case: Case, retrieve: Retrieve, answering: Answering, begin: Begin) -> CaseAnswer:
    # What goes out of reach after this, with the case begun, was taken down by the case.
    retrieve.ready()
    try:
        begin(case.case_id)
    except PoisonedCaseError as error:
        return CaseAnswer(case.case_id, failure=error.failure)
    (found,) = _retrieved([case], retrieve)
    return _answer(case, found, answering)


def _together(cases: Sequence[Case], retrieve: Retrieve, answering: Answering, begin: Begin) -> Iterator[CaseAnswer]:
    for start in range(0, len(cases), BATCH_QUERIES):
        batch = cases[start : start + BATCH_QUERIES]
        begin()
        for case, found in zip(batch, _retrieved(batch, retrieve), strict=True):
            try:
                begin(case.case_id)
            except PoisonedCaseError as error:
                yield CaseAnswer(case.case_id, failure=error.failure)
                continue
            yield _answer(case, found, answering)


def _retrieved(cases: Sequence[Case], retrieve: Retrieve) -> Sequence[Retrieved]:
    try:
        if isinstance(retrieve, RetrieveCases):
            found = retrieve.for_cases(cases)
        else:
            found = retrieve([case.query for case in cases])
        if len(found) != len(cases):
            raise ValueError(f"{len(found)} results were retrieved for {len(cases)} questions")
    except (OutOfReachError, CancelledItemError, NotFoundError):
        raise
    except Exception as error:  # whatever it raises fails the case that made it, and no other
        if len(cases) == 1:
            return [Retrieved(failure=failure_of(error, FailureKind.INFRASTRUCTURE))]
        return [each for case in cases for each in _retrieved([case], retrieve)]
    return found


def _answer(case: Case, found: Retrieved, answering: Answering) -> CaseAnswer:
    timing = Timing(retrieve_ms=found.retrieve_ms)
    told: Json = {RETRIEVAL: found.facts} if found.facts else {}
    answer = CaseAnswer(
        case.case_id, timing=timing, metadata=told, retrieval_usage=found.usage, embedding_usage=found.embedding
    )
    if found.failure:
        return replace(answer, failure=found.failure)
    kept = Ranking.of(found.passages).with_texts(answering.text_ranks)
    if answering.generator is None:
        return replace(answer, passages=kept)
    seen = found.passages[: answering.passages]
    generator = answering.generator
    if isinstance(generator, CaseGenerator):
        generator = generator.for_case(case)
    outcome = generate(generator, case.query, seen, seed=answering.seed, case_id=case.case_id)
    answer = replace(answer, timing=replace(timing, generate_ms=outcome.generate_ms))
    if isinstance(outcome.result, Failure):
        return replace(answer, failure=outcome.result)
    metadata = {**told, **outcome.result.metadata}
    return replace(answer, passages=kept, text=outcome.result.text, metadata=metadata)

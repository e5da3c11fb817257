"""Asking a model all cases of a batch, many at once: each ends with its answer, or with the reason why it has none."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.failing import failure_of
from bakeoff.domain.identity import digest_of
from bakeoff.domain.prompt import Completion, Usage
from bakeoff.domain.recipe import LikelihoodPart
from bakeoff.inference.prompted import Prompting, Told
from bakeoff.models.asking import ModelRequest
from bakeoff.models.likelihood import Weighed, Weighing

AskAll = Callable[[Sequence[ModelRequest], Callable[[int, Completion | Failure], None]], None]
"""Asks all requests, and tells the number of each and its answer as they come."""
WeighAll = Callable[[Sequence[Weighing], Callable[[int, Weighed | Failure], None]], str]
"""Weighs all texts, and tells the number of each and its likelihood as they come; returns why none can be weighed."""
SEEDS = 2**31 - 1
"""Seeds are at least 0 and below this: what every endpoint takes."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How a model is asked."""

    prompting: Prompting
    ask_all: AskAll
    samples: int = 1
    """Answers per case, from 1."""
    seed: int = 0
    send_seed: bool = True
    passages: int = 5
    """First passages that the prompt shows."""
    likelihood: LikelihoodPart | None = None
    """What is weighed; None when nothing is."""
    weigh_all: WeighAll = lambda texts, on_weighed: "nobody is asked"


@dataclass(slots=True)
class _Open:
    """A case whose answers are still to come."""

    answer: CaseAnswer
    told: Told
    completions: dict[int, Completion | Failure] = field(default_factory=dict)


def ask_model(
    cases: Sequence[Case],
    retrieved: Sequence[CaseAnswer],
    asking: Asking,
    *,
    first: int = 0,
    step: Callable[[], None] = lambda: None,
) -> tuple[CaseAnswer, ...]:
    """Return what retrieval came to with what the model said to each case, in their order.

    Args:
        cases: What is asked.
        retrieved: Passages with the texts of the first ranks; a case that failed in retrieval is not asked.
        asking: How the model is asked.
        first: Row of the first case in its benchmark, from 0.
        step: Is told of every answer, and may raise to end the asking.

    Raises:
        OutOfReachError: a part of the platform does not answer.
        CancelledItemError: the evaluation was cancelled.
    """
    ended: dict[int, CaseAnswer] = {}
    waiting: dict[int, _Open] = {}
    for row, (case, answer) in enumerate(zip(cases, retrieved, strict=True)):
        if answer.failure is not None:
            ended[row] = answer
            continue
        try:
            told = asking.prompting.tell(case, answer.passages[: asking.passages], position=first + row)
        except Exception as error:  # whatever a template does with a case fails that case, and no other
            ended[row] = replace(answer, passages=(), failure=failure_of(error, FailureKind.INPUT))
        else:
            waiting[row] = _Open(answer, told)
    numbered = [(row, sample) for row in waiting for sample in range(asking.samples)]

    def on_answer(number: int, outcome: Completion | Failure) -> None:
        row, sample = numbered[number]
        waiting[row].completions[sample] = outcome
        step()

    if numbered:
        asking.ask_all(list(_requests(cases, waiting, numbered, asking)), on_answer)
    ended |= {row: _ended(each) for row, each in waiting.items()}
    return tuple(ended[row] for row in range(len(cases)))


def seed_of(seed: int, case_id: str, sample: int) -> int:
    """Return the seed of one answer: of (seed, case id, sample) alone, whoever asks it when; from 0, below 2^31 - 1."""
    return int(digest_of({"seed": seed, "case": case_id, "sample": sample})[:12], 16) % SEEDS


def _requests(
    cases: Sequence[Case], waiting: Mapping[int, _Open], numbered: Sequence[tuple[int, int]], asking: Asking
) -> Iterator[ModelRequest]:
    for row, sample in numbered:
        seed = seed_of(asking.seed, cases[row].case_id, sample) if asking.send_seed else None
        yield ModelRequest(waiting[row].told.assembled.prompt, seed, sample)


def _ended(each: _Open) -> CaseAnswer:
    outcomes = [outcome for _, outcome in sorted(each.completions.items())]
    told = {**each.answer.metadata, **each.told.facts()}
    failed = next((outcome for outcome in outcomes if isinstance(outcome, Failure)), None)
    if failed is not None:
        return replace(each.answer, passages=(), failure=failed, metadata=told)
    said = [outcome for outcome in outcomes if isinstance(outcome, Completion)]
    usage = usage_of([outcome.usage for outcome in said])
    return replace(
        each.answer,
        text=said[0].text,
        samples=tuple(outcome.text for outcome in said) if len(said) > 1 else (),
        usage=usage,
        timing=replace(each.answer.timing, generate_ms=usage.latency_ms),
        metadata={**told, "finish_reason": said[0].finish_reason},
    )


def usage_of(usages: Sequence[Usage]) -> Usage:
    """Return what several answers took together: sums of tokens, cost, attempts and latency, means of token times.

    What is not known of one is not known of all.
    """
    return Usage(
        _whole(_sum([usage.tokens_in for usage in usages])),
        _whole(_sum([usage.tokens_out for usage in usages])),
        _whole(_sum([usage.tokens_cached for usage in usages])),
        _sum([usage.cost for usage in usages]),
        sum(usage.attempts for usage in usages),
        _sum([usage.latency_ms for usage in usages]),
        _mean([usage.first_token_ms for usage in usages]),
        _mean([usage.inter_token_ms for usage in usages]),
    )


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) if len(known) == len(values) else None


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _mean(values: Sequence[float | None]) -> float | None:
    total = _sum(values)
    return None if total is None else total / len(values)

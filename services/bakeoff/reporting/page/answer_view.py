"""How an answer came to its numbers: what each metric read in it, or why it has none, and what a model took for it."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.domain.benchmark import Case
from bakeoff.domain.prompt import Usage
from bakeoff.domain.score import Outcome, Score
from bakeoff.reporting.wording import count, duration, money

SHOWN_READING = 80
"""Characters of what was read."""
SHOWN_CHOICES = 26


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """One of the choices of a case."""

    label: str
    text: str
    right: bool


def choice_views(case: Case) -> tuple[ChoiceView, ...]:
    """Return the first choices of a case under the labels that they have; empty when it has none."""
    texts, labels = case.metadata.get("choices"), case.metadata.get("choice_labels")
    if not isinstance(texts, list | tuple):
        return ()
    known = labels if isinstance(labels, list | tuple) and len(labels) == len(texts) else string.ascii_uppercase
    value = case.expected.value
    right = value if isinstance(value, list | tuple) else [value]
    shown = zip(known, texts, strict=False)
    return tuple(ChoiceView(str(label), str(text), place in right) for place, (label, text) in enumerate(shown))[
        :SHOWN_CHOICES
    ]


def readings(details: Mapping[str, object], scores: Sequence[Score]) -> tuple[str, ...]:
    """Return a line for each metric that read something out of the answer, or that has no number; alike are one."""
    lines: dict[str, list[str]] = {}
    for score in scores:
        if said := _reading(details.get(score.metric), score):
            lines.setdefault(said, []).append(score.metric)
    return tuple(f"{', '.join(names)}: {said}" for said, names in lines.items())


def _reading(told: object, score: Score) -> str:
    if score.outcome is Outcome.FAILED and score.failure:
        return f"failed ({score.failure.kind.value}), {score.failure.reason}"
    if score.outcome is Outcome.NOT_APPLICABLE:
        return f"not applicable, {score.reason}" if score.reason else ""
    if not isinstance(told, Mapping) or "extracted" not in told:
        return ""
    read = told["extracted"]
    words = ", ".join(map(str, read)) if isinstance(read, list | tuple) else str(read)
    words = words if len(words) <= SHOWN_READING else words[: SHOWN_READING - 1].rstrip() + "…"
    by = told.get("by")
    said = f"read as “{words}”" if words.strip() else "nothing was read in it"
    return said + (f", by {by}" if isinstance(by, str) and by else "")


def took(usage: Usage | None) -> str:
    """Return what a model took for an answer, in a line; empty when none was asked."""
    return ", ".join(_took(usage)) if usage else ""


def _took(usage: Usage) -> Iterator[str]:
    if usage.tokens_in is not None:
        cached = f" ({count(usage.tokens_cached)} of them cached)" if usage.tokens_cached else ""
        yield f"{count(usage.tokens_in)} tokens in{cached}"
    if usage.tokens_out is not None:
        yield f"{count(usage.tokens_out)} tokens out"
    if usage.cost is not None:
        yield f"cost {money(usage.cost)}"
    if usage.latency_ms is not None:
        yield duration(usage.latency_ms)
    yield "stored already" if not usage.attempts else f"{usage.attempts} request{'s' if usage.attempts > 1 else ''}"

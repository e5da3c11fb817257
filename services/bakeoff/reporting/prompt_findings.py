"""What prompts had to leave out or make do with, counted over the cases of an entrant: examples and choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bakeoff.domain.report import BenchmarkResult, EvaluationReport
from bakeoff.reporting.wording import count, labels

EXCLUDED, EXCLUDED_CASES, INVALID = "excluded_examples", "cases_with_excluded_examples", "cases_with_invalid_choices"


@dataclass(frozen=True, slots=True)
class PromptNotes:
    """What is known of one case's prompt."""

    excluded_examples: int = 0
    """Examples that were withheld since they are the case itself, by id or by content."""
    invalid_choices: bool = False
    """Whether its choices could not be told, and one empty choice stood in."""
    template: str = ""
    """Digest of its template; empty when there is none."""

    @classmethod
    def of(cls, metadata: Mapping[str, object]) -> PromptNotes:
        """Return what the metadata of a stored answer tell of its prompt."""
        excluded = metadata.get("excluded_examples")
        template = metadata.get("template")
        return cls(
            excluded if type(excluded) is int else 0,
            metadata.get("invalid_choices") is True,
            template if isinstance(template, str) else "",
        )


def prompt_facts(notes: Iterable[PromptNotes]) -> dict[str, int]:
    """Return the sums over an entrant's cases, as in EntrantResult.prompts."""
    known = list(notes)
    sums = {
        EXCLUDED: sum(each.excluded_examples for each in known),
        EXCLUDED_CASES: sum(each.excluded_examples > 0 for each in known),
        INVALID: sum(each.invalid_choices for each in known),
    }
    return {name: number for name, number in sums.items() if number}


def prompt_sentences(report: EvaluationReport, benchmark: BenchmarkResult) -> tuple[str, ...]:
    """Return what a reader should know of the prompts of a benchmark; empty when all were as they should be."""
    names = labels(report)
    return tuple(
        sentence
        for each in report.entrants
        if each.benchmark == benchmark.name
        for sentence in _sentences(names[each.entrant], each.prompts, each.planned_cases)
    )


def _sentences(name: str, facts: Mapping[str, int], cases: int) -> Iterable[str]:
    if EXCLUDED in facts:
        examples = f"{count(facts[EXCLUDED])} example{'s' if facts[EXCLUDED] > 1 else ''}"
        were = "were" if facts[EXCLUDED] > 1 else "was"
        yield (
            f"{name}: {examples} {were} withheld from the prompts of {count(facts[EXCLUDED_CASES])} of "
            f"{count(cases)} cases, being the case itself."
        )
    if INVALID in facts:
        yield (
            f"{name}: the choices of {count(facts[INVALID])} of {count(cases)} cases could not be told; their prompts "
            "showed one empty choice."
        )

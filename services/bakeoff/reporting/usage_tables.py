"""What models took, as columns of words: the same on the page and on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.domain.recipe import Recipe
from bakeoff.domain.report import EntrantRun, EvaluationReport
from bakeoff.reporting.standings import STEPS
from bakeoff.reporting.wording import count, labels, milliseconds, money

Facts = Mapping[str, float]
TOKENS = ("tokens_in", "tokens_out")
SUMS: dict[str, tuple[str, Callable[[float | None], str]]] = {
    "asked": ("answers", count),
    "stored": ("of them stored", count),
    "calls": ("requests", count),
    "tokens_in": ("tokens in", count),
    "tokens_cached": ("of them cached", count),
    "tokens_out": ("tokens out", count),
    "cost": ("cost", money),
    "retrieval_asked": ("retrievals", count),
    "retrieval_stored": ("retrievals stored", count),
    "retrieval_calls": ("their requests", count),
    "retrieval_tokens_in": ("their tokens in", count),
    "retrieval_tokens_out": ("their tokens out", count),
    "retrieval_cost": ("their cost", money),
    "retrieval_fallbacks": ("without the model's word", count),
    "embedding_asked": ("questions embedded", count),
    "embedding_stored": ("of them there", count),
    "embedding_tokens_in": ("tokens to embed them", count),
    "embedding_cost": ("cost to embed them", money),
    "build_tokens": ("tokens to build", count),
    "build_cost": ("cost to build", money),
}
IN_SHORT = {
    "embedding_cost": "cost to embed questions",
    "build_tokens": "tokens to build",
    "build_cost": "cost to build",
}
TIMES = {"latency": "whole answer", "first_token": "to the first token", "inter_token": "between tokens"}
ALL = "all benchmarks"
CASE_SPREAD = {"p50": "p50", "p90": "p90", "p99": "p99", "max": "max"}
SPREAD = {"average": "average", "p50": "p50", "p75": "p75", "p90": "p90", "p99": "p99", "max": "max"}


@dataclass(frozen=True, slots=True)
class UsageTable:
    """A table whose columns say something of at least one row."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Empty when no model was asked."""
    names: int = 1
    """First columns that say what a row is of."""


def sums(report: EvaluationReport, times: Sequence[tuple[str, str]] = ()) -> UsageTable:
    """Return answers, requests, tokens and cost of each entrant that asked a model, and of the vectors it searches.

    Of several benchmarks, each has its rows, and all together have theirs below.

    Args:
        report: Whose entrants.
        times: More columns: a time of `TIMES`, and which value of its `SPREAD`.
    """
    found = [(names, run.usage) for names, run in _runs(report) if run.usage]
    columns = [(key, *SUMS[key]) for key in SUMS]
    columns += [(f"{time}_{value}", f"{TIMES[time]}, {SPREAD[value]}", milliseconds) for time, value in times]
    columns = [each for each in columns if any(each[0] in facts for _, facts in found)]
    first = _first(report)
    return UsageTable(
        (*first, *(heading for _, heading, _ in columns)),
        tuple((*names, *(word(facts.get(key)) for key, _, word in columns)) for names, facts in found),
        len(first),
    )


def times(report: EvaluationReport) -> UsageTable:
    """Return how the times of each entrant's answers are spread, a row a kind of time; those not known are left out.

    The benchmarks are as in `sums`.
    """
    return _spread(report, [(names, run.usage) for names, run in _runs(report)], TIMES, "time", SPREAD)


def latencies(report: EvaluationReport) -> UsageTable:
    """Return how the times of each entrant's cases are spread, a row a step; the benchmarks are as in `sums`."""
    steps = {step: step for step in STEPS}
    return _spread(report, [(names, run.latency_ms) for names, run in _runs(report)], steps, "step", CASE_SPREAD)


def _spread(
    report: EvaluationReport,
    found: Sequence[tuple[tuple[str, ...], Facts]],
    times: Mapping[str, str],
    heading: str,
    spread: Mapping[str, str],
) -> UsageTable:
    first = _first(report)
    return UsageTable(
        (*first, heading, *spread.values()),
        tuple(
            (*names, word, *(milliseconds(facts.get(f"{time}_{value}")) for value in spread))
            for names, facts in found
            for time, word in times.items()
            if f"{time}_max" in facts
        ),
        len(first) + 1,
    )


def _first(report: EvaluationReport) -> tuple[str, ...]:
    return ("entrant",) if len(report.benchmarks) == 1 else ("benchmark", "entrant")


def _runs(report: EvaluationReport) -> list[tuple[tuple[str, ...], EntrantRun]]:
    """Return what each entrant took on each benchmark and on all, behind what the row is called."""
    run, known = report.run, labels(report)
    entrants = dict.fromkeys([*run.latency_ms, *run.usage])
    together = [EntrantRun(ALL, name, run.latency_ms.get(name, {}), run.usage.get(name, {})) for name in entrants]
    if len(report.benchmarks) == 1:
        return [((known[each.entrant],), each) for each in together]
    return [((each.benchmark, known[each.entrant]), each) for each in (*run.by_benchmark, *together)]


def in_short(usages: Sequence[Facts]) -> UsageTable:
    """Return tokens and cost alone, a row for each entrant, for a table that has more columns before them.

    Args:
        usages: What each entrant took; empty for one that asked no model, or of which nothing is known.
    """
    columns: list[tuple[str, list[str]]] = []
    if any(key in facts for facts in usages for key in TOKENS):
        columns.append(("tokens", [count(_tokens(facts)) for facts in usages]))
    if any("cost" in facts for facts in usages):
        columns.append(("cost", [money(facts.get("cost")) for facts in usages]))
    for key, heading in IN_SHORT.items():
        if any(key in facts for facts in usages):
            columns.append((heading, [SUMS[key][1](facts.get(key)) for facts in usages]))
    cells = tuple(tuple(column[row] for _, column in columns) for row in range(len(usages)))
    return UsageTable(tuple(heading for heading, _ in columns), cells)


def notes(report: EvaluationReport) -> tuple[str, ...]:
    """Return what must be known to read the numbers; empty when no model was asked."""
    usage = report.run.usage
    stored = sum(facts.get("stored", 0) for facts in usage.values())
    uncounted = sum(facts.get("uncounted", 0) for facts in usage.values())
    found = []
    currencies = sorted({name for recipe in report.request.recipes if (name := _currency(recipe))})
    if currencies and any("cost" in facts for facts in usage.values()):
        found.append(f"Costs of answers are in {' or '.join(currencies)}, by the prices that the recipes state.")
    if stored == 1:
        found.append(
            "1 answer was stored already and took no request; its tokens, cost and times are those of when it was "
            "given."
        )
    elif stored:
        found.append(
            f"{count(stored)} answers were stored already and took no request; their tokens, cost and times are those "
            "of when they were given."
        )
    if uncounted == 1:
        found.append("1 answer came without its number of tokens, and is not in the sums.")
    elif uncounted:
        found.append(f"{count(uncounted)} answers came without their number of tokens, and are not in the sums.")
    if any("embedding_asked" in facts for facts in usage.values()):
        kept = count(sum(facts.get("embedding_stored", 0) for facts in usage.values()))
        found.append(
            "Tokens and cost to embed questions are what an endpoint takes when no vector is there; those of "
            f"{kept} were, and cost nothing this time. Requests are not told: many questions share one."
        )
    if any("build_tokens" in facts for facts in usage.values()):
        found.append(
            "Tokens and cost to build are what the vectors of an entrant's knowledge bases take when nothing is there; "
            "entrants may share them. What was paid this time is told under building."
        )
    return tuple(found)


def _currency(recipe: Recipe) -> str:
    """Return in what a recipe states its model's prices; empty when it does not."""
    settings = recipe.answer.generator.settings if recipe.answer else {}
    return str(settings.get("currency") or "") if settings.get("price_in") is not None else ""


def _tokens(facts: Facts) -> float | None:
    known = [facts[key] for key in TOKENS if key in facts]
    return sum(known) if known else None

"""How the passages of an answer came about, where that was more than one search: what was asked, and what it took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bakeoff.domain.prompt import Usage
from bakeoff.domain.retrieval_steps import FALLBACK, FIRST
from bakeoff.reporting.wording import count, money

SHOWN_QUERIES = 12
QUERY_CHARACTERS = 300
ENDINGS = {
    "enough": "what was found was enough",
    "repeated": "the next query had been asked before",
    "nothing_new": "nothing new was found",
    "hops": "that was the last hop",
}
"""Why a search in hops ended, by what the engine calls it; a fallback is told with its reason."""


def retrieval_lines(facts: Mapping[str, object], usage: Usage | None) -> tuple[str, ...]:
    """Return what engines asked and came to, the outermost first, and what their models took; a line each.

    Args:
        facts: As `CaseAnswer.metadata` has them under `retrieval`; empty when there was one plain search.
        usage: What models took to retrieve; None when none was asked.
    """
    return (*_engine(facts, ""), *([_taken(usage)] if usage else []))


def _engine(facts: Mapping[str, object], within: str) -> Iterator[str]:
    if not facts:
        return
    name = f"{within}{facts.get('engine', '')}"
    told = [*_queries(facts), *_ending(facts)]
    if told:
        yield f"{name}: {'; '.join(told)}"
    inner = facts.get(FIRST)
    for each in inner if isinstance(inner, list | tuple) else ():
        if isinstance(each, Mapping):
            yield from _engine(each, f"{name} › ")


def _queries(facts: Mapping[str, object]) -> Iterator[str]:
    found = facts.get("queries")
    queries = list(map(str, found)) if isinstance(found, list | tuple) else []
    if queries:
        shown = [f"“{_cut(query)}”" for query in queries[:SHOWN_QUERIES]]
        more = [f"and {len(queries) - SHOWN_QUERIES} more"] if len(queries) > SHOWN_QUERIES else []
        between = " → " if "ended" in facts else ", "
        yield f"searched for {between.join([*shown, *more])}"


def _ending(facts: Mapping[str, object]) -> Iterator[str]:
    if facts.get("ended") in ENDINGS:
        yield ENDINGS[str(facts["ended"])]
    ranks = facts.get("from_ranks")
    if isinstance(ranks, list | tuple) and ranks:
        first = ", ".join(map(str, ranks[:SHOWN_QUERIES]))
        yield f"put {len(ranks)} passages in order; the first stood at {first} before"
    fallback = facts.get(FALLBACK)
    if isinstance(fallback, Mapping):
        yield f"went on without the model's word: {_cut(str(fallback.get('reason', '')))}"


def _taken(usage: Usage) -> str:
    told = [f"{usage.attempts} request{'' if usage.attempts == 1 else 's'}" if usage.attempts else "stored replies"]
    if usage.tokens_in is not None or usage.tokens_out is not None:
        told.append(f"{count(usage.tokens_in)} tokens in and {count(usage.tokens_out)} out")
    if usage.cost is not None:
        told.append(f"cost {money(usage.cost)}")
    return f"models took {', '.join(told)}"


def _cut(text: str) -> str:
    return text if len(text) <= QUERY_CHARACTERS else text[: QUERY_CHARACTERS - 1].rstrip() + "…"

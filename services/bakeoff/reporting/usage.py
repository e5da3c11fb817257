"""What models took: to answer and to embed questions, summed over an entrant's cases, and to make what it searches."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set

from bakeoff.domain.knowledge import EMBEDDER_COST, EMBEDDER_TOKENS
from bakeoff.domain.prompt import Usage
from bakeoff.reporting.material import CaseOutcome, EntrantMaterial, KnowledgeBaseMaterial
from bakeoff.reporting.percentiles import percentiles

SUMS: dict[str, Callable[[Usage], float | None]] = {
    "tokens_in": lambda usage: usage.tokens_in,
    "tokens_out": lambda usage: usage.tokens_out,
    "tokens_cached": lambda usage: usage.tokens_cached,
    "cost": lambda usage: usage.cost,
}
TIMES: dict[str, Callable[[Usage], float | None]] = {
    "latency": lambda usage: usage.latency_ms,
    "first_token": lambda usage: usage.first_token_ms,
    "inter_token": lambda usage: usage.inter_token_ms,
}
RETRIEVAL = ("asked", "stored", "calls", "uncounted", "latency_average", *SUMS)
"""What is told of the models that retrieval asks, under the same names behind `retrieval_`."""
EMBEDDING = ("asked", "stored", "tokens_in", "cost")
"""What is told of endpoints that embed questions, behind `embedding_`; requests are not: many questions share one."""
BUILDING = {"build_tokens": EMBEDDER_TOKENS, "build_cost": EMBEDDER_COST}
RANKS = (50, 75, 90, 99)


def usage_facts(entrants: Sequence[EntrantMaterial], bases: Sequence[KnowledgeBaseMaterial]) -> dict[str, float]:
    """Return what the models of an entrant took, as in RunFacts.usage; empty when it asked none.

    Args:
        entrants: One entrant, on each of the benchmarks that are summed.
        bases: Those of the evaluation.
    """
    outcomes = [outcome for each in entrants for outcome in each.outcomes]
    searched = {kb_id for each in entrants for kb_id in each.knowledge_bases}
    measures = {each.kb_id: each.manifest.measures for each in bases if each.manifest}
    asked = {**_answering(outcomes), **_retrieving(outcomes), **_embedding(outcomes)}
    return {**asked, **_building(searched, measures)}


def _answering(outcomes: Sequence[CaseOutcome]) -> dict[str, float]:
    told = [outcome.usage for outcome in outcomes if outcome.usage]
    return _summed(told) if told else {}


def _retrieving(outcomes: Sequence[CaseOutcome]) -> dict[str, float]:
    told = [outcome.retrieval_usage for outcome in outcomes if outcome.retrieval_usage]
    fell_back = sum(outcome.fell_back for outcome in outcomes)
    facts: dict[str, float] = {"retrieval_fallbacks": fell_back} if fell_back else {}
    if told:
        summed = _summed(told)
        facts |= {f"retrieval_{name}": summed[name] for name in RETRIEVAL if name in summed}
    return facts


def _embedding(outcomes: Sequence[CaseOutcome]) -> dict[str, float]:
    told = [outcome.embedding_usage for outcome in outcomes if outcome.embedding_usage]
    summed = _summed(told) if told else {}
    return {f"embedding_{name}": summed[name] for name in EMBEDDING if name in summed}


def _building(searched: Set[str], measures: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return what the vectors of knowledge bases took, each as if it had been built alone, whoever paid for it."""
    facts: dict[str, float] = {}
    for name, measure in BUILDING.items():
        known = [measures[kb_id][measure] for kb_id in searched if measure in measures.get(kb_id, {})]
        if known:
            facts[name] = math.fsum(known)
    return facts


def _summed(usages: Sequence[Usage]) -> dict[str, float]:
    facts: dict[str, float] = {
        "asked": len(usages),
        "stored": sum(usage.attempts == 0 for usage in usages),
        "calls": sum(usage.attempts for usage in usages),
        "uncounted": sum(usage.tokens_in is None or usage.tokens_out is None for usage in usages),
    }
    for name, of in SUMS.items():
        known = _known(usages, of)
        if known:
            facts[name] = math.fsum(known)
    for name, of in TIMES.items():
        known = _known(usages, of)
        if known:
            facts[f"{name}_average"] = math.fsum(known) / len(known)
            facts |= percentiles(name, known, RANKS)
    return facts


def _known(usages: Sequence[Usage], of: Callable[[Usage], float | None]) -> list[float]:
    return [value for value in map(of, usages) if value is not None]

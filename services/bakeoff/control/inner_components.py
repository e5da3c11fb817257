"""Components within components of a request: all of them, and those that stand where nothing can run them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec
from bakeoff.domain.errors import Violation
from bakeoff.runtime.nested import inner_kinds, inner_specs

Cards = Mapping[tuple[ComponentKind, str], ComponentCard]
RUNS_IN = "runs_in"
"""A card's fact: the service that runs an engine or a reranker; the knowledge service where it is not said."""
KNOWLEDGE = "knowledge"


def all_inner(kind: ComponentKind, spec: ComponentSpec, cards: Cards) -> Iterator[tuple[ComponentKind, ComponentSpec]]:
    """Yield the components in a component's settings, those in theirs, and so on, with their kinds."""
    card = cards.get((kind, spec.name))
    for inner_kind, inner in inner_specs(card, spec) if card else ():
        yield inner_kind, inner
        yield from all_inner(inner_kind, inner, cards)


def misplaced_engines(spec: ComponentSpec, cards: Cards, field: str) -> Iterator[Violation]:
    """Yield a violation for each engine of inference that an engine of the knowledge service would have to ask.

    Args:
        spec: A query engine.
        cards: Every component that is known.
        field: Path of the engine, for the messages.
    """
    card = cards.get((ComponentKind.QUERY_ENGINE, spec.name))
    if card is None:
        return
    for (name, kind), (_, inner) in zip(inner_kinds(card).items(), inner_specs(card, spec), strict=False):
        if kind is not ComponentKind.QUERY_ENGINE:
            continue
        if _runs_in(spec, cards) == KNOWLEDGE != _runs_in(inner, cards):
            yield Violation(
                f"{field}.{name}",
                f"{spec.name} runs beside the indexes and cannot ask {inner.name}, which {_why(inner, cards)}; put "
                f"{spec.name} into {inner.name}",
            )
        yield from misplaced_engines(inner, cards, f"{field}.{name}")


def _runs_in(engine: ComponentSpec, cards: Cards) -> str:
    """Return the service that runs an engine: its own, unless its reranker runs elsewhere."""
    card = cards.get((ComponentKind.QUERY_ENGINE, engine.name))
    inside = inner_specs(card, engine) if card else ()
    rerankers = [cards.get((kind, inner.name)) for kind, inner in inside if kind is ComponentKind.RERANKER]
    told = [each.facts.get(RUNS_IN) for each in (card, *rerankers) if each is not None]
    return str(next((each for each in told if each), KNOWLEDGE))


def _why(engine: ComponentSpec, cards: Cards) -> str:
    card = cards.get((ComponentKind.QUERY_ENGINE, engine.name))
    return "asks a model" if card and card.facts.get("asks_models") else f"runs in {_runs_in(engine, cards)}"

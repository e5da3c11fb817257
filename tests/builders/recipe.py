"""Builders of recipes."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.recipe import AnswerPart, BuildPart, QueryMode, Recipe


def a_mode(engine: str = "full_text_search", *, name: str | None = None, top_k: int = 100) -> QueryMode:
    """Return a query mode; `engine` is a signature, and its name the mode's unless another is given."""
    spec = ComponentSpec.parse(engine)
    return QueryMode(name or spec.name, spec, top_k)


def a_recipe(
    name: str = "bm25",
    *,
    chunker: str = "none",
    embedder: str | None = None,
    indexes: Sequence[str] = ("bm25",),
    query: Sequence[str | QueryMode] = ("full_text_search",),
    answer: str | None = None,
) -> Recipe:
    """Return a recipe; components are signatures such as `tokens(size=200)`."""
    build = BuildPart(
        chunker=ComponentSpec.parse(chunker),
        embedder=ComponentSpec.parse(embedder) if embedder else None,
        indexes=tuple(ComponentSpec.parse(index) for index in indexes),
    )
    modes = tuple(a_mode(mode) if isinstance(mode, str) else mode for mode in query)
    return Recipe(name, build, modes, AnswerPart(ComponentSpec.parse(answer)) if answer else None)

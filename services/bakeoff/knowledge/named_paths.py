"""Paths that callers name among what a knowledge base is made of or asked with: only those that they may name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bakeoff.domain.component import ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge.registries import chunkers, embedders, engines, indexes, parsers, rerankers
from bakeoff.runtime import callers
from bakeoff.runtime.local_paths import foreign_paths_inside

Placed = tuple[ComponentKind, ComponentSpec, str]
"""A component with its kind and its field in the request."""


def check_named_paths(placed: Sequence[Placed], folders: tuple[Path, ...] | None) -> None:
    """Refuse components that name paths which callers may not name, whether they exist or not.

    Services call on behalf of evaluations that were checked when they were asked for; they may name any.

    Args:
        placed: What a caller names.
        folders: Below which paths may lie; None means everywhere.

    Raises:
        InvalidInputError: so it is; all faults at once.
    """
    if folders is None or callers.current().tenant == callers.ALL_TENANTS:
        return
    registries = (parsers, chunkers, embedders, indexes, rerankers, engines)
    cards = {(card.kind, card.name): card for registry in registries for card in registry.cards()}
    faults = [
        fault for kind, spec, field in placed for fault in foreign_paths_inside(kind, spec, cards, folders, field)
    ]
    if faults:
        raise InvalidInputError("the knowledge base cannot be asked or built so", faults)


def placed_in(build: BuildPart) -> Iterator[Placed]:
    """Yield the components of a build part."""
    yield ComponentKind.PARSER, build.parser, "build.parser"
    yield ComponentKind.CHUNKER, build.chunker, "build.chunker"
    if build.embedder is not None:
        yield ComponentKind.EMBEDDER, build.embedder, "build.embedder"
    for number, index in enumerate(build.indexes):
        yield ComponentKind.INDEX, index, f"build.indexes[{number}]"

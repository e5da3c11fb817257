"""What a build part comes to here: its components with all settings, their versions, and those of their libraries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from bakeoff.domain.component import ComponentCard, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge.registries import chunkers, embedders, indexes, load, parsers
from bakeoff.runtime.registry import Registry


def resolved(part: BuildPart) -> BuildPart:
    """Return a build part with all settings filled in.

    Raises:
        NotFoundError: it names an unknown component.
        InvalidInputError: it names no index, one index twice, or an index that needs vectors and no embedder.
    """
    load()
    if not part.indexes:
        raise InvalidInputError(f"a build part needs at least one index; known: {', '.join(indexes.names())}")
    names = [index.name for index in part.indexes]
    violations = [
        Violation("indexes", f"the index {name!r} stands there twice")
        for name in sorted(set(names))
        if names.count(name) > 1
    ]
    violations += [
        Violation("embedder", f"the index {name!r} needs vectors: name one of {', '.join(embedders.names())}")
        for name in names
        if needs_vectors(name) and part.embedder is None
    ]
    if violations:
        raise InvalidInputError("the build part cannot be built", violations)
    return BuildPart(
        parsers.card(part.parser.name).resolve(part.parser),
        chunkers.card(part.chunker.name).resolve(part.chunker),
        embedders.card(part.embedder.name).resolve(part.embedder) if part.embedder else None,
        tuple(indexes.card(index.name).resolve(index) for index in part.indexes),
    )


def needs_vectors(index: str) -> bool:
    """Return whether an index needs the vectors of the chunks."""
    return bool(indexes.card(index).facts.get("needs_vectors"))


def component_versions(part: BuildPart) -> dict[str, str]:
    """Return the version of each component of a build part, by `kind:name`.

    Raises:
        NotFoundError: it names an unknown component.
    """
    return {f"{card.kind.value}:{card.name}": card.version for card in _cards(part)}


def library_versions(part: BuildPart) -> dict[str, str]:
    """Return the version of each library that the components of a build part stand on, by its distribution's name."""
    names = {str(name) for card in _cards(part) for name in _libraries(card)}
    return {name: _installed(name) for name in sorted(names)}


def _cards(part: BuildPart) -> Iterator[ComponentCard]:
    load()
    named: list[tuple[Registry[Any], ComponentSpec | None]] = [
        (parsers, part.parser),
        (chunkers, part.chunker),
        (embedders, part.embedder),
        *((indexes, index) for index in part.indexes),
    ]
    return (registry.card(spec.name) for registry, spec in named if spec is not None)


def _libraries(card: ComponentCard) -> list[object]:
    libraries = card.facts.get("libraries", [])
    return list(libraries) if isinstance(libraries, list | tuple) else []


@cache  # looking it up reads the file of the distribution
def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"

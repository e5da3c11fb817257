"""What a build part comes to here: its components with all settings, their versions, and those of their libraries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge.embedding import ASIDE
from bakeoff.knowledge.model_files import pinned
from bakeoff.knowledge.registries import chunkers, embedders, engines, indexes, load, parsers
from bakeoff.runtime.nested import inner_specs
from bakeoff.runtime.registry import Registry


def resolved(part: BuildPart) -> BuildPart:
    """Return a build part with all settings filled in.

    Raises:
        NotFoundError: it names an unknown component.
        InvalidInputError: it names no index, one index twice, an index that needs vectors and no embedder, or an
            embedder whose model is not there.
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
    violations += [Violation("indexes", problem) for problem in indexes_in_one_place(part)]
    if violations:
        raise InvalidInputError("the build part cannot be built", violations)
    return BuildPart(
        _resolved(parsers.card(part.parser.name), part.parser),
        chunkers.card(part.chunker.name).resolve(part.chunker),
        _resolved(embedders.card(part.embedder.name), part.embedder) if part.embedder else None,
        tuple(indexes.card(index.name).resolve(index) for index in part.indexes),
    )


def _resolved(card: ComponentCard, spec: ComponentSpec) -> ComponentSpec:
    """Return a component with all settings, and of one with a model in files their digest."""
    return card.resolve(pinned(spec, card))


def needs_vectors(index: str) -> bool:
    """Return whether an index needs the vectors of the chunks."""
    return bool(indexes.card(index).facts.get("needs_vectors"))


def stands_for(index: str) -> str:
    """Return the index in whose place query engines ask one: `dense` for `lance`, and most for themselves."""
    return str(indexes.card(index).facts.get("stands_for", index))


def indexes_in_one_place(part: BuildPart) -> list[str]:
    """Return what is wrong with indexes of which query engines could ask only one."""
    first: dict[str, str] = {}
    return [
        f"the indexes {other!r} and {name!r} are both asked as {stands_for(name)!r}: keep one of them"
        for name in dict.fromkeys(index.name for index in part.indexes)
        if (other := first.setdefault(stands_for(name), name)) != name
    ]


def embedding_passages(embedder: ComponentSpec) -> ComponentSpec:
    """Return an embedder without the settings that its card says have no part in the vectors of passages.

    What was embedded is found again when only these have changed, such as the price of a model.

    Raises:
        NotFoundError: it is unknown.
    """
    aside = embedders.card(embedder.name).facts.get(ASIDE, ())
    names = tuple(aside) if isinstance(aside, list | tuple) else ()
    return ComponentSpec(embedder.name, {name: v for name, v in embedder.settings.items() if name not in names})


def needed_indexes(engine: ComponentSpec) -> list[str]:
    """Return the indexes that an engine asks, itself and through engines in its settings.

    Raises:
        NotFoundError: it is unknown, or one in its settings is.
    """
    card = engines.card(engine.name)
    needed = card.facts.get("needs_indexes", ())
    names = [str(name) for name in needed] if isinstance(needed, list | tuple) else []
    for kind, inner in inner_specs(card, engine):
        if kind is ComponentKind.QUERY_ENGINE:
            names += needed_indexes(inner)
    return list(dict.fromkeys(names))


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

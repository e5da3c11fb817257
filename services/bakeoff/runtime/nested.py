"""Components that stand in another one's settings, such as the evaluator that scores each of several samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.runtime.registry import check_settings, unknown

NESTED = "nested"
"""A card's fact: the settings that hold the signature of another component of its kind."""
INNER = "inner"
"""A card's fact: by setting that holds the signature of a component of any kind, that kind."""


def nested_specs(card: ComponentCard, spec: ComponentSpec) -> Iterator[ComponentSpec]:
    """Yield the components in a spec's settings; what is no signature is left out."""
    for name in _names(card):
        try:
            yield ComponentSpec.parse(str(spec.settings.get(name, "")))
        except InvalidInputError:
            continue


def inner_kinds(card: ComponentCard) -> dict[str, ComponentKind]:
    """Return the settings that hold the signature of a component of a kind of its own, with that kind."""
    kinds = card.facts.get(INNER)
    return {str(name): ComponentKind(str(kind)) for name, kind in kinds.items()} if isinstance(kinds, Mapping) else {}


def inner_specs(card: ComponentCard, spec: ComponentSpec) -> Iterator[tuple[ComponentKind, ComponentSpec]]:
    """Yield the components of other kinds in a spec's settings, with their kinds; what is no signature is left out."""
    for name, kind in inner_kinds(card).items():
        try:
            yield kind, ComponentSpec.parse(str(card.resolve(spec).settings.get(name, "")))
        except InvalidInputError:
            continue


def placed_specs(card: ComponentCard, spec: ComponentSpec) -> Iterator[tuple[str, ComponentKind, ComponentSpec]]:
    """Yield every component in a spec's settings, with the setting and its kind; what is no signature is left out."""
    for name, kind in {**dict.fromkeys(_names(card), card.kind), **inner_kinds(card)}.items():
        try:
            yield name, kind, ComponentSpec.parse(str(card.resolve(spec).settings.get(name, "")))
        except InvalidInputError:
            continue


def resolve_nested(
    card: ComponentCard, spec: ComponentSpec, cards: Mapping[str, ComponentCard], field: str
) -> tuple[ComponentSpec, list[Violation]]:
    """Return a spec in which the components among its settings have all their settings, and what is wrong with them.

    Args:
        card: The spec's own card.
        spec: Checked by that card.
        cards: Those of the kind, by name.
        field: Path of the spec, for the messages.
    """
    violations: list[Violation] = []
    settings = dict(spec.settings)
    for name in _names(card):
        if not isinstance(spec.settings.get(name), str):  # lacking or of another type is a fault already
            continue
        try:
            inner = ComponentSpec.parse(str(spec.settings[name]))
        except InvalidInputError as error:
            violations.append(Violation(f"{field}.{name}", str(error)))
            continue
        if inner.name not in cards:
            violations.append(Violation(f"{field}.{name}", unknown(card.kind, inner.name, sorted(cards))))
            continue
        violations += check_settings(cards[inner.name], inner, f"{field}.{name}")
        if refused := cards[inner.name].facts.get("refused"):
            violations.append(Violation(f"{field}.{name}", f"{inner.name} is refused: {refused}"))
        settings[name] = str(cards[inner.name].resolve(inner))
    return replace(spec, settings=settings), violations


def _names(card: ComponentCard) -> tuple[str, ...]:
    names = card.facts.get(NESTED, ())
    return tuple(map(str, names)) if isinstance(names, list | tuple) else ()

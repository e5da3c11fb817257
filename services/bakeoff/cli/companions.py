"""Components that have other keys beside them: an adapter with its limit, an engine with its top_k."""

from __future__ import annotations

from bakeoff.cli.component_values import UNREADABLE, read_component, read_settings, with_article
from bakeoff.cli.draft import Draft, Found
from bakeoff.cli.local_models import with_places
from bakeoff.cli.shape import Shape
from bakeoff.cli.yaml_values import Value
from bakeoff.domain.component import ComponentKind, ComponentSpec


def read_with_companions(
    value: Value, kind: ComponentKind, shape: Shape, draft: Draft, path: str
) -> tuple[ComponentSpec, Found]:
    """Read a component and the keys beside it.

    Args:
        value: The component alone; or a mapping that has it under the shape's first key, with its settings beside it
            (`{adapter: beir, path: …}`); or one that has its name as a key (`{beir: {path: …}}`). Either mapping may
            have the other keys of the shape.
        kind: What it is for.
        shape: The keys beside it; the first is that of the component.
        draft: Takes the faults.
        path: Path of the whole in the request.

    Returns:
        The component, and the values of the other keys.
    """
    own, *companions = shape
    draft.place(path, value)
    if not isinstance(value.data, dict):
        return read_component(value, kind, draft, f"{path}.{own.name}"), {}
    names = {key.name for key in companions}
    beside = {name: item for name, item in value.data.items() if name in names}
    found = draft.mapping(Value(beside, value.field, value.file, value.line), tuple(companions))
    others = {name: item for name, item in value.data.items() if name not in names}
    if own.name in others:
        return _under_the_key(others, kind, shape, draft, f"{path}.{own.name}"), found
    return _under_its_name(value, others, kind, shape, draft, f"{path}.{own.name}"), found


def _under_the_key(others: Found, kind: ComponentKind, shape: Shape, draft: Draft, path: str) -> ComponentSpec:
    """Read `{adapter: beir, path: …}`: what is no key of the shape is a setting."""
    own = others.pop(shape[0].name)
    spec = read_component(own, kind, draft, path)
    card = draft.cards.get((kind, spec.name))
    known = [setting.name for setting in card.settings] if card else list(others)
    for name, item in list(others.items()):
        draft.place(f"{path}.{name}", item)
        if name not in known:
            draft.unknown_key(others.pop(name), name, [*(key.name for key in shape), *known])
        elif name in spec.settings:
            draft.fault(item, f"the setting {name!r} stands here and in {str(spec)!r}")
    settings = ComponentSpec(spec.name, {name: item.plain() for name, item in others.items()})
    beside = with_places(settings, card, own, draft)
    return ComponentSpec(spec.name, {**beside.settings, **spec.settings})


def _under_its_name(
    value: Value, others: Found, kind: ComponentKind, shape: Shape, draft: Draft, path: str
) -> ComponentSpec:
    """Read `{beir: {path: …}}`: one key that is none of the shape's is the component's name."""
    own, *companions = shape
    name = _name_among(others, draft.names(kind))
    if name is None:
        known = ", ".join(draft.names(kind)) or "none"
        draft.fault(value, f"must name {with_article(kind)}, as a key or under {own.name!r}; known: {known}")
        return UNREADABLE
    for other, item in others.items():
        if other != name:
            draft.unknown_key(item, other, [key.name for key in companions])
    return read_settings(name, others[name], kind, draft, path)


def _name_among(others: Found, known: list[str]) -> str | None:
    """Return which of the keys names the component: a known one, else one with settings, else the first."""
    named = [name for name in others if name in known]
    with_settings = [name for name, item in others.items() if isinstance(item.data, dict)]
    return next(iter([*named, *with_settings, *others]), None)

"""Components as they are written in files: a name, a signature, or a mapping from the name to its settings."""

from __future__ import annotations

from bakeoff.cli.draft import Draft
from bakeoff.cli.local_models import with_places
from bakeoff.cli.yaml_values import Value
from bakeoff.domain.component import ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError

UNREADABLE = ComponentSpec("unreadable")
"""Stands in for a component that could not be read, so that the rest can be checked."""


def read_component(value: Value, kind: ComponentKind, draft: Draft, path: str) -> ComponentSpec:
    """Read a component; UNREADABLE, and a fault, when it is none.

    Args:
        value: `bm25`, `sentences(max_tokens=120)` or `{sentences: {max_tokens: 120}}`.
        kind: What it is for; decides which settings are paths.
        draft: Takes the faults.
        path: Its path in the request.
    """
    draft.place(path, value)
    if isinstance(value.data, str):
        return _signature(value, value.data, kind, draft)
    if isinstance(value.data, dict):
        if len(value.data) == 1:
            ((name, settings),) = value.data.items()
            return read_settings(name, settings, kind, draft, path)
        draft.fault(value, f"must have one key, the name of {with_article(kind)}, not {len(value.data)} keys")
        return UNREADABLE
    ways = "name, name(setting=value, …) or {name: {setting: value}}"
    draft.fault(value, f"must be {with_article(kind)}: {ways}, not {value.described()}")
    return UNREADABLE


def read_settings(name: str, settings: Value, kind: ComponentKind, draft: Draft, path: str) -> ComponentSpec:
    """Read the settings that stand under a component's name; UNREADABLE, and a fault, when they are none."""
    draft.place(path, settings)
    if settings.data is None:
        return ComponentSpec(name)
    if not isinstance(settings.data, dict):
        draft.fault(settings, f"must be a mapping of settings, not {settings.described()}")
        return UNREADABLE
    for setting, item in settings.data.items():
        draft.place(f"{path}.{setting}", item)
    spec = ComponentSpec(name, {setting: item.plain() for setting, item in settings.data.items()})
    return with_places(spec, draft.cards.get((kind, name)), settings, draft)


def with_article(kind: ComponentKind) -> str:
    """Return a kind in words, with its article."""
    words = kind.value.replace("_", " ")
    return f"an {words}" if words[0] in "aeio" else f"a {words}"


def _signature(value: Value, text: str, kind: ComponentKind, draft: Draft) -> ComponentSpec:
    try:
        spec = ComponentSpec.parse(text)
        str(spec)  # refuses NaN and infinity, which JSON's reader lets through
    except InvalidInputError as error:
        cut = "(" in text and "=" in text and not text.endswith(")")
        draft.fault(value, error.message + ("; inside { } or [ ] a comma ends it: put it in quotes" if cut else ""))
        return UNREADABLE
    except ValueError:
        draft.fault(value, f"{text!r} has a number that is not finite")
        return UNREADABLE
    return with_places(spec, draft.cards.get((kind, spec.name)), value, draft)

"""Which paths of this machine a request may name: those below the folders that the operator has opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec
from bakeoff.domain.errors import Violation
from bakeoff.runtime.nested import placed_specs

REMOTE = ("http", "https", "s3")


def foreign_paths(
    card: ComponentCard, spec: ComponentSpec, folders: tuple[Path, ...] | None, field: str
) -> Iterator[Violation]:
    """Yield what is wrong with the paths among a component's settings; says nothing of whether they exist.

    Args:
        card: Says which settings are paths.
        spec: The component as a request names it.
        folders: Below which paths may lie; None means everywhere.
        field: Where it stands in the request.
    """
    if folders is None:
        return
    for setting in card.settings:
        value = spec.settings.get(setting.name)
        if setting.type == "path" and isinstance(value, str) and value and not is_open(value, folders):
            yield Violation(f"{field}.{setting.name}", refusal(value))


def foreign_paths_inside(
    kind: ComponentKind,
    spec: ComponentSpec,
    cards: Mapping[tuple[ComponentKind, str], ComponentCard],
    folders: tuple[Path, ...] | None,
    field: str,
) -> Iterator[Violation]:
    """Yield what is wrong with the paths of a component, of those in its settings, of those in theirs, and so on.

    Args:
        kind: Of the component.
        spec: As a request names it; one that is not known has no paths that are known.
        cards: All that are known.
        folders: Below which paths may lie; None means everywhere.
        field: Where it stands in the request.
    """
    card = cards.get((kind, spec.name))
    if card is None or folders is None:
        return
    yield from foreign_paths(card, spec, folders, field)
    for setting, inner_kind, inner in placed_specs(card, spec):
        yield from foreign_paths_inside(inner_kind, inner, cards, folders, f"{field}.{setting}")


def refusal(path: str) -> str:
    """Return why a path is refused."""
    return f"{path!r} is in no folder that requests may name paths in (BAKEOFF_LOCAL_PATHS)"


def is_open(text: str, folders: tuple[Path, ...] | None) -> bool:
    """Return whether a request may name a path, a `file:` address, or an address of another kind."""
    if folders is None:
        return True
    parts = urlsplit(text)
    if parts.scheme.lower() in REMOTE:
        return True
    if parts.scheme == "" and "/" not in text and not Path(text).exists():
        return True  # a name that a component knows, such as that of a public data set
    named = unquote(parts.path) if parts.scheme.lower() == "file" else text
    # Links are followed first: one inside an open folder must not lead out of it.
    path = Path(named).expanduser().resolve()
    return any(path.is_relative_to(folder.resolve()) for folder in folders)

"""Settings that are local paths: absolute, so that they mean the same wherever the work is done."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from bakeoff.domain.component import ComponentCard, ComponentSpec


def with_absolute_paths(spec: ComponentSpec, card: ComponentCard | None, file: str) -> ComponentSpec:
    """Return a component with its local paths made absolute.

    Addresses stay, and so do words that the card lists for a path setting, such as names of public data sets.

    Args:
        spec: The component.
        card: Tells which settings are paths; None when the component is not known, whose settings then stay.
        file: The file in which the component is written; paths are relative to its folder.
    """
    if card is None:
        return spec
    paths = {setting.name for setting in card.settings if setting.type == "path"}
    settings = {
        name: _absolute(text, file)
        if name in paths and isinstance(text, str) and text not in _words(card, name)
        else text
        for name, text in spec.settings.items()
    }
    return ComponentSpec(spec.name, settings)


def local_path(text: str, file: str) -> Path:
    """Return a path that is written in a file: `~` is the home folder, and relative ones start at the file's."""
    return Path(file).parent / os.path.expanduser(text)  # noqa: PTH111  # the other one raises for `~nobody`


def _words(card: ComponentCard, setting: str) -> list[object]:
    names = card.facts.get("names")
    words = names.get(setting) if isinstance(names, Mapping) else None
    return list(words) if isinstance(words, list | tuple) else []


def _absolute(text: str, file: str) -> str:
    if "://" in text or not text:
        return text
    return os.path.abspath(local_path(text, file))  # noqa: PTH100  # resolve() follows links

"""What a service says of its keys when it announces components: their names, so that a wrong one is told at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bakeoff.domain.component import ComponentCard
from bakeoff.runtime.key_addresses import as_facts
from bakeoff.runtime.settings import Settings


def with_known_keys(cards: Sequence[ComponentCard], settings: Settings) -> list[ComponentCard]:
    """Return cards in which each that takes a `key` has the fact `keys`: names that the service can open, never values.

    Where keys may be sent only to what the operator says, the fact `keys_sent_to` has these addresses by name.
    A folder of keys that cannot be read leaves the cards as they are: what is in it is seen when a key is used.
    """
    names = key_names(settings)
    if names is None:
        return list(cards)
    told: dict[str, object] = {"keys": names}
    sent_to = as_facts(names, settings.key_addresses)
    if sent_to is not None:
        told["keys_sent_to"] = sent_to
    return [
        replace(card, facts={**card.facts, **told}) if any(setting.name == "key" for setting in card.settings) else card
        for card in cards
    ]


def key_names(settings: Settings) -> list[str] | None:
    """Return the names of the keys that can be opened, never values; None when the folder of keys cannot be read."""
    names = sorted(settings.keys)
    if settings.keys_dir:
        try:
            names += sorted(each.name for each in Path(settings.keys_dir).iterdir() if each.is_file())
        except OSError:
            return None
    return names

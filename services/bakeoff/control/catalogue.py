"""The components that running services have announced."""

from __future__ import annotations

from dataclasses import dataclass

from bakeoff.contract.announcements import read_cards
from bakeoff.contract.subjects import COMPONENTS_BUCKET
from bakeoff.domain.component import ComponentCard
from bakeoff.runtime.bus import Bus


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The announcements on a bus."""

    bus: Bus

    async def cards(self) -> list[ComponentCard]:
        """Return all announced cards, by kind and name."""
        cards: dict[tuple[str, str], ComponentCard] = {}
        for service in await self.bus.kv_keys(COMPONENTS_BUCKET):
            entry = await self.bus.kv_get(COMPONENTS_BUCKET, service)
            if entry is not None:
                for card in read_cards(entry.value):
                    cards[card.kind.value, card.name] = card
        return [cards[key] for key in sorted(cards)]

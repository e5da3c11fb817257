"""The components that running services have announced."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from bakeoff.contract.stored import decode
from bakeoff.contract.subjects import COMPONENTS_BUCKET
from bakeoff.domain.component import ComponentCard, ComponentKind
from bakeoff.runtime.bus import Bus

KINDS = frozenset(kind.value for kind in ComponentKind)


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


@dataclass(frozen=True, slots=True)
class _Kind:
    """The part of a card that says whether the rest can be understood."""

    kind: str


def read_cards(data: bytes) -> list[ComponentCard]:
    """Read what a service has announced.

    A card of a kind that is not known here is left out: the service is of a later version, and nobody here can name it.

    Raises:
        InvalidInputError: it is no announcement.
    """
    announced = decode(data, tuple[msgspec.Raw, ...])
    return [decode(bytes(card), ComponentCard) for card in announced if decode(bytes(card), _Kind).kind in KINDS]

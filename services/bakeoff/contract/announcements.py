"""What a running service announces on the bus: the cards of its components."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from bakeoff.contract.stored import decode
from bakeoff.domain.component import ComponentCard, ComponentKind

KINDS = frozenset(kind.value for kind in ComponentKind)


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

"""The components that are installed here, from the services' own registries."""

from __future__ import annotations

from bakeoff.domain.component import ComponentCard
from bakeoff.embedded import find_services
from bakeoff.runtime.settings import Settings


def local_cards(settings: Settings) -> list[ComponentCard]:
    """Return the cards of all components that are installed here, by kind and name.

    Args:
        settings: Name the modules with further plug-ins.

    Raises:
        InvalidInputError: a module that BAKEOFF_PLUGINS names cannot be loaded.
    """
    services = find_services(["all"])
    cards = [card for service in services for card in service.cards(settings)]
    unique = {(card.kind, card.name): card for card in cards}
    return [unique[key] for key in sorted(unique)]

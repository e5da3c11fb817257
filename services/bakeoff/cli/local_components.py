"""The components that are installed here, from the services' own registries."""

from __future__ import annotations

from bakeoff.domain.component import ComponentCard
from bakeoff.domain.errors import InvalidInputError
from bakeoff.embedded import find_services
from bakeoff.runtime.settings import Settings


def local_cards(settings: Settings) -> list[ComponentCard]:
    """Return the cards of all components that are installed here, by kind and name.

    Args:
        settings: Name the modules with further plug-ins.

    Raises:
        InvalidInputError: a module that BAKEOFF_PLUGINS names is not installed.
    """
    try:
        cards = [card for service in find_services(["all"]) for card in service.cards(settings)]
    except ModuleNotFoundError as error:
        if error.name not in settings.plugin_modules:
            raise
        raise InvalidInputError(f"BAKEOFF_PLUGINS names the module {error.name!r}, which is not installed") from error
    unique = {(card.kind, card.name): card for card in cards}
    return [unique[key] for key in sorted(unique)]

"""The components that are installed here, from the services' own registries."""

from __future__ import annotations

import importlib

from bakeoff.domain.component import ComponentCard
from bakeoff.domain.errors import InvalidInputError
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
    for name in settings.plugin_modules:
        _load_plugin(name)
    cards = [card for service in services for card in service.cards(settings)]
    unique = {(card.kind, card.name): card for card in cards}
    return [unique[key] for key in sorted(unique)]


def _load_plugin(name: str) -> None:
    try:
        importlib.import_module(name)
    except Exception as error:  # a plug-in's own code may raise anything
        raise InvalidInputError(
            f"BAKEOFF_PLUGINS names the module {name!r}, which cannot be loaded: {error}"
        ) from error

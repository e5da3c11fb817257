"""What a service is: its wiring in one place, the same for one process a service and for all in one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc

from bakeoff.domain.component import ComponentCard
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.channels import open_peer
from bakeoff.runtime.items import StageHandler
from bakeoff.runtime.objects import ObjectStore
from bakeoff.runtime.settings import Settings


class Peers:
    """Synchronous, thread-safe channels to other services; opened when first asked for."""

    def __init__(self, addresses: dict[str, str], settings: Settings | None = None) -> None:
        """Know where the peers are.

        Args:
            addresses: host:port by service name.
            settings: TLS and token; None means neither.
        """
        self._addresses = addresses
        self._settings = settings or Settings()
        self._channels: dict[str, grpc.Channel] = {}

    def channel(self, service: str) -> grpc.Channel:
        """Return the channel to a service."""
        if service not in self._channels:
            self._channels[service] = open_peer(self._addresses[service], self._settings)
        return self._channels[service]

    def close(self) -> None:
        """Close all channels."""
        for channel in self._channels.values():
            channel.close()


@dataclass(frozen=True, slots=True)
class Deps:
    """What a service is given."""

    settings: Settings
    objects: ObjectStore
    bus: Bus
    peers: Peers


@dataclass(frozen=True, slots=True)
class Service:
    """One service of Bakeoff."""

    name: str
    cards: Callable[[Settings], list[ComponentCard]] = field(default=lambda settings: [])
    """Loads the plug-ins and returns their cards, which are announced to the control service."""
    handler: Callable[[Deps], StageHandler] | None = None
    """Makes the handler of its stage; None when it has none."""
    serve: Callable[[Any, Deps], tuple[str, ...]] | None = None
    """Adds its servicers to a `grpc.aio.Server` and returns their full names, for reflection; None when it has none."""
    background: Callable[[Deps], Awaitable[None]] | None = None
    """What it does by itself until cancelled; None when nothing."""
    assemble: Callable[[Deps], Service] | None = None
    """Makes the service anew around parts that its server and its background work share; None when they share none."""

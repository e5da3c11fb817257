"""Finding the platform that a command talks to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.client import Client
from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.runtime.settings import Settings
from bakeoff.runtime.telemetry.switch import trace_to

if TYPE_CHECKING:  # its servers and their ways are only loaded when one is started
    from bakeoff.embedded import Embedded

RUNNING = "embedded.json"
"""File in the platform's folder that says where a running embedded platform is."""
LOG = "services.log"
"""File in the platform's folder that takes the logs of its services."""


@contextmanager
def connected(
    server: str, directory: Path, settings: Settings, *, start: bool = False, make: bool = False
) -> Iterator[Client]:
    """Give a client of the platform that is meant.

    That is, in this order: the one that is named; the one of the settings; an embedded one that runs in the folder;
    and, where that makes sense, one that is started in the folder for as long as it is needed.

    Args:
        server: host:port from the command line; empty when not given.
        directory: Folder of the embedded platform.
        settings: Where BAKEOFF_SERVER is.
        start: Whether to start one when the folder has data and nothing runs.
        make: Whether to start one even when the folder is not there yet.

    Raises:
        OutOfReachError: there is none.
    """
    if address := server or settings.server:
        end_traces = trace_to(settings.traces_endpoint, "client")
        try:
            with Client(address, settings) as client:
                yield client
        finally:
            end_traces()
        return
    if address := running_embedded(directory):  # which speaks without TLS, and knows no tokens
        with Client(address) as client:
            yield client
        return
    if not make and (not start or not directory.is_dir()):
        raise OutOfReachError(
            f"no platform is named and none runs in {str(directory)!r}; name one with --server HOST:PORT or "
            "BAKEOFF_SERVER. `bakeoff run FILE` needs none; docs/guide/platform.md says how to start one"
        )
    with embedded(directory, settings) as (_, client):
        yield client


@contextmanager
def embedded(directory: Path, settings: Settings) -> Iterator[tuple[Embedded, Client]]:
    """Start a platform in a folder for as long as it is needed, and give it and a client; its logs go to a file there.

    Raises:
        InvalidInputError: one runs there already, the folder cannot be written, or a server is not installed.
        OutOfReachError: a server did not come up.
    """
    from bakeoff.embedded import Embedded
    from bakeoff.runtime import logs

    try:
        directory.mkdir(parents=True, exist_ok=True)
        log = (directory / LOG).open("a", encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"the folder {str(directory)!r} cannot be written: {error.strerror}") from None
    with log:
        logs.configure(settings, log)
        with Embedded(directory, settings) as platform, Client(platform.address) as client:
            yield platform, client


def running_embedded(directory: Path) -> str:
    """Return the address of the embedded platform that runs in a folder; empty when none does."""
    try:
        said = json.loads((directory / RUNNING).read_text())
        os.kill(int(said["pid"]), 0)
        return str(said["address"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""

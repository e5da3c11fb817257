"""`bakeoff streams`: make the bus ready, so that scalers can look at consumers before any service runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command
from bakeoff.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from bakeoff.runtime.settings import Settings


def add(commands: Commands) -> None:
    """Add the command."""
    add_command(
        commands,
        "streams",
        run,
        "make the streams, consumers and buckets of the bus",
        "Every service does so at its start; a cluster whose services begin with none does it once before.",
    )


def run(args: argparse.Namespace) -> ExitCode:
    """Make what is missing and bring the rest up to date."""
    import asyncio

    from bakeoff.contract import subjects
    from bakeoff.runtime.settings import Settings

    asyncio.run(_ensure(Settings.from_environment()))
    output.result(", ".join(spec.name for spec in subjects.STREAMS) + ": ready")
    return ExitCode.SUCCESS


async def _ensure(settings: Settings) -> None:
    from bakeoff.contract import subjects
    from bakeoff.runtime.connect import connect_bus

    bus = await connect_bus(settings, "streams")
    try:
        await bus.ensure(subjects.STREAMS, subjects.consumers(settings.ack_wait_s), subjects.BUCKETS)
    finally:
        await bus.close()

"""`bakeoff restore`: make evaluations known again after the bus lost its data, from what the object store holds."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_json
from bakeoff.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from bakeoff.domain.evaluation import EvaluationRecord
    from bakeoff.runtime.settings import Settings


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "restore",
        run,
        "make evaluations known again after the bus lost its data",
        "Reads the object store that BAKEOFF_S3_* name and writes to the bus that BAKEOFF_NATS_* name; what the bus "
        "knows stays as it is. Evaluations with a report are completed again, all others are paused.",
    )
    parser.add_argument("--resume", action="store_true", help="let the others run on at once, cancelled ones too")
    add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Restore, and print what was made known."""
    import asyncio

    from bakeoff.cli.progress import one_line, status_facts
    from bakeoff.control.announcer import status_of
    from bakeoff.runtime.settings import Settings

    for record in asyncio.run(restored(Settings.from_environment(), resume=args.resume)):
        status = status_of(record, ())
        if args.json:
            output.json_line("evaluation", **status_facts(status))
        else:
            output.result(one_line(status))
    return ExitCode.SUCCESS


async def restored(settings: Settings, *, resume: bool) -> list[EvaluationRecord]:
    """Make evaluations known that the bus of the settings does not know; return how they stand.

    Raises:
        OutOfReachError: the bus or the object store does not answer.
        InvalidInputError: they refuse the credentials.
    """
    from bakeoff.contract import subjects
    from bakeoff.control.restoring import Restoring
    from bakeoff.runtime.connect import connect_bus, connect_objects

    objects = connect_objects(settings)
    bus = await connect_bus(settings, "restore")
    try:
        await bus.ensure(subjects.STREAMS, subjects.consumers(settings.ack_wait_s), subjects.BUCKETS)
        return await Restoring(bus, objects).restore(resume=resume)
    finally:
        await bus.close()

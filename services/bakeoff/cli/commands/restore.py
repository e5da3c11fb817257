"""`bakeoff restore`: make evaluations known again after the bus lost its data, from what the object store holds."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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
    parser.add_argument(
        "--dir",
        type=Path,
        metavar="DIR",
        help="the folder of an embedded platform whose bus lost its data, instead of the servers of the settings",
    )
    parser.add_argument("--resume", action="store_true", help="let the others run on at once, cancelled ones too")
    add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Restore, and print what was made known."""
    import asyncio

    from bakeoff.cli.progress import one_line, status_facts
    from bakeoff.control.announcer import status_of
    from bakeoff.runtime.settings import Settings

    with _servers(args.dir, Settings.from_environment()) as settings:
        records = asyncio.run(restored(settings, resume=args.resume))
    for record in records:
        status = status_of(record, ())
        if args.json:
            output.json_line("evaluation", **status_facts(status))
        else:
            output.result(one_line(status))
    return ExitCode.SUCCESS


@contextmanager
def _servers(directory: Path | None, settings: Settings) -> Iterator[Settings]:
    """Give settings that name a bus and an object store: those given, or those of an embedded platform for a moment.

    Raises:
        InvalidInputError: the folder holds no platform, or one runs there.
    """
    from bakeoff.cli.server import embedded
    from bakeoff.domain.errors import InvalidInputError

    if directory is None:
        yield settings
        return
    if not (directory / "s3").is_dir():
        raise InvalidInputError(
            f"{str(directory)!r} holds no platform: it has no folder s3 with what there is to restore"
        )
    with embedded(directory, settings) as (platform, _):
        yield platform.settings


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

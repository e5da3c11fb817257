"""`bakeoff dashboard`: evaluations, their progress and their cases in a browser."""

from __future__ import annotations

import argparse
import signal
from typing import TYPE_CHECKING

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_server
from bakeoff.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from bakeoff.runtime.settings import Settings

PORT = 7608


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "dashboard",
        run,
        "show evaluations, their progress and their cases in a browser",
        "Serves web pages until it is stopped. Whoever reaches them sees what BAKEOFF_TOKEN may read: they are for "
        "this machine alone unless --listen says otherwise.",
    )
    parser.add_argument(
        "--listen",
        type=_place,
        default=("127.0.0.1", PORT),
        metavar="HOST:PORT",
        help=f"where the pages are; port 0 takes a free one (default: 127.0.0.1:{PORT})",
    )
    parser.add_argument("--open", action="store_true", help="open the first page in a browser")
    add_server(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Serve until SIGTERM or Ctrl-C."""
    import asyncio

    from bakeoff.cli.server import connected
    from bakeoff.runtime.settings import Settings

    # As Ctrl-C, so that the children of an embedded platform are stopped.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with connected(args.server, args.dir, Settings.from_environment(), start=True) as client:
        client.components()  # a platform that does not answer is told before a page is
        try:
            asyncio.run(_serve(client.address, client.settings, args))
        except KeyboardInterrupt:
            output.note("stopped")
    return ExitCode.SUCCESS


async def _serve(address: str, settings: Settings, args: argparse.Namespace) -> None:
    import asyncio
    import webbrowser

    from bakeoff.client import AsyncClient
    from bakeoff.dashboard.serving import serving

    async with AsyncClient(address, settings) as platform, serving(platform, *args.listen) as page:
        output.result(page)
        if args.open:
            webbrowser.open(page)
        await asyncio.Event().wait()


def _place(text: str) -> tuple[str, int]:
    """Read where to listen, for argparse."""
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"must be HOST:PORT, not {text!r}")
    return host.strip("[]"), int(port)

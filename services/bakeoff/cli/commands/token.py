"""`bakeoff token`: let somebody call a platform, or no more."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command
from bakeoff.cli.exit_codes import ExitCode
from bakeoff.domain.errors import InvalidInputError, NotFoundError

ROLES = ("submit", "read", "operate")


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "token",
        run,
        "add, list and remove tokens of a tokens file",
        "The file keeps digests of tokens alone; running services read it again when it changes.",
    )
    parser.add_argument("what", choices=("add", "list", "remove"))
    parser.add_argument("--file", type=Path, required=True, metavar="FILE", help="the tokens file, BAKEOFF_TOKENS_FILE")
    parser.add_argument("--tenant", default="", help="whom the token speaks for; * for all, with the role operate")
    parser.add_argument(
        "--role", action="append", default=[], choices=ROLES, help="what it allows; may be given several times"
    )
    parser.add_argument("--name", default="", help="what the token is called in lists, such as its owner")


def run(args: argparse.Namespace) -> ExitCode:
    """Change the file, or show it."""
    from bakeoff.runtime.tokens import read_tokens

    text = args.file.read_text(encoding="utf-8") if args.file.exists() else "{}"
    read_tokens(text, str(args.file))  # a file that services would refuse is not written on
    known: dict[str, dict[str, Any]] = json.loads(text)
    if args.what == "list":
        for entry in known.values():
            output.result(f"{entry.get('name') or '-'}  {entry['tenant']}  {','.join(entry['roles'])}")
        return ExitCode.SUCCESS
    if args.what == "add":
        return _add(args, known)
    return _remove(args, known)


def _add(args: argparse.Namespace, known: dict[str, dict[str, Any]]) -> ExitCode:
    from bakeoff.runtime.tokens import digest_of_token, entry_of, new_token

    if args.name and any(entry.get("name") == args.name for entry in known.values()):
        raise InvalidInputError(f"{str(args.file)!r} has a token named {args.name!r} already; remove it first")
    entry = entry_of(args.tenant, args.role, args.name)
    token = new_token()
    _write(args.file, {**known, digest_of_token(token): entry})
    # The one time that it is seen.
    output.result(token)
    return ExitCode.SUCCESS


def _remove(args: argparse.Namespace, known: dict[str, dict[str, Any]]) -> ExitCode:
    if not args.name:
        raise InvalidInputError("say which token: --name NAME")
    kept = {digest: entry for digest, entry in known.items() if entry.get("name") != args.name}
    if len(kept) == len(known):
        raise NotFoundError(f"{str(args.file)!r} has no token named {args.name!r}")
    _write(args.file, kept)
    output.result(f"removed {args.name}")
    return ExitCode.SUCCESS


def _write(file: Path, entries: dict[str, dict[str, Any]]) -> None:
    from bakeoff.runtime.private_files import write_private

    fresh = file.with_name(f"{file.name}.new")
    write_private(fresh, json.dumps(entries, indent=1))
    fresh.replace(file)  # a reader sees the old file or the new one

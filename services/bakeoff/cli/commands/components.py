"""`bakeoff components`: what recipes and benchmarks may name, with settings, ranges and meanings."""

from __future__ import annotations

import argparse
import difflib
import json
from pathlib import Path

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_json
from bakeoff.cli.exit_codes import ExitCode
from bakeoff.domain.component import ComponentCard, ComponentKind, Setting
from bakeoff.domain.errors import NotFoundError

KINDS = [kind.value for kind in ComponentKind]


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "components",
        run,
        "list the components that files may name, with their settings",
        "Those that are installed here; with --server, those that its services have announced.",
    )
    parser.add_argument("kind", nargs="?", choices=KINDS, metavar="KIND", help=f"only one kind: {', '.join(KINDS)}")
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="only the one of that name")
    parser.add_argument("--server", default="", metavar="HOST:PORT", help="ask a platform instead")
    add_json(parser)


def run(args: argparse.Namespace) -> ExitCode:
    """Print the cards."""
    cards = _cards(args.server)
    chosen = [card for kind in ComponentKind for card in cards if card.kind is kind and args.kind in (None, kind.value)]
    if args.name:
        chosen = [_named(args.name, chosen)]
    if args.json:
        for card in chosen:
            output.json_line("component", **{"kind": card.kind, **_facts(card)})
        return ExitCode.SUCCESS
    for kind in ComponentKind:
        of_kind = [card for card in chosen if card.kind is kind]
        if of_kind:
            output.result("\n".join([_plural(kind), *map(_words, of_kind)]) + "\n")
    return ExitCode.SUCCESS


def _named(name: str, cards: list[ComponentCard]) -> ComponentCard:
    """Return the card of that name.

    Raises:
        NotFoundError: there is none; says which there are, or is nearest.
    """
    for card in cards:
        if card.name == name:
            return card
    kind, names = cards[0].kind.value.replace("_", " ") if cards else "component", [card.name for card in cards]
    near = difflib.get_close_matches(name, names, n=1)
    meant = f"; did you mean {near[0]!r}?" if near else ";"
    raise NotFoundError(f"no {kind} is named {name!r}{meant} known: {', '.join(names)}")


def _cards(server: str) -> list[ComponentCard]:
    from bakeoff.runtime.settings import Settings

    settings = Settings.from_environment()
    if server:
        from bakeoff.cli.server import connected

        with connected(server, Path(), settings) as client:
            return client.components()
    from bakeoff.cli.local_components import local_cards

    return local_cards(settings)


def _plural(kind: ComponentKind) -> str:
    return "indexes" if kind is ComponentKind.INDEX else f"{kind.value.replace('_', ' ')}s"


def _facts(card: ComponentCard) -> dict[str, object]:
    return {
        "name": card.name,
        "version": card.version,
        "doc": card.doc,
        "settings": card.settings,
        "facts": dict(card.facts),
    }


def _words(card: ComponentCard) -> str:
    lines = [f"  {card.name}  {card.doc}"]
    lines += [f"      {setting.name}: {allowed(setting)}  {setting.doc}".rstrip() for setting in card.settings]
    return "\n".join(lines)


def allowed(setting: Setting) -> str:
    """Return what a setting may be: its type, range and default."""
    words = [" or ".join(json.dumps(choice) for choice in setting.choices) or setting.type]
    if setting.minimum is not None:
        words.append(f"≥ {setting.minimum:g}")
    if setting.maximum is not None:
        words.append(f"≤ {setting.maximum:g}")
    if setting.below:
        words.append(f"< {setting.below}")
    if setting.nullable:
        words.append("or null")
    words.append("required" if setting.required else f"default {json.dumps(setting.default)}")
    return ", ".join(words)

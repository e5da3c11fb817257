"""`bakeoff dead`: what was given up, why, and doing it again once the cause is mended."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bakeoff.cli import output
from bakeoff.cli.arguments import Commands, add_command, add_json, add_server
from bakeoff.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from bakeoff.domain.work import DeadLetter

HEAD = ("evaluation", "item", "cases", "when", "state", "reason")


def add(commands: Commands) -> None:
    """Add the command and its three steps."""
    parser = add_command(
        commands,
        "dead",
        run,
        "list, show and replay work that was given up",
        "An item is given up when its input is wrong, or when every attempt at it failed; its cases end failed, with "
        "the reason, and the report counts them.",
    )
    steps = parser.add_subparsers(title="steps", metavar="STEP", required=True, dest="step")
    listing = add_command(steps, "list", run, "list what was given up", "The last letter of each item, oldest first.")
    listing.add_argument("evaluation_id", metavar="ID", nargs="?", default="", help="only of this evaluation")
    show = add_command(steps, "show", run, "show one dead letter whole", "")
    show.add_argument("evaluation_id", metavar="ID", help="id of the evaluation")
    show.add_argument("item", metavar="STAGE/ITEM", help="the item, as `dead list` names it")
    replay = add_command(
        steps,
        "replay",
        run,
        "do what failed of an evaluation again, and make its report anew",
        "Only the items that failed are done again, and what depends on them. Mend the cause first.",
    )
    replay.add_argument("evaluation_id", metavar="ID", help="id of an evaluation that has completed or failed")
    replay.add_argument(
        "--failed-cases",
        action="store_true",
        help="also do items again that have a result in which cases failed, as when a model did not answer",
    )
    replay.add_argument("--follow", action="store_true", help="wait for the end, as `bakeoff watch` does")
    for each in (listing, show, replay):
        add_server(each)
        add_json(each)


def run(args: argparse.Namespace) -> ExitCode:
    """Take the step."""
    return {"list": _list, "show": _show, "replay": _replay}[args.step](args)


def _list(args: argparse.Namespace) -> ExitCode:
    from bakeoff.cli.server import connected
    from bakeoff.runtime.settings import Settings

    with connected(args.server, args.dir, Settings.from_environment(), start=True) as client:
        letters = client.dead_letters(args.evaluation_id)
    if args.json:
        for letter, replayed in letters:
            output.json_line("dead_letter", **_facts(letter, replayed))
    elif letters:
        output.result(output.table(HEAD, [_row(letter, replayed) for letter, replayed in letters]))
    else:
        output.note("nothing was given up")
    return ExitCode.SUCCESS


def _show(args: argparse.Namespace) -> ExitCode:
    from bakeoff.cli.server import connected
    from bakeoff.domain.errors import InvalidInputError
    from bakeoff.domain.evaluation import Stage
    from bakeoff.runtime.settings import Settings

    stage, _, item = args.item.partition("/")
    if stage not in tuple(Stage) or not item:
        raise InvalidInputError(
            f"{args.item!r} names no item: it must be STAGE/ITEM, with a stage of {', '.join(Stage)}"
        )
    with connected(args.server, args.dir, Settings.from_environment(), start=True) as client:
        letter, replayed = client.dead_letter(args.evaluation_id, Stage(stage), item)
    facts = _facts(letter, replayed)
    if args.json:
        output.json_line("dead_letter", **facts)
    else:
        output.result("\n".join(f"{name.replace('_', ' ')}: {_word(value)}" for name, value in facts.items()))
    return ExitCode.SUCCESS


def _replay(args: argparse.Namespace) -> ExitCode:
    from bakeoff.cli.following import follow
    from bakeoff.cli.progress import make_progress, one_line, status_facts, tell_outcome
    from bakeoff.cli.server import connected
    from bakeoff.domain.evaluation import EvaluationState
    from bakeoff.runtime.settings import Settings

    settings = Settings.from_environment()
    with connected(args.server, args.dir, settings, start=args.follow) as client:
        status, items = client.replay(args.evaluation_id, failed_cases=args.failed_cases)
        if args.json:
            output.json_line("replayed", items=items, **status_facts(status))
        else:
            output.result(one_line(status))
            output.note(f"done again: {', '.join(items) or 'the report alone'}")
        if not args.follow:
            return ExitCode.SUCCESS
        ended = follow(client, args.evaluation_id, make_progress(as_json=args.json))
    tell_outcome(ended, as_json=args.json)
    return ExitCode.SUCCESS if ended.state is EvaluationState.COMPLETED else ExitCode.FAILED


def _cases(letter: DeadLetter) -> int | None:
    """Return the cases that an item stands for; None when it stands for none."""
    from bakeoff.domain.work import InferTask, ScoreTask

    body = letter.task.body
    return body.cases_stop - body.cases_start if isinstance(body, InferTask | ScoreTask) else None


def _facts(letter: DeadLetter, replayed: bool) -> dict[str, object]:
    task = letter.task
    return {
        "evaluation_id": task.evaluation_id,
        "tenant": task.tenant,
        "stage": task.stage,
        "item": task.item,
        "cases": _cases(letter),
        "kind": letter.failure.kind,
        "reason": letter.failure.reason,
        "time": letter.time,
        "deliveries": letter.deliveries,
        "replayed": replayed,
        "task": task.body,
    }


def _row(letter: DeadLetter, replayed: bool) -> tuple[str, ...]:
    task, cases = letter.task, _cases(letter)
    return (
        task.evaluation_id,
        f"{task.stage.value}/{task.item}",
        "–" if cases is None else str(cases),
        letter.time,
        "replayed" if replayed else "open",
        letter.failure.reason,
    )


def _word(value: object) -> str:
    import json

    from bakeoff.domain.identity import plain

    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)

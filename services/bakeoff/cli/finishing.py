"""What a command does when an evaluation has ended: fetch the report, say how it came out, choose the exit code."""

from __future__ import annotations

import shlex
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from bakeoff.cli import output
from bakeoff.cli.exit_codes import ExitCode
from bakeoff.cli.progress import outcome_words
from bakeoff.cli.report_files import failed_cases, fetch_all, read_report
from bakeoff.cli.work_done import WorkDone, work_words
from bakeoff.client import Client
from bakeoff.client.report_calls import FILES, USUAL
from bakeoff.domain.evaluation import EvaluationState, EvaluationStatus
from bakeoff.reporting.text import render_summary


def finish(
    client: Client,
    status: EvaluationStatus,
    folder: Path,
    *,
    as_json: bool,
    strict: bool,
    show: bool = False,
    work: Sequence[WorkDone] = (),
) -> ExitCode:
    """Bring the report of an ended evaluation home.

    Args:
        client: Where the report is.
        status: The evaluation as it ended.
        folder: Where its files go.
        as_json: Whether to say it to a machine.
        strict: Whether failed cases make another exit code.
        show: Whether to open the report in a browser.
        work: What this run did of it, by stage; empty when others did it.
    """
    if status.state is not EvaluationState.COMPLETED:
        if as_json:
            output.json_line("finished", evaluation_id=status.evaluation_id, state=status.state, reason=status.reason)
        output.note(outcome_words(status))
        return ExitCode.FAILED
    fetch_all(client, status.evaluation_id, folder)
    report = read_report(folder)
    failed = failed_cases(report)
    if as_json:
        output.json_line(
            "finished",
            evaluation_id=status.evaluation_id,
            state=status.state,
            digest=report.digest,
            failed_cases=failed,
            items={each.stage.value: {"done_now": each.now, "found_done": each.found} for each in work},
            files={name: str(folder / FILES[name]) for name in USUAL},
        )
    else:
        output.result(render_summary(report).rstrip("\n"))
        if work:
            output.result(work_words(work))
        output.result(f"\nreport: {folder / FILES['html']}")
        output.result(f"more in text, with every interval and count: bakeoff report {shlex.quote(str(folder))}")
    if show:
        webbrowser.open((folder / FILES["html"]).resolve().as_uri())
    return ExitCode.SOME_CASES_FAILED if strict and failed else ExitCode.SUCCESS

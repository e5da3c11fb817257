"""Showing how far an evaluation is: bars on a terminal, plain lines elsewhere, JSON for machines."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Protocol, TextIO
from urllib.parse import unquote, urlsplit

from bakeoff.cli import output
from bakeoff.domain.evaluation import EvaluationState, EvaluationStatus, Stage, StageProgress

if TYPE_CHECKING:  # takes a tenth of a second, and only terminals need it
    from rich.progress import TaskID

LINE_S = 1.0  # at most one plain line in so many seconds


class Progress(Protocol):
    """Is shown an evaluation whenever it changed."""

    def show(self, status: EvaluationStatus) -> None:
        """Take note of how it stands."""

    def close(self) -> None:
        """Leave the terminal as it was; may be called twice."""


def make_progress(*, as_json: bool) -> Progress:
    """Return what suits standard error: bars when it is a terminal, else plain lines; or JSON lines."""
    if as_json:
        return JsonProgress()
    return TerminalProgress() if sys.stderr.isatty() else LineProgress()


class JsonProgress:
    """A JSON object a change."""

    def show(self, status: EvaluationStatus) -> None:
        """Print the evaluation."""
        output.json_line("evaluation", **status_facts(status))

    def close(self) -> None:
        """Do nothing."""


class LineProgress:
    """A line when something changed, at most one a second.

    That it completed is always shown; how it ended otherwise, and why, is said once, by the command that followed it.
    """

    def __init__(self, say: Callable[[str], None] = output.note, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with nothing shown.

        Args:
            say: Takes the lines.
            clock: Seconds that only grow.
        """
        self._say = say
        self._clock = clock
        self._shown = ""
        self._shown_at = float("-inf")

    def show(self, status: EvaluationStatus) -> None:
        """Print the evaluation when it differs from the last line and that is a second old."""
        if status.state.ended and status.state is not EvaluationState.COMPLETED:
            return
        line = one_line(status)
        due = status.state.ended or self._clock() - self._shown_at >= LINE_S
        if line != self._shown and due:
            self._say(line)
            self._shown, self._shown_at = line, self._clock()

    def close(self) -> None:
        """Do nothing."""


class TerminalProgress:
    """A bar for each stage."""

    def __init__(self, stream: TextIO | None = None) -> None:
        """Take over the last lines of a terminal.

        Args:
            stream: The terminal; None means standard error.
        """
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        console = Console(file=stream or sys.stderr, force_terminal=True)
        self._bars = Bars(
            TextColumn("{task.description:<8}"),
            BarColumn(),
            TextColumn("{task.fields[words]}", markup=False),
            TimeElapsedColumn(),
            console=console,
        )
        self._tasks: dict[str, TaskID] = {}
        self._bars.start()

    def show(self, status: EvaluationStatus) -> None:
        """Move the bars."""
        # The report is planned last: what has no items by then, as asking has in a re-scoring, never will.
        planned = any(stage.stage is Stage.REPORT and stage.planned for stage in status.stages)
        for stage in status.stages:
            name = stage.stage.value
            if name not in self._tasks:
                self._tasks[name] = self._bars.add_task(name, total=None, words="waiting", start=False)
            task = self._tasks[name]
            if stage.queued or stage.done:
                self._bars.start_task(task)
            words = "nothing to do" if planned and not stage.planned else stage_words(stage)
            words = ", ".join((words, *download_words(status))) if stage.stage is Stage.PREPARE else words
            self._bars.update(task, total=stage.planned or None, completed=stage.done, words=words)

    def close(self) -> None:
        """Leave the bars as they stand and give the terminal back."""
        self._bars.stop()


def one_line(status: EvaluationStatus) -> str:
    """Return how an evaluation stands: its state, then the stages that have begun and not ended."""
    under_way = [stage for stage in status.stages if stage.planned and stage.done < stage.planned]
    moving = [stage for stage in under_way if stage.done or stage.queued]
    words = ", ".join((*(f"{stage.stage.value} {stage_words(stage)}" for stage in moving), *download_words(status)))
    if status.state.ended:
        words = status.reason
    return f"{status.evaluation_id} {status.state.value}" + (f": {words}" if words else "")


def stage_words(stage: StageProgress) -> str:
    """Return how far a stage is, such as `120 of 300 cases, 1 failed item`."""
    if not stage.planned:
        return "waiting"
    done, planned, what = stage.done, stage.planned, "items"
    if stage.planned_cases:
        done, planned, what = stage.done_cases, stage.planned_cases, "cases"
    failed = f", {stage.failed} failed item{'s' if stage.failed > 1 else ''}" if stage.failed else ""
    return f"{done:,} of {planned:,} {what}{failed}"


def download_words(status: EvaluationStatus) -> list[str]:
    """Return how far the downloads under way are, such as `scifact.zip 12.3 of 67.1 MB`."""
    return [
        f"{_file_name(each.address)} {size_words(each.received_bytes, each.total_bytes)}"
        for each in status.downloads
        if each.received_bytes != each.total_bytes
    ]


def _file_name(address: str) -> str:
    """Return the file's name of an address without control characters: none may steer the terminal."""
    name = PurePosixPath(unquote(urlsplit(address).path)).name or address
    return "".join(mark if mark.isprintable() else "?" for mark in name)


def size_words(there: int, total: int | None) -> str:
    """Return how many bytes of how many are there, in the unit that suits the larger number."""
    exponent = next(each for each in (9, 6, 3, 0) if max(there, total or 0) >= 10**each or not each)
    unit, digits = {9: "GB", 6: "MB", 3: "kB", 0: "bytes"}[exponent], 1 if exponent else 0
    of = "" if total is None else f" of {total / 10**exponent:,.{digits}f}"
    return f"{there / 10**exponent:,.{digits}f}{of} {unit}" + (" so far" if total is None else "")


def status_facts(status: EvaluationStatus) -> dict[str, object]:
    """Return an evaluation as facts for `json_line`."""
    return {
        "evaluation_id": status.evaluation_id,
        "name": status.name,
        "tenant": status.tenant,
        "state": status.state,
        "stages": status.stages,
        "downloads": status.downloads,
        "reason": status.reason,
        "submitted_at": status.submitted_at,
        "ended_at": status.ended_at,
    }


def tell_outcome(status: EvaluationStatus, *, as_json: bool) -> None:
    """Say what became of an evaluation that ended: as the result, or beside JSON if it did not complete."""
    if not as_json:
        output.result(outcome_words(status))
    elif status.state is not EvaluationState.COMPLETED:
        output.note(outcome_words(status))


def outcome_words(status: EvaluationStatus) -> str:
    """Return what became of an evaluation that ended."""
    because = f": {status.reason}" if status.reason else ""
    word = {EvaluationState.COMPLETED: "completed", EvaluationState.FAILED: "failed"}.get(status.state, "was cancelled")
    return f"evaluation {status.evaluation_id} {word}{because}"

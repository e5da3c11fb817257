"""Where words go: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence

from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.identity import plain


def result(text: str) -> None:
    """Print what was asked for."""
    print(text, flush=True)  # flushed, so that a pipe sees it now


def raw(pieces: Iterable[bytes]) -> None:
    """Print bytes as they are."""
    for piece in pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def note(text: str) -> None:
    """Print what is said beside the result."""
    print(text, file=sys.stderr, flush=True)


def json_line(event: str, **facts: object) -> None:
    """Print a JSON object on one line.

    Args:
        event: What it tells of: evaluation, finished, error, component, check, …
        facts: JSON types, dataclasses and enums.
    """
    print(
        json.dumps({"event": event, **{name: plain(fact) for name, fact in facts.items()}}, ensure_ascii=False),
        flush=True,
    )


def error(fault: Exception, *, as_json: bool) -> None:
    """Print an error on standard error; for machines also as a line on standard output."""
    if as_json:
        violations = fault.violations if isinstance(fault, InvalidInputError) else ()
        message = fault.message if isinstance(fault, InvalidInputError) else str(fault)
        json_line("error", kind=type(fault).__name__, message=message, violations=violations)
    note(f"error: {fault}")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows under a head, in columns as wide as their widest cell."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )

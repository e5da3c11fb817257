"""An error told as the failure of a case: whose fault it is, and why, in one line that can be stored."""

from __future__ import annotations

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.errors import BakeoffError, InvalidInputError, NotFoundError

LONGEST_REASON = 500
"""Characters of a reason."""


def failure_of(error: BaseException, otherwise: FailureKind) -> Failure:
    """Return the failure that an error is told as.

    Args:
        error: What was raised.
        otherwise: Who is to blame when the error's class does not say that it is the input.
    """
    kind = FailureKind.INPUT if isinstance(error, InvalidInputError | NotFoundError) else otherwise
    told = str(error) if isinstance(error, BakeoffError) else f"{type(error).__name__}: {error}"
    return Failure(kind, one_line(told))


def one_line(text: str) -> str:
    """Return a text as one line of bounded length that can be stored."""
    line = " ".join(text.encode(errors="replace").decode().split())
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"

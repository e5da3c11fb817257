"""Exit codes that scripts can use, and the one table from errors to them."""

from __future__ import annotations

from enum import IntEnum

from bakeoff.domain.errors import (
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    UnauthenticatedError,
    UnavailableError,
)


class ExitCode(IntEnum):
    """How a command ended."""

    SUCCESS = 0
    FAILED = 1
    INVALID = 2
    NOT_FOUND = 3
    UNREACHABLE = 4
    SOME_CASES_FAILED = 5
    REFUSED = 6
    INTERRUPTED = 130


MEANINGS = {
    ExitCode.SUCCESS: "success",
    ExitCode.FAILED: "the evaluation failed or was cancelled; doctor: something is wrong",
    ExitCode.INVALID: "wrong usage or invalid input",
    ExitCode.NOT_FOUND: "a file, an evaluation or a report does not exist",
    ExitCode.UNREACHABLE: "something does not answer: a server, the bus, the object store",
    ExitCode.SOME_CASES_FAILED: "completed, but some cases failed (only with --strict)",
    ExitCode.REFUSED: "the platform asks for a token, or the token does not allow this",
    ExitCode.INTERRUPTED: "interrupted; run the same command again to resume",
}
ERRORS: tuple[tuple[type[Exception], ExitCode], ...] = (
    (InvalidInputError, ExitCode.INVALID),
    (NotFoundError, ExitCode.NOT_FOUND),
    (UnavailableError, ExitCode.UNREACHABLE),
    (UnauthenticatedError, ExitCode.REFUSED),
    (ForbiddenError, ExitCode.REFUSED),
)


def exit_code_of(error: Exception) -> ExitCode:
    """Return the exit code of an error; any that is not in the table is a failure."""
    return next((code for kind, code in ERRORS if isinstance(error, kind)), ExitCode.FAILED)

"""Errors whose class says what to do: give up, wait, or try again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is wrong with an input, and where."""

    field: str
    """Path of the field, such as `recipes[0].build.chunker.overlap`; empty for the whole input."""
    problem: str
    """What is wrong, with the value and what is allowed."""
    file: str | None = None
    """File in which it stands; None when the input is no file."""
    line: int | None = None
    """Line of that file, from 1; None when not known."""

    def __str__(self) -> str:
        """Print as `file:line: field: problem`, leaving out what is not known."""
        place = self.file or ""
        if self.file and self.line is not None:
            place = f"{self.file}:{self.line}"
        return ": ".join(part for part in (place, self.field, self.problem) if part)


class BakeoffError(Exception):
    """Root of all errors that Bakeoff raises on purpose."""


class InvalidInputError(BakeoffError):
    """The input is wrong and stays wrong: give up at once."""

    def __init__(self, message: str, violations: Sequence[Violation] = ()) -> None:
        """Keep the violations beside the message.

        Args:
            message: What is wrong, with the value and what is allowed.
            violations: The single faults; empty when the message says it all.
        """
        super().__init__(message)
        self.message = message
        self.violations = tuple(violations)

    def __str__(self) -> str:
        """Print the message and, below it, every violation."""
        return "\n".join([self.message, *(f"  {violation}" for violation in self.violations)])


class NoBucketError(InvalidInputError):
    """The object store has no such bucket."""


class NoAccessError(InvalidInputError):
    """The object store refuses access to the bucket, or to an object of it."""

    def __init__(self, message: str, code: str = "") -> None:
        """Keep the store's own word for it, such as `AccessDenied`."""
        super().__init__(message)
        self.code = code


class NotFoundError(BakeoffError):
    """What was named does not exist: give up at once."""


class UnauthenticatedError(BakeoffError):
    """Nobody knows who calls: no token was shown, or none that is known."""


class ForbiddenError(BakeoffError):
    """It is known who calls, and they may not do this."""


class UnavailableError(BakeoffError):
    """Something else does not answer now: try again, with growing delay, a bounded number of times."""


class OutOfReachError(UnavailableError):
    """A part of the platform (bus, object store, a peer service) does not answer.

    That is no attempt of the work: keep it, wait, and be not ready.
    """


class DigestMismatchError(BakeoffError):
    """Bytes that were read are not the bytes that were named."""


class CancelledItemError(BakeoffError):
    """The evaluation was cancelled while the item was in hand: drop the item without a fact."""

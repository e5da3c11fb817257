"""What is wrong with a request, noted while it is walked through."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.domain.component import ComponentKind
from bakeoff.domain.errors import Violation

LARGEST_COUNT = 2**32 - 1  # counts travel as uint32


class Findings:
    """All that was found so far."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.violations: list[Violation] = []
        self.missing: set[ComponentKind] = set()
        """Kinds of which nothing is known, so that their components could not be checked."""

    def wrong(self, field: str, problem: str) -> None:
        """Note that a field, such as `recipes[0].build.chunker.overlap`, is wrong."""
        self.violations.append(Violation(field, problem))

    def whole(self, field: str, value: int, minimum: int = 1, maximum: int = LARGEST_COUNT) -> None:
        """Note when a number is not a whole one within bounds, which belong to it."""
        if not minimum <= value <= maximum:
            self.wrong(field, f"must be a whole number from {minimum} to {maximum}, not {value!r}")

    def unique(self, named: Iterable[tuple[str, str]], what: str) -> None:
        """Note each field whose name another one had before; `what` they are, in the plural."""
        first: dict[str, str] = {}
        for field, name in named:
            if name in first:
                self.wrong(field, f"two {what} are named {name!r}; the other is {first[name]}")
            else:
                first[name] = field

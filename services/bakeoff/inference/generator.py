"""What a generator is: it makes an answer of passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from bakeoff.domain.answer import Passage
from bakeoff.domain.benchmark import Case, Json
from bakeoff.models.choice import ModelChoice


@dataclass(frozen=True, slots=True)
class Generated:
    """An answer."""

    text: str
    """Empty when there is nothing to answer from, which answer metrics count as a wrong answer."""
    metadata: Json = field(default_factory=dict)
    """What is to be known of the answer, such as the passage it came from; JSON values."""


class Generator(Protocol):
    """Makes answers. Called from several threads at once."""

    def generate(self, question: str, passages: Sequence[Passage], *, seed: int, case_id: str) -> Generated:
        """Answer a question.

        The same arguments must give the same answer, as far as the generator has a say in it.

        Args:
            question: What is asked.
            passages: What may be used, best first, with their texts; may be empty.
            seed: With the case id, the source of everything random.
            case_id: Id of the case; any text.

        Raises:
            UnavailableError: what it needs does not answer now; it is asked again, a few times.
            InvalidInputError: the question or the passages cannot be used; the case fails as such.
            Exception: anything else fails the case, and no other.
        """


@runtime_checkable
class CaseGenerator(Protocol):
    """A generator that wants more of a case than its question, such as the files that come with it."""

    def for_case(self, case: Case) -> Generator:
        """Return what answers this one case; does no work yet, and does not fail."""


AnyGenerator = Generator | ModelChoice

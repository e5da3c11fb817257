"""A prompt template: how a question is asked, and how an example is shown."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.identity import digest_of
from bakeoff.domain.slots import unknown_slot
from bakeoff.inference.prompting.bodies import Body, places_of, plain_bodies, slots_in
from bakeoff.inference.prompting.values import known_slots

SEPARATOR = "\n"


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A template as it was read from its file."""

    name: str
    """Name in messages and reports: a built-in template's, or that of its file."""
    item: Body
    """How the question is asked."""
    shot: Body | None = None
    """How one example is shown; None when the template cannot show any. The item then has a place for them."""
    separator: str = SEPARATOR
    """Behind each example that is shown as text."""
    fold_system: bool = False
    """Whether what SYSTEM says is said by its fallback role."""
    answer_columns: frozenset[str] = frozenset()
    """Columns that hold the answer: shown in examples, blank in the question."""

    @property
    def digest(self) -> str:
        """SHA-256 of what the template says, 64 hexadecimal digits; comments and the file's name do not count."""
        return digest_of(
            {
                "item": self.item,
                "shot": self.shot,
                "separator": self.separator,
                "fold_system": self.fold_system,
                "answer_columns": sorted(self.answer_columns),
            }
        )

    @property
    def takes_examples(self) -> bool:
        """Whether it says how an example is shown, and where."""
        return self.shot is not None

    def check(self, columns: Collection[str], *, example_columns: Collection[str] | None = None) -> None:
        """Check that every slot is filled, before any question is asked.

        Args:
            columns: Metadata, labels and choice letters that every case has; see `columns_of`.
            example_columns: Those that every example has; None when it is given no examples.

        Raises:
            InvalidInputError: a slot is unknown, or examples have no place; all faults at once.
        """
        # Where the question is asked, columns that hold the answer are blank: it does not need to have them.
        violations = self._unfilled(self.item, known_slots(columns) | self.answer_columns)
        if example_columns is not None and self.shot is not None:
            violations += self._unfilled(self.shot, known_slots(example_columns))
        if example_columns is not None and not self.takes_examples:
            violations.append(Violation(self.name, self.why_no_examples))
        if violations:
            told = list(dict.fromkeys(violations))
            raise InvalidInputError(f"the prompt template {self.name!r} cannot be used", told)

    def _unfilled(self, body: Body, known: Collection[str]) -> list[Violation]:
        names = sorted(name for name in slots_in(body) if name not in known)
        return [Violation(f"{self.name}.{name}", unknown_slot(name, known)) for name in names]

    @property
    def why_no_examples(self) -> str:
        """What is missing before it can show examples."""
        placed = any(places_of(body) for body in plain_bodies(self.item))
        missing = "no ice_template" if placed else "neither {examples} nor an ice_token, where they would go"
        return f"cannot show examples: it has {missing}; add it, or use the retriever zero"

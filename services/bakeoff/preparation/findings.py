"""Faults of a benchmark's data, counted by kind while it is read."""

from __future__ import annotations

from bakeoff.domain.prepared import QualityFinding

EXAMPLES = 10  # enough to see a pattern, few enough to read


class Findings:
    """Collects faults; the order in which kinds first occurred is kept."""

    def __init__(self) -> None:
        """Start with none."""
        self._messages: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._examples: dict[str, list[str]] = {}

    def note(self, code: str, message: str, example: str) -> None:
        """Count one occurrence.

        Args:
            code: Stable name of the kind.
            message: What it means for the numbers, in one sentence; the first one of a kind is kept.
            example: The id or ids concerned; the first ten are kept.
        """
        self._messages.setdefault(code, message)
        self._counts[code] = self._counts.get(code, 0) + 1
        examples = self._examples.setdefault(code, [])
        if len(examples) < EXAMPLES:
            examples.append(example)

    def note_empty(self, document_id: str) -> None:
        """Count a document that has nothing to be found by. It is kept: it is part of the benchmark."""
        self.note("empty_document", "documents without any text can never be found", document_id)

    def all(self) -> tuple[QualityFinding, ...]:
        """Return the faults by kind, in the order in which the kinds first occurred."""
        return tuple(
            QualityFinding(code, self._counts[code], message, tuple(self._examples[code]))
            for code, message in self._messages.items()
        )

"""The split for in-context examples: read before the cases, which are then looked for in it."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.same_content import content_of
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.spool import Table


class ExampleSplit:
    """Remembers the ids and contents of the examples, 16 bytes each."""

    def __init__(self, table: Table[Case], findings: Findings) -> None:
        """Start with none.

        Args:
            table: Where the examples go.
            findings: Where cases are noted that are among them.
        """
        self._table = table
        self._findings = findings
        self._ids: set[str] = set()
        self._contents: set[bytes] = set()

    def read(self, examples: Iterable[Case]) -> None:
        """Take in all examples.

        Raises:
            InvalidInputError: an id is empty, or there twice.
        """
        for example in examples:
            if not example.case_id or example.case_id in self._ids:
                problem = "is there twice" if example.case_id else "must not be empty"
                raise InvalidInputError(f"the id {example.case_id!r} of an in-context example {problem}")
            self._ids.add(example.case_id)
            self._contents.add(content_of(example))
            self._table.add(example)

    def look_for(self, case: Case) -> None:
        """Note a case that is among the examples, by its id or by what it asks."""
        if self._ids and (case.case_id in self._ids or content_of(case) in self._contents):
            message = "cases that are in-context examples too; their answers are given away unless they are left out"
            self._findings.note("case_in_examples", message, case.case_id)

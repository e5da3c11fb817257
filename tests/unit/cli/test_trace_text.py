"""The answers that used a document, as a table for people."""

from __future__ import annotations

from bakeoff.cli.trace_text import uses_table
from bakeoff.domain.answer import Span
from bakeoff.domain.trace import DocumentUse


def use(case: str, entrant: str, rank: int, pages: Span | None) -> tuple[str, DocumentUse]:
    return "ev-1", DocumentUse("harbour", "all", case, entrant, rank, f"guide#{rank}", Span(0, 9), pages)


def test_an_answer_is_one_row_and_answers_to_one_case_stand_together() -> None:
    table = uses_table(
        [
            use("c1", "one/a", 9, Span(48, 49)),
            use("c1", "one/a", 2, Span(47, 49)),
            use("c1", "one/a", 11, Span(48, 49)),
            use("c2", "one/a", 1, None),
            use("c1", "two/a", 4, Span(48, 49)),
        ]
    )

    rows = [" ".join(line.split()) for line in table.splitlines()]
    assert rows == [
        "evaluation benchmark unit case entrant ranks chunks pages",
        "ev-1 harbour all c1 one/a 2, 9, 11 guide#2, guide#9, guide#11 48–49, 49",
        "ev-1 harbour all c1 two/a 4 guide#4 49",
        "ev-1 harbour all c2 one/a 1 guide#1 no pages",
    ]

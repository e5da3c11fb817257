"""Tables of plain text."""

from __future__ import annotations

from bakeoff.reporting.text_tables import folded, table, width


def test_a_table_is_flushed_and_ruled() -> None:
    lines = list(
        table(["name", "n", "what"], [["a", "10", "x"], ["long name", "5", "y"]], numbers_from=1, numbers_to=2)
    )
    assert lines == [
        "  name        n  what",
        "  ─────────  ──  ────",
        "  a          10  x",
        "  long name   5  y",
        "",
    ]


def test_a_wide_table_is_folded_and_each_part_names_its_rows() -> None:
    header = ["row", *(f"column{number}" for number in range(5))]
    lines = list(folded(header, [["r", "1", "2", "3", "4", "5"]], columns=32))
    # 2 + 3 + 3 × (2 + 7) = 32 columns: three of five fit, then the other two.
    assert [line.split() for line in lines if "column" in line] == [
        ["row", "column0", "column1", "column2"],
        ["row", "column3", "column4"],
    ]
    assert [line.split() for line in lines if "r  " in line and "column" not in line] == [
        ["r", "1", "2", "3"],
        ["r", "4", "5"],
    ]
    assert max(map(len, lines)) == 32


def test_a_name_that_is_too_wide_still_has_a_column_beside_it() -> None:
    lines = list(folded(["row", "a", "b"], [["r" * 50, "1", "2"]], columns=20))
    assert sum("r" * 50 in line for line in lines) == 2


def test_wide_characters_take_two_columns() -> None:
    assert (width("abc"), width("港口")) == (3, 4)

"""Files of rows: JSON lines, JSON, CSV and Parquet, with what real files have in them."""

from __future__ import annotations

import csv
import decimal
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.row import NumberText, Row
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.source_files import SourceFile


def rows_of(path: Path, data: bytes | None = None, delimiter: str | None = None) -> list[Row]:
    if data is not None:
        path.write_bytes(data)
    return list(read_rows(SourceFile(path.name, path), delimiter=delimiter))


def values(rows: list[Row]) -> list[dict[str, object]]:
    return [dict(row.values) for row in rows]


def test_g1_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    assert values(rows_of(tmp_path / "a.csv", b"\xef\xbb\xbfinput,target\na,b\n")) == [{"input": "a", "target": "b"}]
    assert values(rows_of(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"input": "a"}\n')) == [{"input": "a"}]


def test_g2_ragged_rows_are_refused_with_their_numbers(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError) as caught:
        rows_of(tmp_path / "a.csv", b'q,t\na,b\nc\n"d\nd",e,f\ng,h\n')
    assert [(fault.line, fault.field, fault.problem) for fault in caught.value.violations] == [
        (3, "row 2", "has 1 values, but there are 2 columns"),
        (4, "row 3", "has 3 values, but there are 2 columns"),
    ]


def test_g6_a_field_of_200_000_characters_is_read(tmp_path: Path) -> None:
    csv.field_size_limit(131_072)
    assert values(rows_of(tmp_path / "a.csv", b"q,t\n" + b"x" * 200_000 + b",y\n"))[0]["q"] == "x" * 200_000


@pytest.mark.parametrize("number", ["0.10", "1e3", "123456789.123456789", "2.50"])
def test_g8_numbers_are_kept_as_they_are_spelled(tmp_path: Path, number: str) -> None:
    (row,) = rows_of(tmp_path / "a.jsonl", b'{"target": %s}' % number.encode())
    assert row.values["target"] == number
    assert isinstance(row.values["target"], NumberText)
    assert values(rows_of(tmp_path / "a.csv", b"target\n%s\n" % number.encode())) == [{"target": number}]


def test_a_line_is_told_for_a_row_that_is_no_json(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"a\.jsonl:3: is no JSON: Expecting value at character 7"):
        rows_of(tmp_path / "a.jsonl", b'{"a": 1}\n\n{"a": }\n')


def test_line_ends_within_texts_end_no_row(tmp_path: Path) -> None:
    data = '{"a": "x\u2028y\u0085z"}\n'.encode()
    assert values(rows_of(tmp_path / "a.jsonl", data)) == [{"a": "x\u2028y\u0085z"}]
    assert values(rows_of(tmp_path / "a.csv", b'a,b\r\n"x\r\ny",z\r\n')) == [{"a": "x\r\ny", "b": "z"}]


def test_nan_is_nothing(tmp_path: Path) -> None:
    assert values(rows_of(tmp_path / "a.jsonl", b'{"a": NaN}')) == [{"a": None}]


@pytest.mark.parametrize(
    "text", ['[{"a": 1}, {"a": 2}]', '{"version": 1, "data": [{"a": 1}, {"a": 2}]}', '{"a": 1}\n{"a": 2}\n']
)
def test_json_may_be_a_list_or_hold_one_or_be_lines(tmp_path: Path, text: str) -> None:
    assert values(rows_of(tmp_path / "a.json", text.encode())) == [{"a": 1}, {"a": 2}]


def test_a_quote_that_is_never_closed_is_an_error_and_no_long_value(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"a\.csv:2: a quote that is opened on this line is not closed"):
        rows_of(tmp_path / "a.csv", b'a,b\n"x,y\nz,w\n')


def test_tabs_part_the_values_of_tsv_and_any_sign_may(tmp_path: Path) -> None:
    assert values(rows_of(tmp_path / "a.tsv", b"a\tb\n1\t2\n")) == [{"a": "1", "b": "2"}]
    assert values(rows_of(tmp_path / "a.csv", b"a|b\n1|2\n", "|")) == [{"a": "1", "b": "2"}]


def test_parquet_gives_lists_mappings_and_every_digit(tmp_path: Path) -> None:
    table = pyarrow.table(
        {
            "choices": [["a", "b"], None],
            "answer": [{"text": "a"}, {"text": "b"}],
            "price": pyarrow.array([decimal.Decimal("1.50"), None], pyarrow.decimal128(5, 2)),
            "share": [0.1, float("nan")],
            "label": [1, 0],
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    assert values(rows_of(tmp_path / "a.parquet")) == [
        {"choices": ["a", "b"], "answer": {"text": "a"}, "price": "1.50", "share": "0.1", "label": 1},
        {"choices": None, "answer": {"text": "b"}, "price": None, "share": None, "label": 0},
    ]


def test_what_is_no_parquet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"a\.parquet: is no Parquet"):
        rows_of(tmp_path / "a.parquet", b"nonsense")


def test_an_unknown_format_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"a\.xlsx' has no ending that tells its format; known: \.jsonl"):
        rows_of(tmp_path / "a.xlsx", b"")

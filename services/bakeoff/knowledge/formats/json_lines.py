"""JSON lines: one table whose rows are records."""

from __future__ import annotations

import json

from bakeoff.knowledge.composing import Composer, Row
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError, decode_or_guess


def read_json_lines(source: SourceDocument) -> ParsedDocument:
    """Return the values of all records, a record a row: `name: value; name: value`. Rows are lines, from 0.

    Numbers stay as they are written. Columns are the names in the order in which they first occur; what is nested is
    written as JSON.

    Raises:
        UnreadableDocumentError: no encoding fits, or a line is no JSON; names the line.
    """
    text, notes = decode_or_guess(source.data, source.media_type)
    names: dict[str, int] = {}
    records: list[tuple[int, dict[str, str]]] = []
    # Only line feeds end a record: U+2028 and its like may stand in a text.
    for number, line in enumerate(text.split("\n")):
        if line.strip():
            record = {name: _shown(value) for name, value in _record(line, number).items()}
            for name in record:
                names.setdefault(name, len(names))
            records.append((number, record))
    composer = Composer()
    composer.notes.extend(notes)
    rows: list[Row] = [(number, [record.get(name, "") for name in names]) for number, record in records]
    composer.table(rows, names=tuple(names), named=True)
    return composer.parsed()


def _record(line: str, number: int) -> dict[str, object]:
    try:
        value = json.loads(line, parse_int=_Verbatim, parse_float=_Verbatim, parse_constant=_Verbatim)
    except (ValueError, RecursionError) as error:
        raise UnreadableDocumentError(f"line {number + 1} is no JSON: {error}") from error
    return value if isinstance(value, dict) else {"": value}


class _Verbatim(str):
    """A number as it is written."""

    __slots__ = ()


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else _json(value)


def _json(value: object) -> str:
    """Return what is nested as JSON, its numbers as they were written."""
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{json.dumps(name, ensure_ascii=False)}: {_json(one)}" for name, one in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_json, value)) + "]"
    return value if isinstance(value, _Verbatim) else json.dumps(value, ensure_ascii=False)

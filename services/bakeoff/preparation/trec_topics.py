"""Topics of classic collections: TREC's SGML, SMART's dotted fields, or an id and a text between tabs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.preparation.records import fault
from bakeoff.preparation.trec_documents import SMART_START, TAG, plain, read_text, smart_items

TOPIC = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
FIELD = re.compile(r"<([a-zA-Z]+)>")
NAMES = {"num": "number:", "title": "topic:", "desc": "description:", "narr": "narrative:"}
"""Words that TREC writes before what a field says."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic."""

    number: str
    """As it is written, without zeros before it."""
    text: str
    position: int
    """Place among the topics, from 1."""


def read_topics(path: Path, fields: Sequence[str]) -> list[Topic]:
    """Return the topics of a file, told by how it begins.

    Args:
        path: The file.
        fields: Of SGML, those that make the query, such as title and desc.

    Raises:
        InvalidInputError: it holds no topics, or a topic has no number or no text.
    """
    text = read_text(path)
    if SMART_START.search(text):
        found = [(number, plain(parts.get("W", ""))) for number, parts in smart_items(text)]
    elif "<top>" in text.lower():
        found = list(_sgml(text, fields))
    else:
        found = [(number, rest.strip()) for number, _, rest in (line.partition("\t") for line in text.splitlines())]
        found = [(number, rest) for number, rest in found if number.strip()]
    if not found:
        raise fault(path, None, "", "has no topics")
    for position, (number, query) in enumerate(found, start=1):
        if not number.strip() or not query:
            raise fault(
                path, None, "", f"topic {number.strip() or position} has no {'text' if number.strip() else 'number'}"
            )
    return [Topic(canonical(number), query, position) for position, (number, query) in enumerate(found, start=1)]


def canonical(number: str) -> str:
    """Return a topic's number without the zeros before it: 01 and 001 are 1."""
    text = number.strip()
    return str(int(text)) if text.isdecimal() else text


def _sgml(text: str, fields: Sequence[str]) -> Iterator[tuple[str, str]]:
    for topic in TOPIC.finditer(text):
        parts = FIELD.split(re.sub(r"</[a-zA-Z]+>", "", topic[1]))  # end tags may be there or not
        values: dict[str, str] = {}
        for name, value in zip(parts[1::2], parts[2::2], strict=True):
            said = (
                re.sub(rf"\A\s*{NAMES[name.lower()]}", "", value, flags=re.IGNORECASE)
                if name.lower() in NAMES
                else value
            )
            values.setdefault(name.lower(), plain(TAG.sub(" ", said)))
        yield values.get("num", ""), " ".join(values[name] for name in fields if values.get(name))

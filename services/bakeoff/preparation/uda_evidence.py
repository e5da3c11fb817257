"""The evidence that UDA publishes beside its questions: sentences of papers, and the facts of financial tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from bakeoff.domain.errors import InvalidInputError, Violation

MARK = re.compile(r"\b(?:BIBREF|FIGREF|TABREF|SECREF|EQREF|INLINEFORM|DISPLAYFORM)\d+\b")
"""What Qasper put in place of references and formulas; a paper's own text has something else there."""
FLOAT = "FLOAT SELECTED:"
"""Before the caption of a figure or table, which is no text of the paper as it is read."""
SHORTEST = 20
"""Characters of a sentence that still tell where it is from."""
YEAR = re.compile(r"(?:19|20)\d\d")
SHORTEST_FACT = 4
"""Characters of a fact that still tell something: 12 stands on every page, and so does the year of a report."""


def read_evidence(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the words of evidence by the question's id; questions without any are left out.

    Args:
        path: A file such as `bench_paper_text_qa.json`: questions by document, each with `q_uid`, and with `evidence`
            (papers) or `facts` (financial tables).

    Raises:
        InvalidInputError: it is no such file.
    """
    try:
        documents = json.loads(path.read_bytes())
    except ValueError as error:
        raise InvalidInputError(f"{path.name} cannot be read", [Violation("", str(error), str(path))]) from error
    if not isinstance(documents, Mapping):
        raise InvalidInputError(f"{str(path)!r} must be a mapping from documents to their questions")
    rows = (row for rows in documents.values() if isinstance(rows, list) for row in rows if isinstance(row, Mapping))
    found = {str(row.get("q_uid")): tuple(dict.fromkeys((*_sentences(row), *_facts(row)))) for row in rows}
    return {case_id: texts for case_id, texts in found.items() if texts}


def _sentences(row: Mapping[str, object]) -> Iterator[str]:
    pieces = row.get("evidence")
    for piece in pieces if isinstance(pieces, list) else ():
        sentences = piece.get("highlighted_evidence") if isinstance(piece, Mapping) else None
        for sentence in sentences or ():
            if not str(sentence).startswith(FLOAT):
                longest = max((part.strip(" ,.;()") for part in MARK.split(str(sentence))), key=len)
                if len(longest) >= SHORTEST:
                    yield longest


def _facts(row: Mapping[str, object]) -> Iterator[str]:
    facts = row.get("facts")
    for fact in map(str, facts if isinstance(facts, list) else ()):
        if len(fact) >= SHORTEST_FACT and not YEAR.fullmatch(fact):
            yield fact

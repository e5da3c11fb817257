"""Rankings and judgements in TREC's formats, such that trec_eval gives exactly the report's numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

import numpy as np

WHITE_SPACE = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
LAST_ESCAPED = "#"
UNSAFE = re.compile(f"[\0-{LAST_ESCAPED}{WHITE_SPACE}]|[{''.join(chr(ord(mark) - 1) for mark in WHITE_SPACE)}]")


def _escapes() -> dict[int, str]:
    escapes = {code: "!" + chr(ord(LAST_ESCAPED) + 1 + code) for code in range(ord(LAST_ESCAPED) + 1)}
    # A space beyond ASCII is told by its neighbour below, so that the order of ids stays.
    steps: dict[int, tuple[int, int]] = {}
    for mark in sorted(WHITE_SPACE):
        base, step = steps.get(ord(mark) - 1, (ord(mark) - 1, 0))
        steps[base] = (base, 0)
        steps[ord(mark)] = (base, step + 1)
    return escapes | {code: chr(base) + chr(ord("0") + step) for code, (base, step) in steps.items()}


ESCAPES = _escapes()


def trec_id(text: str) -> str:
    """Return an id that may stand in a TREC file: without white space and `#`, injective, and in the same order.

    The order matters: trec_eval breaks ties by it. Every character up to `#` becomes `!` and one that tells it (a
    space is `!D`); white space beyond ASCII becomes its lower neighbour and a digit.
    """
    return text.translate(ESCAPES) if UNSAFE.search(text) else text


def ranked(documents: Mapping[str, float]) -> list[str]:
    """Return documents in trec_eval's order: by score as a 32-bit float, then by document id, both descending.

    A ranking with a score that is no number is empty.

    Args:
        documents: Score of each document that was retrieved.
    """
    scores = np.array(list(documents.values()), dtype=np.float64)
    if not np.isfinite(scores).all():
        return []
    with np.errstate(over="ignore"):
        rounded = scores.astype(np.float32).tolist()
    return [document for _, document in sorted(zip(rounded, documents, strict=True), reverse=True)]


def run_lines(query_id: str, documents: Mapping[str, float], order: Sequence[str], tag: str) -> str:
    """Return the lines of one ranking: `query Q0 document rank score tag`.

    Scores are written so that they read back as the same number.

    Args:
        query_id: Name of the query, as `trec_id` gives it.
        documents: Score of each document that was retrieved.
        order: The documents as `ranked` gives them.
        tag: Name of the run, as `trec_id` gives it.
    """
    written = {text: name for name, text in changed_ids(documents).items()}
    return "".join(
        [
            f"{query_id} Q0 {written.get(document, document)} {rank} {documents[document]!r} {tag}\n"
            for rank, document in enumerate(order, start=1)
        ]
    )


def qrels_lines(query_id: str, judged: Mapping[str, int]) -> str:
    """Return the lines of one query's judgements: `query 0 document relevance`."""
    return "".join(f"{query_id} 0 {trec_id(document)} {grade}\n" for document, grade in judged.items())


def changed_ids(ids: Collection[str]) -> dict[str, str]:
    """Return the ids that are written otherwise, by how they are written."""
    if not UNSAFE.search("".join(ids)):
        return {}
    return {trec_id(text): text for text in ids if UNSAFE.search(text)}

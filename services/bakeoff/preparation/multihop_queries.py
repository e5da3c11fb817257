"""The files of MultiHop-RAG: articles with their addresses, and questions with the facts of articles as evidence."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from bakeoff.domain.benchmark import Case, Evidence, Expected, Json
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.row import Row
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.source_files import SourceFile

NO_EVIDENCE = "null_query"
"""The type of questions that the corpus does not answer."""


@dataclass(frozen=True, slots=True)
class Article:
    """One news article."""

    document_id: str
    title: str
    body: str
    metadata: Json = field(default_factory=dict)


class Fact(msgspec.Struct):
    """A sentence of an article that an answer rests on."""

    fact: str
    url: str = ""
    title: str = ""
    source: str | None = None
    published_at: str | None = None


class Query(msgspec.Struct):
    """A question, its answer and its evidence."""

    query: str
    question_type: str = ""
    answer: str | None = None
    evidence_list: list[Fact] = []


class _Article(msgspec.Struct):
    body: str
    title: str = ""
    url: str = ""
    author: str | None = None
    category: str | None = None
    source: str | None = None
    published_at: str | None = None


def article_id(url: str, title: str) -> str:
    """Return the id of an article: of its address, or of its title when it has none."""
    return f"article_{hashlib.sha256((url or title).encode()).hexdigest()[:16]}"


def read_articles(file: SourceFile) -> Iterator[Article]:
    """Yield the articles of `corpus.json`.

    Raises:
        InvalidInputError: a row is no article, or has the address of another.
    """
    places: dict[str, int] = {}
    for row in read_rows(file):
        found = row.convert(_Article)
        document_id = article_id(found.url, found.title)
        if document_id in places:
            raise row.fault("url", f"{found.url or found.title!r} is already in row {places[document_id]}")
        places[document_id] = row.number
        known = {name: getattr(found, name) for name in ("url", "source", "author", "category", "published_at")}
        yield Article(document_id, found.title, found.body, {name: value for name, value in known.items() if value})


def read_queries(file: SourceFile, answers: Path | None) -> Iterator[Query]:
    """Yield the questions.

    Args:
        file: `MultiHopRAG.json`, or `queries.json` of a sample.
        answers: The sample's file with answers and evidence by the question's id; None when they are in the rows.

    Raises:
        InvalidInputError: a row is no question, or the sample's answers lack it.
    """
    golds = _golds(answers) if answers else None
    for row in read_rows(file):
        yield _joined(row, golds).convert(Query)


def fact_articles(queries: Iterator[Query]) -> Iterator[Article]:
    """Yield an article for each address that evidence names, made of its gold facts; in the order of the questions."""
    facts: dict[str, dict[str, Fact]] = {}
    for query in queries:
        for fact in query.evidence_list:
            facts.setdefault(article_id(fact.url, fact.title), {}).setdefault(fact.fact, fact)
    for document_id, found in facts.items():
        first = next(iter(found.values()))
        yield Article(document_id, first.title, "\n".join(found), {"url": first.url} if first.url else {})


def query_case(number: int, query: Query) -> Case:
    """Return the case of a question; its id is its number, from 0."""
    evidence = tuple(
        Evidence(
            fact.url or fact.title,
            {"document_id": article_id(fact.url, fact.title)} if fact.url or fact.title else {},
            fact.fact,
        )
        for fact in query.evidence_list
    )
    labels = {"question_type": query.question_type} if query.question_type else {}
    answers = (query.answer,) if query.answer else ()
    return Case(f"multihop_rag_{number:04d}", query.query, Expected(answers, evidence), labels)


def _golds(path: Path) -> dict[str, object]:
    try:
        golds = json.loads(path.read_bytes())
    except ValueError as error:
        raise InvalidInputError(f"{path.name} cannot be read", [Violation("", str(error), str(path))]) from error
    if not isinstance(golds, dict):
        raise InvalidInputError(f"{str(path)!r} must be a mapping from question ids to answers")
    return golds


def _joined(row: Row, golds: dict[str, object] | None) -> Row:
    values = dict(row.values)
    if "query" not in values and "question" in values:
        values["query"] = values["question"]
    if golds is not None:
        gold = golds.get(str(values.get("id")))
        if not isinstance(gold, dict):
            raise row.fault("id", f"{values.get('id')!r} has no answer in the file of answers")
        values |= gold
    return Row(row.file, row.number, row.line, values)

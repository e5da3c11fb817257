"""What was retrieved for one question, by columns: thirty thousand passages are a few lists, not as many objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

from bakeoff.domain.answer import Passage, Span, TablePlace
from bakeoff.domain.errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class Source:
    """A document that passages come from."""

    document_id: str
    raw_key: str
    raw_sha256: str
    raw_bytes: Span | None = None
    """The document's bytes within the original; None when it is the whole."""


@dataclass(frozen=True, slots=True)
class SourceColumns:
    """The documents that the passages of rankings come from, by columns."""

    raw_keys: list[str]
    """Of the originals; fewer than documents where a document is a record of one."""
    raw_sha256s: list[str]
    """Of the original of the same index."""
    document_ids: list[str]
    originals: list[int]
    """Index of the document's original."""
    byte_starts: list[int]
    """-1 when the document is the whole original."""
    byte_stops: list[int]


class SourceTable(Sequence[Source]):
    """A sequence of sources that are made when they are looked at."""

    __slots__ = ("columns",)

    def __init__(self, columns: SourceColumns) -> None:
        """Take columns."""
        self.columns = columns

    @classmethod
    def of(cls, sources: Iterable[Source]) -> SourceTable:
        """Return sources as a table."""
        if isinstance(sources, SourceTable):
            return sources
        rows = tuple(sources)
        originals: dict[tuple[str, str], int] = {}
        places = [originals.setdefault((row.raw_key, row.raw_sha256), len(originals)) for row in rows]
        return cls(
            SourceColumns(
                [key for key, _ in originals],
                [digest for _, digest in originals],
                [row.document_id for row in rows],
                places,
                [row.raw_bytes.start if row.raw_bytes else -1 for row in rows],
                [row.raw_bytes.stop if row.raw_bytes else -1 for row in rows],
            )
        )

    def __len__(self) -> int:
        return len(self.columns.document_ids)

    @overload
    def __getitem__(self, index: int) -> Source: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Source]: ...
    def __getitem__(self, index: int | slice) -> Source | Sequence[Source]:
        if isinstance(index, slice):
            return tuple(self[row] for row in range(*index.indices(len(self))))
        columns = self.columns
        original, start = columns.originals[index], columns.byte_starts[index]
        return Source(
            columns.document_ids[index],
            columns.raw_keys[original],
            columns.raw_sha256s[original],
            Span(start, columns.byte_stops[index]) if start >= 0 else None,
        )


@dataclass(frozen=True, slots=True)
class RankingColumns:
    """The passages of a ranking, best first, one row each."""

    sources: list[int]
    """Index of the document in the table of sources."""
    chunks: list[int]
    """Number of the chunk in its document, from 0."""
    scores: list[float]
    char_starts: list[int]
    char_stops: list[int]
    page_starts: list[int]
    """Empty when no passage has pages; -1 for one that has none."""
    page_stops: list[int]
    texts: list[str]
    """Texts of the first ranks; shorter than the other columns when not all were asked for."""
    page_labels: list[str] = field(default_factory=list)
    """Empty when no passage has one; an empty text for a passage that has none."""
    tables: list[tuple[TablePlace, ...]] = field(default_factory=list)
    """Empty when no passage has any."""


class Ranking(Sequence[Passage]):
    """A sequence of passages that are made when they are looked at."""

    __slots__ = ("columns", "sources")

    def __init__(self, sources: SourceTable, columns: RankingColumns) -> None:
        """Take columns.

        Args:
            sources: The table that `columns.sources` points into; shared by the rankings of a batch.
            columns: One row a passage.
        """
        self.sources = sources
        self.columns = columns

    @classmethod
    def of(cls, passages: Iterable[Passage]) -> Ranking:
        """Return passages as a ranking of its own.

        Raises:
            InvalidInputError: a chunk id is not `<document id>#<number>`, or texts are missing between others.
        """
        if isinstance(passages, Ranking):
            return passages
        rows = tuple(passages)
        table: dict[Source, int] = {}
        places = [
            table.setdefault(Source(row.document_id, row.raw_key, row.raw_sha256, row.raw_bytes), len(table))
            for row in rows
        ]
        paged = any(row.pages is not None for row in rows)
        texts = [row.text for row in rows if row.text is not None]
        if any(row.text is None for row in rows[: len(texts)]):
            raise InvalidInputError("the passages with a text must be the first of a ranking")
        return cls(
            SourceTable.of(table),
            RankingColumns(
                places,
                [_chunk_number(row) for row in rows],
                [row.score for row in rows],
                [row.chars.start for row in rows],
                [row.chars.stop for row in rows],
                [row.pages.start if row.pages else -1 for row in rows] if paged else [],
                [row.pages.stop if row.pages else -1 for row in rows] if paged else [],
                texts,
                [row.page_label for row in rows] if any(row.page_label for row in rows) else [],
                [row.tables for row in rows] if any(row.tables for row in rows) else [],
            ),
        )

    def __len__(self) -> int:
        return len(self.columns.sources)

    @overload
    def __getitem__(self, index: int) -> Passage: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Passage]: ...
    def __getitem__(self, index: int | slice) -> Passage | Sequence[Passage]:
        if isinstance(index, slice):
            return tuple(self._passage(row) for row in range(*index.indices(len(self))))
        row = range(len(self))[index]
        return self._passage(row)

    def __iter__(self) -> Iterator[Passage]:
        return (self._passage(row) for row in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """A ranking equals any sequence of the same passages."""
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return len(self) == len(other) and all(mine == its for mine, its in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # its columns are lists

    def __repr__(self) -> str:
        return f"Ranking({list(self)!r})"

    def scored_documents(self) -> Iterator[tuple[str, float]]:
        """Return (document id, score) of each passage, best first, without making passages."""
        names = self.sources.columns.document_ids
        return zip([names[place] for place in self.columns.sources], self.columns.scores, strict=True)

    def with_texts(self, ranks: int) -> Ranking:
        """Return the ranking with the texts of its first ranks only."""
        columns = self.columns
        if len(columns.texts) <= ranks:
            return self
        return Ranking(self.sources, replace(columns, texts=columns.texts[:ranks]))

    def _passage(self, row: int) -> Passage:
        columns = self.columns
        source = self.sources[columns.sources[row]]
        page = columns.page_starts[row] if columns.page_starts else -1
        return Passage(
            row + 1,
            columns.scores[row],
            source.document_id,
            f"{source.document_id}#{columns.chunks[row]}",
            source.raw_key,
            source.raw_sha256,
            Span(columns.char_starts[row], columns.char_stops[row]),
            source.raw_bytes,
            Span(page, columns.page_stops[row]) if page >= 0 else None,
            columns.texts[row] if row < len(columns.texts) else None,
            columns.page_labels[row] if columns.page_labels else "",
            columns.tables[row] if columns.tables else (),
        )


def _chunk_number(passage: Passage) -> int:
    document_id, mark, number = passage.chunk_id.rpartition("#")
    if not mark or document_id != passage.document_id or not number.isascii() or not number.isdigit():
        raise InvalidInputError(
            f"the chunk id {passage.chunk_id!r} is not the id of document {passage.document_id!r}, `#` and a number"
        )
    return int(number)


def share_sources(rankings: Sequence[Ranking]) -> tuple[SourceTable, list[Ranking]]:
    """Return one table for all rankings, and the rankings over it."""
    tables = {id(ranking.sources): ranking.sources for ranking in rankings}
    if len(tables) == 1:
        return rankings[0].sources, list(rankings)
    shared: dict[Source, int] = {}
    places = {name: [shared.setdefault(source, len(shared)) for source in table] for name, table in tables.items()}
    sources = SourceTable.of(shared)
    return sources, [
        Ranking(sources, replace(each.columns, sources=[places[id(each.sources)][row] for row in each.columns.sources]))
        for each in rankings
    ]


def scored_documents(passages: Sequence[Passage]) -> Iterator[tuple[str, float]]:
    """Return (document id, score) of each passage, best first; of a ranking without making its passages."""
    if isinstance(passages, Ranking):
        return passages.scored_documents()
    return ((passage.document_id, passage.score) for passage in passages)

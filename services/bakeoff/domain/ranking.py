"""What was retrieved for one question, by columns: thirty thousand passages are a few lists, not as many objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from bakeoff.domain.answer import Passage, Span
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


class Ranking(Sequence[Passage]):
    """A sequence of passages that are made when they are looked at."""

    __slots__ = ("columns", "sources")

    def __init__(self, sources: Sequence[Source], columns: RankingColumns) -> None:
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
            tuple(table),
            RankingColumns(
                places,
                [_chunk_number(row) for row in rows],
                [row.score for row in rows],
                [row.chars.start for row in rows],
                [row.chars.stop for row in rows],
                [row.pages.start if row.pages else -1 for row in rows] if paged else [],
                [row.pages.stop if row.pages else -1 for row in rows] if paged else [],
                texts,
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
        """Yield (document id, score) of each passage, best first, without making passages."""
        names = self.sources
        for place, score in zip(self.columns.sources, self.columns.scores, strict=True):
            yield names[place].document_id, score

    def with_texts(self, ranks: int) -> Ranking:
        """Return the ranking with the texts of its first ranks only."""
        columns = self.columns
        if len(columns.texts) <= ranks:
            return self
        return Ranking(
            self.sources,
            RankingColumns(
                columns.sources,
                columns.chunks,
                columns.scores,
                columns.char_starts,
                columns.char_stops,
                columns.page_starts,
                columns.page_stops,
                columns.texts[:ranks],
            ),
        )

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
        )


def _chunk_number(passage: Passage) -> int:
    document_id, mark, number = passage.chunk_id.rpartition("#")
    if not mark or document_id != passage.document_id or not number.isascii() or not number.isdigit():
        raise InvalidInputError(
            f"the chunk id {passage.chunk_id!r} is not the id of document {passage.document_id!r}, `#` and a number"
        )
    return int(number)


def share_sources(rankings: Iterable[Ranking]) -> tuple[tuple[Source, ...], list[Ranking]]:
    """Return one table for all rankings, and the rankings over it."""
    table: dict[Source, int] = {}
    moved: dict[int, list[int]] = {}
    shared: list[tuple[Ranking, list[int]]] = []
    keep: list[Sequence[Source]] = []  # so that no table's id is given to another
    for ranking in rankings:
        places = moved.get(id(ranking.sources))
        if places is None:
            keep.append(ranking.sources)
            places = [table.setdefault(source, len(table)) for source in ranking.sources]
            moved[id(ranking.sources)] = places
        shared.append((ranking, places))
    sources = tuple(table)
    return sources, [_over(sources, ranking, places) for ranking, places in shared]


def _over(sources: tuple[Source, ...], ranking: Ranking, places: list[int]) -> Ranking:
    columns = ranking.columns
    return Ranking(
        sources,
        RankingColumns(
            [places[place] for place in columns.sources],
            columns.chunks,
            columns.scores,
            columns.char_starts,
            columns.char_stops,
            columns.page_starts,
            columns.page_stops,
            columns.texts,
        ),
    )


def scored_documents(passages: Sequence[Passage]) -> Iterator[tuple[str, float]]:
    """Yield (document id, score) of each passage, best first; of a ranking without making its passages."""
    if isinstance(passages, Ranking):
        yield from passages.scored_documents()
    else:
        yield from ((passage.document_id, passage.score) for passage in passages)

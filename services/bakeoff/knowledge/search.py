"""Asking a knowledge base that lies in a folder. No network; the files are mapped, not read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from bakeoff.contract.stored import decode
from bakeoff.domain.answer import Failure, FailureKind, Passage
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.knowledge.arrays import read_arrays
from bakeoff.knowledge.build import FORMAT, TABLES, index_file
from bakeoff.knowledge.embedding import connected
from bakeoff.knowledge.indexing import Hits, Index
from bakeoff.knowledge.outside import Site, own_site, placed
from bakeoff.knowledge.outside_errors import IndexUnavailableError
from bakeoff.knowledge.parts import needed_indexes, needs_vectors, stands_for
from bakeoff.knowledge.querying import QueryEngine
from bakeoff.knowledge.registries import embedders, engines, indexes, load
from bakeoff.knowledge.tables import Provenance, Tables
from bakeoff.models.access import ModelAccess

REMEMBERED = 1 << 16
"""Documents whose provenance is kept at hand; some 30 MB at most."""


def open_knowledge_base(
    folder: Path,
    files: Mapping[str, str] | None = None,
    *,
    models: ModelAccess | None = None,
    site: Site | None = None,
) -> KnowledgeBase:
    """Open what `build_knowledge_base` has written.

    Args:
        folder: Where the files are.
        files: Where each file lies in the folder, by its name at build time; None means under that name.
        models: Opens what an embedder asks; None opens models that need no key.
        site: Where indexes lie that are kept outside of the files, as given to the build.

    Raises:
        InvalidInputError: the files are not those of a knowledge base, or of another format.
        NotFoundError: an index that is kept outside is not there any more.
        IndexUnavailableError: what holds it does not answer.
    """
    load()
    places = {name: folder / place for name, place in (files or {}).items()}
    arrays, notes = read_arrays(places.get(TABLES, folder / TABLES))
    if notes.get("format") != FORMAT:
        raise InvalidInputError(f"{TABLES} has the format {notes.get('format')!r}, not {FORMAT!r}; build it again")
    part = decode(notes["build"].encode(), BuildPart)
    embedder = connected(embedders.make(part.embedder), models) if part.embedder else None
    opened = {}
    for spec in part.indexes:
        name = index_file(spec.name)
        stored, _ = read_arrays(places.get(name, folder / name))
        kind = placed(indexes.make(spec), site or own_site(folder))
        opened[spec.name] = kind.open(stored, embedder if needs_vectors(spec.name) else None)
    return KnowledgeBase(part, Tables(arrays), opened)


class KnowledgeBase:
    """An open knowledge base; thread-safe."""

    def __init__(self, build: BuildPart, tables: Tables, opened: Mapping[str, Index]) -> None:
        """Take what was opened; use `open_knowledge_base`.

        Args:
            build: How it was built.
            tables: Its documents and chunks.
            opened: Its indexes by name.
        """
        self.build = build
        self.tables = tables
        self._indexes = opened
        self._stand_ins = {stands_for(name): name for name in opened}
        self._provenance: Callable[[int], Provenance] = lru_cache(REMEMBERED)(tables.provenance)

    def index(self, name: str) -> Index:
        """Return an index, or the one that stands for it, such as `lance` for `dense`.

        Raises:
            InvalidInputError: there is none of that name.
        """
        name = name if name in self._indexes else self._stand_ins.get(name, name)
        if name not in self._indexes:
            raise InvalidInputError(
                f"the knowledge base has no index {name!r}; it was built with {', '.join(sorted(self._indexes))}"
            )
        return self._indexes[name]

    def search(
        self, queries: Sequence[str], mode: QueryMode, *, text_ranks: int = 0
    ) -> list[tuple[Passage, ...] | Failure]:
        """Return the passages that are found for each query, in the order of the queries.

        Args:
            queries: Any texts.
            mode: Engine and number of passages.
            text_ranks: First ranks whose texts are given.

        Returns:
            Per query its passages, best first, or why it alone could not be asked.

        Raises:
            NotFoundError: there is no such engine.
            InvalidInputError: a setting is wrong, or the engine needs an index that was not built.
            IndexUnavailableError: what holds an index does not answer.
        """
        return [
            found if isinstance(found, Failure) else self.passages(found, text_ranks)
            for found in self.hits(queries, mode)
        ]

    def hits(self, queries: Sequence[str], mode: QueryMode) -> list[Hits | Failure]:
        """Return what is found for each query as numbers of chunks; else as `search`."""
        engine = self._engine(mode)
        asked = [number for number, query in enumerate(queries) if query.strip()]
        found = iter(_ask(engine, self, [queries[number] for number in asked], mode.top_k))
        blank = Failure(FailureKind.INPUT, "the question is blank")
        answered = set(asked)
        return [next(found) if number in answered else blank for number in range(len(queries))]

    def _engine(self, mode: QueryMode) -> QueryEngine:
        if mode.top_k < 1:
            raise InvalidInputError(f"top_k must be at least 1, not {mode.top_k}")
        engine = engines.make(mode.engine)
        for name in needed_indexes(mode.engine):
            self.index(name)
        return engine

    def texts(self, chunks: Sequence[int]) -> list[str]:
        """Return the texts of chunks, which are numbers in the knowledge base, from 0."""
        return [self.tables.encoded_text(chunk).decode() for chunk in chunks]

    def passages(self, hits: Hits, text_ranks: int = 0) -> tuple[Passage, ...]:
        """Return hits with everything that traces them to bytes, and the texts of the first ranks."""
        found = zip(hits.chunks.tolist(), hits.scores.tolist(), strict=True)
        return tuple(
            self.passage(chunk, rank, score, with_text=rank <= text_ranks)
            for rank, (chunk, score) in enumerate(found, start=1)
        )

    def passage(self, chunk: int, rank: int = 1, score: float = 0.0, *, with_text: bool = False) -> Passage:
        """Return a chunk with everything that traces it to bytes.

        Args:
            chunk: Number of the chunk in the knowledge base, from 0.
            rank: Where it was found, from 1.
            score: How good it was found.
            with_text: Whether its text is given.
        """
        source = self._provenance(self.tables.document_of(chunk))
        return Passage(
            rank,
            score,
            source.document_id,
            f"{source.document_id}#{chunk - source.first_chunk}",
            source.raw_key,
            source.raw_sha256,
            self.tables.chars(chunk),
            source.raw_bytes,
            self.tables.pages(chunk),
            self.tables.encoded_text(chunk).decode() if with_text else None,
            self.tables.places.label(chunk),
            self.tables.places.tables(chunk),
        )


def _ask(engine: QueryEngine, asked: KnowledgeBase, queries: Sequence[str], top_k: int) -> list[Hits | Failure]:
    """Ask all queries at once; when that fails, each alone, so that a bad one fails alone."""
    if not queries:
        return []
    try:
        return list(engine.search(asked, queries, top_k))
    except IndexUnavailableError:
        raise  # nothing is wrong with the queries
    except Exception as error:
        if len(queries) > 1:
            return [found for query in queries for found in _ask(engine, asked, [query], top_k)]
        return [Failure(FailureKind.INFRASTRUCTURE, f"the search failed: {type(error).__name__}: {error}")]

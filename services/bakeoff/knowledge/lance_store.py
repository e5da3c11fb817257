"""Vectors in the columnar files of Lance, in a folder or straight on an object store."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.knowledge.embedding import Vectors
from bakeoff.knowledge.nearest import Candidates, batches
from bakeoff.knowledge.outside_errors import IndexUnavailableError

LACKING = "the package lancedb is not installed: pip install 'bakeoff[lance]'"
INDEX = "neighbours"
"""Name of the index over the vectors."""
ABSENT = "was not found"
PRESENT = "already exists"
CONFLICT = "transaction"
"""What the library says of a table, of an index over it, and of somebody who changed it meanwhile."""
TRIES = 8
"""More builders than that never write the same table at once."""
BLOCK_QUERIES = 16
"""Queries that are asked at once: what is read for one serves all of them."""
METADATA_BYTES = 64 << 20
INDEX_BYTES = 512 << 20
"""What a process keeps of the tables that it reads, over all of them; the library would take gigabytes for each."""


@dataclass(frozen=True, slots=True)
class LanceStore:
    """A place for tables, which are written once and never changed, so that any number may read them; thread-safe."""

    uri: str
    """A folder, or `s3://bucket/prefix`."""
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Endpoint, keys and region, as the library calls them; empty for a folder."""

    def within(self, prefix: str) -> LanceStore:
        """Return the place below a prefix."""
        return replace(self, uri=f"{self.uri.rstrip('/')}/{prefix}")

    def create(self, name: str, vectors: Vectors) -> None:
        """Write a table unless it is there; it becomes visible when all of it is written.

        Two that write it at once may both write it, one over the other, with the same vectors.

        Args:
            name: Must tell its vectors: a table that is there is taken for the same.
            vectors: One a row, in order; sent piece by piece.

        Raises:
            InvalidInputError: the store refuses the keys or the bucket.
            IndexUnavailableError: it does not answer.
        """
        import pyarrow as arrow

        schema = _schema(vectors.shape[1])
        with self._errors(name):
            connection = self._connection()
            for _ in range(TRIES):
                if _is_there(connection, name):
                    return
                reader = arrow.RecordBatchReader.from_batches(schema, _record_batches(vectors, schema))
                try:
                    connection.create_table(name, data=reader, schema=schema, mode="create")
                except (ValueError, RuntimeError) as error:
                    # Another builder of the same was faster, or is at it: what it writes is as good.
                    if PRESENT not in str(error) and CONFLICT not in str(error):
                        raise
                else:
                    return
        raise self._contended(name)

    def create_partitions(self, name: str, partitions: int) -> int:
        """Group the vectors of a table round centres, unless they are; return the version of the table that has them.

        Another builder of the same may write the table again meanwhile, or group its vectors: no version is lost by it,
        and whichever has groups will do.
        """
        from lancedb.index import IvfFlat

        config = IvfFlat("dot", num_partitions=partitions)
        with self._errors(name):
            for _ in range(TRIES):
                table = self._connection().open_table(name)
                if any(each.name == INDEX for each in table.list_indices()):
                    return int(table.version)
                try:
                    table.create_index("vector", config=config, name=INDEX, replace=False)
                except RuntimeError as error:
                    if PRESENT not in str(error) and CONFLICT not in str(error):
                        raise
        raise self._contended(name)

    def open(self, name: str, version: int | None = None) -> LanceTable:
        """Open a table, as it is or as it was in a version.

        Raises:
            NotFoundError: there is none of that name.
            InvalidInputError: the store refuses the keys or the bucket.
            IndexUnavailableError: it does not answer.
        """
        with self._errors(name):
            table = self._connection().open_table(name)
            if version is not None:
                table.checkout(version)
            return LanceTable(self, name, table)

    def remove_folder(self) -> None:
        """Remove all tables of a folder; nothing on an object store, where everything below a prefix goes together."""
        if "://" not in self.uri:
            shutil.rmtree(self.uri, ignore_errors=True)

    def _contended(self, name: str) -> IndexUnavailableError:
        return IndexUnavailableError(
            f"the table {name!r} in {self.uri!r} was written by others {TRIES} times meanwhile"
        )

    def _connection(self) -> Any:
        require_lance()
        import lancedb

        return lancedb.connect(self.uri, storage_options=dict(self.options) or None, session=_session())

    @contextmanager
    def _errors(self, name: str) -> Iterator[None]:
        """Tell the library's errors apart, which have no classes of their own."""
        try:
            yield
        except (OSError, RuntimeError, ValueError) as error:
            said = str(error)
            if ABSENT in said:
                raise NotFoundError(
                    f"the table {name!r} is not in {self.uri!r}; delete the knowledge base and build it again"
                ) from error
            refused = any(word in said for word in ("AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch"))
            if refused or "NoSuchBucket" in said:
                raise InvalidInputError(f"the object store refuses {self.uri!r}: {said[:300]}") from error
            raise IndexUnavailableError(f"the table {name!r} in {self.uri!r} cannot be had: {said[:300]}") from error


@dataclass(frozen=True, slots=True)
class LanceTable:
    """A table, open; thread-safe. What its searches read comes straight from where it lies."""

    store: LanceStore
    name: str
    table: Any

    def shape(self) -> tuple[int, int]:
        """Return rows and dimension."""
        with self.store._errors(self.name):
            return self.table.count_rows(), self.table.schema.field("vector").type.list_size

    def nearest(self, queries: Vectors, count: int, probes: int | None) -> list[Candidates]:
        """Return vectors near each query.

        Args:
            queries: Shape (queries, dimension).
            count: Of vectors for each query.
            probes: Groups of vectors that are looked at; None looks at all vectors.
        """
        found: list[Candidates] = []
        for first in range(0, len(queries), BLOCK_QUERIES):
            with self.store._errors(self.name):
                found += self._nearest(queries[first : first + BLOCK_QUERIES], count, probes)
        return found

    def _nearest(self, queries: Vectors, count: int, probes: int | None) -> Sequence[Candidates]:
        search = self.table.search(list(queries), vector_column_name="vector").distance_type("dot")
        # Reading all vectors brings the best of them for nothing. From groups they would be fetched one by one.
        search = search.bypass_vector_index() if probes is None else search.nprobes(probes)
        columns = ["chunk", "_distance", *(["vector"] if probes is None else [])]
        rows = search.select(columns).limit(count).to_arrow().combine_chunks()
        chunks = rows["chunk"].to_numpy()
        asked = rows["query_index"].to_numpy() if "query_index" in rows.column_names else np.zeros(len(chunks), int)
        of_each = [asked == number for number in range(len(queries))]
        if probes is not None:
            products = 1 - rows["_distance"].to_numpy()
            return [Candidates(chunks[own], None, products[own]) for own in of_each]
        vectors = rows["vector"].combine_chunks().flatten().to_numpy().reshape(len(chunks), queries.shape[1])
        return [Candidates(chunks[own], vectors[own]) for own in of_each]


def require_lance() -> None:
    """Check that tables can be written and read.

    Raises:
        InvalidInputError: the library is not installed.
    """
    if find_spec("lancedb") is None:
        raise InvalidInputError(LACKING)


def _is_there(connection: Any, name: str) -> bool:
    try:
        connection.open_table(name)
    except ValueError as error:
        if ABSENT in str(error):
            return False
        raise
    return True


@cache
def _session() -> Any:
    import lancedb

    return lancedb.Session(index_cache_size_bytes=INDEX_BYTES, metadata_cache_size_bytes=METADATA_BYTES)


def _schema(dimension: int) -> Any:
    import pyarrow as arrow

    vector = arrow.list_(arrow.float32(), dimension)
    return arrow.schema([arrow.field("chunk", arrow.int64()), arrow.field("vector", vector)])


def _record_batches(vectors: Vectors, schema: Any) -> Iterator[Any]:
    import pyarrow as arrow

    for first, batch in batches(vectors):
        numbers = arrow.array(np.arange(first, first + len(batch)))
        rows = arrow.FixedSizeListArray.from_arrays(arrow.array(batch.reshape(-1)), batch.shape[1])
        yield arrow.record_batch([numbers, rows], schema=schema)

"""Vectors in a table of PostgreSQL, with the extension pgvector."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.embedding import Vectors
from bakeoff.knowledge.nearest import Candidates, batches
from bakeoff.knowledge.postgres_server import PostgresServer, Transaction, schema_of

LARGEST_GRAPH = 2000
"""Numbers of a vector that pgvector makes a graph of."""
LARGEST_EFFORT = 1000
"""Vectors that pgvector looks at for a query."""
LARGEST_INLINE = 1900
"""Numbers of a vector that fits into a page of 8 KiB: a scan then need not look elsewhere for each."""
LARGEST = 16_000
"""Numbers of a vector that pgvector stores."""
HEADER = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
TRAILER = b"\xff\xff"
"""Begin and end of what COPY reads in its binary format."""
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """Of pgvector's HNSW."""

    links: int
    effort_building: int


@dataclass(frozen=True, slots=True)
class VectorTable:
    """The vectors of one knowledge base, in a schema of its own."""

    server: PostgresServer
    name: str
    """Of the knowledge base."""
    table: str
    """Must tell what is in it: a table that is there is taken for the same."""

    def create(self, vectors: Vectors, graph: GraphOptions | None) -> None:
        """Write the table unless it is there; all of it is seen at once, with its graph.

        Another builder of the same knowledge base waits meanwhile, and then finds it.

        Args:
            vectors: One a row, in order; sent piece by piece.
            graph: None makes none.

        Raises:
            InvalidInputError: the vectors are too long, or pgvector is not installed in the database.
        """
        dimension = vectors.shape[1]
        limit = LARGEST_GRAPH if graph else LARGEST
        if dimension > limit:
            what = "makes a graph of" if graph else "stores"
            raise InvalidInputError(f"pgvector {what} vectors of at most {limit} numbers, not {dimension}")
        with self.server.transaction(patience_s=None) as transaction:
            _require_pgvector(transaction)
            transaction.run(LOCK, name=schema_of(self.name))
            if self.is_there(transaction):
                return
            transaction.run(f'CREATE SCHEMA IF NOT EXISTS "{schema_of(self.name)}"')
            transaction.run(f"CREATE TABLE {self._full} (chunk bigint NOT NULL, vector vector({dimension}) NOT NULL)")
            if dimension <= LARGEST_INLINE:
                transaction.run(f"ALTER TABLE {self._full} ALTER COLUMN vector SET STORAGE PLAIN")
            transaction.run(f"COPY {self._full} FROM STDIN WITH (FORMAT binary)", stream=_copied(vectors))
            if graph:
                transaction.run(
                    f"CREATE INDEX ON {self._full} USING hnsw (vector vector_ip_ops) "
                    f"WITH (m = {graph.links}, ef_construction = {graph.effort_building})"
                )

    def is_there(self, transaction: Transaction) -> bool:
        """Return whether the table is there."""
        return transaction.run("SELECT to_regclass(:name)::text", name=self._full)[0][0] is not None

    def shape(self) -> tuple[int, int]:
        """Return rows and dimension.

        Raises:
            NotFoundError: there is no such table.
        """
        with self.server.transaction() as transaction:
            [[rows]] = transaction.run(f"SELECT count(*) FROM {self._full}")
            [[dimension]] = transaction.run(
                "SELECT atttypmod FROM pg_attribute WHERE attrelid = to_regclass(:name) AND attname = 'vector'",
                name=self._full,
            )
        return int(rows), int(dimension)

    def nearest(self, queries: Vectors, count: int, effort: int | None) -> list[Candidates]:
        """Return vectors near each query.

        Args:
            queries: Shape (queries, dimension).
            count: Of vectors for each query.
            effort: Vectors of the graph that are looked at; None looks at all vectors, as does a larger count than
                pgvector's graphs can give.
        """
        with self.server.transaction() as transaction:
            transaction.run("SET LOCAL jit = off")  # takes longer than what it speeds up
            if effort is None or count > LARGEST_EFFORT:
                transaction.run("SET LOCAL enable_indexscan = off")
            else:
                transaction.run("SET LOCAL enable_seqscan = off")
                transaction.run(f"SET LOCAL hnsw.ef_search = {min(max(effort, count), LARGEST_EFFORT)}")
            return [self._nearest(transaction, query, count) for query in queries]

    def _nearest(self, transaction: Transaction, query: Vectors, count: int) -> Candidates:
        # Around, not inside: there every vector would be prepared for sending before the best are chosen.
        best = f"SELECT chunk, vector FROM {self._full} ORDER BY vector <#> CAST(:query AS vector) LIMIT {count}"
        rows = transaction.run(
            f"SELECT chunk, vector_send(vector) FROM ({best}) AS best",
            query="[" + ",".join(map(repr, query.tolist())) + "]",
        )
        sent = np.frombuffer(b"".join(row[1] for row in rows), np.uint8).reshape(len(rows), 4 + 4 * len(query))
        # Two numbers of 16 bits, then those of the vector, the highest byte first.
        vectors = np.ascontiguousarray(sent[:, 4:]).view(">f4").astype(np.float32)
        return Candidates(np.array([row[0] for row in rows], np.int64), vectors)

    @property
    def _full(self) -> str:
        return f'"{schema_of(self.name)}"."{self.table}"'


def _require_pgvector(transaction: Transaction) -> None:
    present = "SELECT 1 FROM pg_extension WHERE extname = 'vector'"
    if not transaction.run(present):
        # Two that create it at once would stand in each other's way.
        transaction.run(LOCK, name="bakeoff extension")
        transaction.run("CREATE EXTENSION IF NOT EXISTS vector")


def _copied(vectors: Vectors) -> Iterator[bytes]:
    """Yield vectors as COPY reads them: of each row two fields, each with its length."""
    dimension = vectors.shape[1]
    row = np.dtype(
        [
            ("fields", ">i2"),
            ("chunk_bytes", ">i4"),
            ("chunk", ">i8"),
            ("vector_bytes", ">i4"),
            ("dimension", ">i2"),
            ("unused", ">i2"),
            ("vector", ">f4", (dimension,)),
        ]
    )
    yield HEADER
    for first, batch in batches(vectors):
        rows = np.zeros(len(batch), row)
        rows["fields"], rows["chunk_bytes"], rows["vector_bytes"] = 2, 8, 4 + 4 * dimension
        rows["chunk"] = np.arange(first, first + len(batch))
        rows["dimension"], rows["vector"] = dimension, batch
        yield rows.tobytes()
    yield TRAILER

"""Building and asking indexes over vectors that lie outside of a knowledge base's files, beside the exact one in them.

    .venv/bin/python benchmarks/external_indexes.py [--vectors 20000] [--dimension 256] [--queries 64] [--postgres URL]

Vectors lie round centres, as those of texts do. Lance writes to a folder and to a real S3 store; PostgreSQL is the one
that is named, or one of the package pgserver. `one ms` is a query asked alone, the median when warm, `all ms` one among
all that are asked at once; `first ms` is opening and the first query. `times` compares with the index in the files in
this run. `recall` is the share of the ten best that is found.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.component import ComponentSpec
from bakeoff.knowledge.arrays import read_arrays, write_arrays
from bakeoff.knowledge.embedding import normalise
from bakeoff.knowledge.indexing import Hits, Index
from bakeoff.knowledge.lance_store import LanceStore
from bakeoff.knowledge.outside import Site, placed
from bakeoff.knowledge.outside_settings import outside_of
from bakeoff.knowledge.postgres_server import PostgresServer
from bakeoff.knowledge.registries import indexes, load
from bakeoff.runtime.s3_server import S3Server
from bakeoff.runtime.settings import Settings

TOP_K = 10
KB = "kb-benchmark"


@dataclass(frozen=True)
class Drawn:
    """An embedder whose texts are numbers of rows: embedding takes no time."""

    rows: NDArray[np.float32]

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""
        return self.rows.shape[1]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the rows whose numbers are given."""
        return self.rows[[int(text) for text in texts]]


def clustered(count: int, dimension: int, seed: int) -> NDArray[np.float32]:
    """Return vectors round 500 centres; other seeds have the same centres."""
    centres = np.random.default_rng(1).standard_normal((500, dimension))
    random = np.random.default_rng(seed)
    drawn = centres[random.integers(0, 500, count)] + 0.7 * random.standard_normal((count, dimension))
    return normalise(drawn.astype(np.float32))


@contextlib.contextmanager
def postgres_at(url: str, folder: Path) -> Iterator[str]:
    """Give the address of a server: the one that is named, or one of our own."""
    if url:
        yield url
        return
    import pgserver

    server = pgserver.get_server(folder, cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def alone_ms(index: Index, queries: int) -> float:
    """Return the median time of a query that is asked alone."""
    times = []
    for number in range(queries):
        began = time.perf_counter()
        index.search([str(number)], TOP_K)
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def found_in(hits: Sequence[Hits], truth: Sequence[Hits]) -> float:
    """Return the mean share of the true hits that was found."""
    shares = [len(np.intersect1d(a.chunks, b.chunks)) / TOP_K for a, b in zip(hits, truth, strict=True)]
    return float(np.mean(shares))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=20_000)
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--queries", type=int, default=64)
    parser.add_argument("--postgres", default="", help="address of a server; otherwise one is started")
    given = parser.parse_args()
    load()
    chunks = clustered(given.vectors, given.dimension, 2)
    embedder = Drawn(clustered(given.queries, given.dimension, 3))
    asked = [str(number) for number in range(given.queries)]
    with (
        tempfile.TemporaryDirectory() as name,
        S3Server(Path(name) / "s3") as s3,
        postgres_at(given.postgres, Path(name) / "postgres") as url,
    ):
        settings = Settings(s3_endpoint=s3.endpoint, s3_access_key=s3.access_key, s3_secret_key=s3.secret_key)
        server = PostgresServer(url)
        folder = Site(KB, LanceStore(str(Path(name) / "lance")), server)
        bucket = outside_of(settings).site(KB)
        print(f"{given.vectors} x {given.dimension}, top {TOP_K}, {given.queries} queries")
        print(
            f"{'index':42}{'build s':>8}{'first ms':>10}{'one ms':>8}{'times':>7}{'all ms':>8}{'times':>7}{'recall':>8}"
        )
        truth: list[Hits] = []
        base = (1.0, 1.0)
        for label, spec, site in [
            ("dense, in the files", "dense", folder),
            ("lance in a folder", "lance", folder),
            ("lance on S3", "lance", bucket),
            ("lance ivf in a folder", "lance(approximate=ivf, above=1)", folder),
            ("lance ivf on S3", "lance(approximate=ivf, above=1)", bucket),
            ("pgvector", "pgvector", folder),
            ("pgvector hnsw", "pgvector(approximate=hnsw, above=1)", folder),
        ]:
            kind = placed(indexes.make(ComponentSpec.parse(spec)), site)
            began = time.perf_counter()
            file = Path(name) / f"{label}.index"
            write_arrays(file, kind.build([], chunks), {})
            build_s = time.perf_counter() - began
            began = time.perf_counter()
            index = kind.open(read_arrays(file)[0], embedder)
            index.search(asked[:1], TOP_K)
            first_ms = (time.perf_counter() - began) * 1000
            one_ms = alone_ms(index, given.queries)
            began = time.perf_counter()
            hits = index.search(asked, TOP_K)
            all_ms = (time.perf_counter() - began) * 1000 / given.queries
            if not truth:
                truth, base = hits, (one_ms, all_ms)
            print(
                f"{label:42}{build_s:8.2f}{first_ms:10.1f}{one_ms:8.2f}{one_ms / base[0]:7.1f}{all_ms:8.2f}"
                f"{all_ms / base[1]:7.1f}{found_in(hits, truth):8.3f}"
            )
        server.drop(KB)
        server.close()


if __name__ == "__main__":
    main()

"""What a knowledge base costs beside the bare libraries: passages built and queries answered a second.

    .venv/bin/python benchmarks/build_and_query.py [--runs 3] [--big]

Passages are those of `passages.py`, drawn words. The plain scripts read the same file, and do the same with the library
bm25s and its tokeniser, and with wordllama's vectors and numpy; each saves its index to disk. Ours keeps besides what
traces each passage to its bytes, and answers queries with passages.

First at 10,000 and 100,000 passages, each side in a process of its own, in turn; the best of the runs counts, in
seconds of the processor, which what else runs on the machine hardly changes. Then what one passage costs at 10,000,
100,000 and, with --big, 1,000,000 passages, with the largest memory that the builder and its children took together.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from passages import WORDS, drawn_passages, vocabulary

SIDE = 100_000
QUERIES = 1000
TOP_K = 100
SAMPLE_S = 0.05


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--runs", type=int, default=3)
    arguments.add_argument("--big", action="store_true", help="a million passages too")
    arguments.add_argument("--role", choices=sorted(ROLES), help=argparse.SUPPRESS)
    arguments.add_argument("--corpus", type=Path, help=argparse.SUPPRESS)
    arguments.add_argument("--processes", type=int, default=1, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.role:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(ROLES[given.role](given.corpus, Path(folder), given.processes)))
        return
    with tempfile.TemporaryDirectory() as folder:
        for size in (10_000, SIDE):
            _compare(_corpus(Path(folder), size), size, given.runs)
        _grow(Path(folder), [10_000, SIDE, *([1_000_000] if given.big else [])], given.runs)


def _compare(corpus: Path, size: int, runs: int) -> None:
    print(f"{size:,} passages of {WORDS} words, {QUERIES:,} queries, one process each; a second of the processor:")
    for kind in ("bm25", "dense"):
        best: dict[str, dict[str, float]] = {}
        for _ in range(runs):
            for side in ("plain", "ours"):
                found = _run(f"{side}_{kind}", corpus)
                known = best.setdefault(side, found)
                best[side] = {name: min(known[name], found[name]) for name in found}
        for what, count in (("build_s", size), ("query_s", QUERIES)):
            plain, ours = (count / best[side][what] for side in ("plain", "ours"))
            print(f"  {kind} {what[:5]}: plain {plain:9,.0f}/s  ours {ours:9,.0f}/s  ratio {ours / plain:.2f}")


def _grow(folder: Path, sizes: list[int], runs: int) -> None:
    print("cost of a passage with bm25 as they become more, in time of the processor")
    first = 0.0
    for size, processes in [*((size, 1) for size in sizes), (sizes[-1], 2)]:
        corpus = _corpus(folder, size)
        found = [_run("ours_bm25", corpus, processes) for _ in range(runs if size <= SIDE else 1)]
        each = min(run["build_s"] for run in found) / size * 1e6
        query = min(run["query_s"] for run in found) / QUERIES * 1e3
        peak = max(run["peak_bytes"] for run in found) / (1 << 30)
        first = first or each
        print(
            f"  {size:9,} in {processes} process(es): build {each:6.1f} µs a passage ({each / first - 1:+.0%}), query "
            f"{query:6.2f} ms, peak memory {peak:.2f} GiB, {min(run['wall_s'] for run in found):.0f} s on the clock"
        )


def _run(role: str, corpus: Path, processes: int = 1) -> dict[str, float]:
    """Run a role in a process of its own and watch what it and its children hold."""
    order = [sys.executable, __file__, "--role", role, "--corpus", str(corpus), "--processes", str(processes)]
    # One thread each: the libraries would else compute in as many as there are processors.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    began = time.perf_counter()
    with subprocess.Popen(order, env=environment, stdout=subprocess.PIPE, text=True) as running:
        peak = 0
        while running.poll() is None:
            peak = max(peak, _resident(running.pid))
            time.sleep(SAMPLE_S)
        assert running.stdout is not None
        found: dict[str, float] = json.loads(running.stdout.read())
    return {**found, "peak_bytes": peak, "wall_s": time.perf_counter() - began}


def _resident(process: int) -> int:
    """Return the resident bytes of a process and its descendants; shared pages count for each."""
    total = 0
    with contextlib.suppress(OSError, ValueError):
        total = int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096
        for thread in Path(f"/proc/{process}/task").iterdir():
            total += sum(_resident(int(child)) for child in (thread / "children").read_text().split())
    return total


def _corpus(folder: Path, size: int) -> Path:
    """Write passages, one a line, and queries beside them, unless they are there."""
    path = folder / f"{size}.txt"
    if path.exists():
        return path
    with path.open("w") as file:
        file.writelines(f"{passage}\n" for passage in drawn_passages(size))
    # The most frequent words are left out: queries hardly consist of them.
    drawn = np.random.default_rng(size + 1).integers(50, 50_000, (QUERIES, 6))
    _queries_of(path).write_text("\n".join(" ".join(row) for row in vocabulary()[drawn].tolist()))
    return path


def _queries_of(corpus: Path) -> Path:
    return corpus.with_suffix(".queries")


def _lines(corpus: Path) -> Iterator[str]:
    with corpus.open() as file:
        for line in file:
            yield line.rstrip("\n")


def _spent_s() -> float:
    """Return the seconds of all processors that this process and its ended children took."""
    return sum(os.times()[:4])


def ours_bm25(corpus: Path, folder: Path, processes: int) -> dict[str, float]:
    """Build and ask with the pure core."""
    from bakeoff.domain.recipe import BuildPart

    return _ours(corpus, folder, BuildPart(), "full_text_search", processes)


def ours_dense(corpus: Path, folder: Path, processes: int) -> dict[str, float]:
    """Build and ask with the pure core."""
    from bakeoff.domain.component import ComponentSpec
    from bakeoff.domain.recipe import BuildPart

    part = BuildPart(embedder=ComponentSpec("wordllama"), indexes=(ComponentSpec("dense"),))
    return _ours(corpus, folder, part, "vector_search", processes)


def _ours(corpus: Path, folder: Path, part: object, engine: str, processes: int) -> dict[str, float]:
    from bakeoff.domain.component import ComponentSpec
    from bakeoff.domain.recipe import BuildPart, QueryMode
    from bakeoff.knowledge.build import build_knowledge_base
    from bakeoff.knowledge.parsing import SourceDocument
    from bakeoff.knowledge.search import open_knowledge_base

    assert isinstance(part, BuildPart)
    queries = _queries_of(corpus).read_text().split("\n")
    mode = QueryMode("mode", ComponentSpec(engine), TOP_K)
    build_knowledge_base([SourceDocument("p", b"warm")], part, folder / "warm")  # loads what the plain scripts import
    open_knowledge_base(folder / "warm").hits(["warm"], mode)
    began = _spent_s()
    documents = (SourceDocument(f"p{number}", line.encode()) for number, line in enumerate(_lines(corpus)))
    build_knowledge_base(documents, part, folder / "kb", processes=processes)
    built = _spent_s()
    opened = open_knowledge_base(folder / "kb")
    found = [answers for first in range(0, QUERIES, 100) for answers in opened.hits(queries[first : first + 100], mode)]
    assert len(found) == QUERIES
    return {"build_s": built - began, "query_s": _spent_s() - built}


def plain_bm25(corpus: Path, folder: Path, processes: int) -> dict[str, float]:
    """Build and ask with bm25s and its tokeniser."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    queries = _queries_of(corpus).read_text().split("\n")
    began = _spent_s()
    tokens = bm25s.tokenize(list(_lines(corpus)), stopwords="en", stemmer=stemmer, show_progress=False)
    retriever = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    retriever.index(tokens, show_progress=False)
    retriever.save(folder / "index", show_progress=False)
    built = _spent_s()
    retriever = bm25s.BM25.load(folder / "index", mmap=True)
    asked = bm25s.tokenize(queries, stopwords="en", stemmer=stemmer, show_progress=False)
    found, _ = retriever.retrieve(asked, k=TOP_K, show_progress=False)
    assert found.shape == (QUERIES, TOP_K)
    return {"build_s": built - began, "query_s": _spent_s() - built}


def plain_dense(corpus: Path, folder: Path, processes: int) -> dict[str, float]:
    """Build and ask with wordllama and numpy."""
    import wordllama

    queries = _queries_of(corpus).read_text().split("\n")
    began = _spent_s()
    # The files of the package itself: nothing is downloaded.
    model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    np.save(folder / "vectors.npy", model.embed(list(_lines(corpus)), norm=True))
    built = _spent_s()
    vectors = np.load(folder / "vectors.npy", mmap_mode="r")
    asked = model.embed(queries, norm=True)
    for first in range(0, QUERIES, 100):
        scores = asked[first : first + 100] @ vectors.T
        places = np.argpartition(scores, -TOP_K, axis=1)[:, -TOP_K:]
        order = np.argsort(-np.take_along_axis(scores, places, 1), axis=1)
        assert np.take_along_axis(places, order, 1).shape == (100, TOP_K)
    return {"build_s": built - began, "query_s": _spent_s() - built}


ROLES = {role.__name__: role for role in (ours_bm25, ours_dense, plain_bm25, plain_dense)}

if __name__ == "__main__":
    main()

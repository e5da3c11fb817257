"""What a passage costs the whole platform as passages become more, and the memory that each of its processes takes.

    .venv/bin/python benchmarks/platform_growth.py [--sizes 10000 100000 1000000] [--runs 2] [--processes]

A corpus in BEIR's layout of drawn passages, with fifty queries that each take eight words out of one passage, is
prepared, ingested, built with BM25, asked, scored and reported: embedded by `bakeoff run`, or with --processes by
`bakeoff submit` to a platform of one process a service. Costs are seconds of all processors beyond those of the same
evaluation of 500 passages, so that starting and reporting do not count; the best of the runs. Memory is what is
resident, sampled, files that are mapped among it; a process has its descendants with it, but the servers, which stand
apart.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "deploy"), str(ROOT / "benchmarks")]

from passages import drawn_passages  # noqa: E402
from processes import Processes  # noqa: E402

QUERIES = 50
QUERY_WORDS = 8
LEAST = 500
SAMPLE_S = 0.1
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
GIB = 1 << 30
SERVERS = ("nats-server", "weed")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--runs", type=int, default=2, help="of each size below a million")
    parser.add_argument("--processes", action="store_true", help="one process a service instead of embedded")
    parser.add_argument("--folder", type=Path, help="where corpora are kept; else they are removed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        measure = _through_processes if options.processes else _embedded
        base = min(measure(_corpus(folder, LEAST), folder).cpu_s for _ in range(options.runs))
        print(f"{LEAST:9,} passages: {base:6.1f} s of the processors; taken off the others")
        first = 0.0
        for size in options.sizes:
            corpus = _corpus(folder, size)
            found = [measure(corpus, folder) for _ in range(options.runs if size < 1_000_000 else 1)]
            each = (min(run.cpu_s for run in found) - base) / (size - LEAST) * 1e6
            first = first or each
            print(
                f"{size:9,} passages: {each:6.1f} µs a passage (ratio {each / first:.2f}), {found[0].wall_s:.0f} s on "
                f"the clock, nDCG@10 {found[0].found:.3f}"
            )
            for name, peak in sorted(found[0].peaks.items()):
                cpu = found[0].each_s.get(name, 0.0)
                print(f"            {name:14} {peak / GIB:5.2f} GiB resident at most, {cpu:7.1f} s of the processors")


@dataclass
class Run:
    """What one evaluation took."""

    cpu_s: float
    wall_s: float
    found: float
    """nDCG@10: 1 when each query's passage came first."""
    peaks: dict[str, int]
    """Resident bytes at most, by process."""
    each_s: dict[str, float]
    """Seconds of the processors, by process."""


def _embedded(corpus: Path, folder: Path) -> Run:
    with tempfile.TemporaryDirectory(dir=folder) as place:
        argv = [*_bakeoff("run"), str(_evaluation(corpus, Path(place))), "--json", "--dir", f"{place}/platform"]
        began = time.perf_counter()
        argv += ["--out", f"{place}/report"]
        with (
            subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running,
            _watched({"platform": running.pid}) as watched,
        ):
            running.wait()
        if running.returncode:
            raise SystemExit(f"{' '.join(argv)} ended with {running.returncode}")
        wall_s = time.perf_counter() - began
        return Run(sum(watched.spent_s.values()), wall_s, _found(Path(place)), watched.peaks, watched.spent_s)


def _through_processes(corpus: Path, folder: Path) -> Run:
    with tempfile.TemporaryDirectory(dir=folder) as place, Processes(Path(place) / "platform") as platform:
        pids = {each.service: each.child.pid for each in platform.all if each.child is not None}
        pids |= {"nats-server": platform.nats.pid or 0, "weed": platform.s3.pid or 0}
        time.sleep(5.0)  # all have started, and idle
        before = {name: _spent_s(pid) for name, pid in pids.items()}
        began = time.perf_counter()
        with _watched(pids) as watched:
            submit = [*_bakeoff("submit"), str(_evaluation(corpus, Path(place))), "--wait", "--json"]
            subprocess.run(
                [*submit, "--server", platform.address, "--out", f"{place}/report"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        wall_s = time.perf_counter() - began
        each = {name: _spent_s(pid) - before[name] for name, pid in pids.items()}
        return Run(sum(each.values()), wall_s, _found(Path(place)), watched.peaks, each)


def _bakeoff(command: str) -> list[str]:
    return [sys.executable, "-m", "bakeoff", command]


def _evaluation(corpus: Path, folder: Path) -> Path:
    file = folder / "evaluation.yaml"
    file.write_text(
        f"name: growth\nbenchmarks:\n  - beir: {{path: {corpus.absolute()}}}\n"
        "recipes:\n  - {name: words, build: {indexes: [bm25]}, query: [full_text_search]}\n"
    )
    return file


def _found(place: Path) -> float:
    report = json.loads((place / "report" / "report.json").read_bytes())
    metrics = {each["metric"]: each["mean"] for each in report["entrants"][0]["metrics"]}
    return float(metrics["ndcg@10"])


def _corpus(folder: Path, size: int) -> Path:
    """Write a benchmark in BEIR's layout, unless it is there."""
    corpus = folder / f"passages-{size}"
    if (corpus / "qrels" / "test.tsv").exists():
        return corpus
    (corpus / "qrels").mkdir(parents=True)
    rng = np.random.default_rng(7)
    asked = {int(number): number for number in rng.choice(size, QUERIES, replace=False)}
    queries = []
    with (corpus / "corpus.jsonl").open("w") as file:
        for number, text in enumerate(drawn_passages(size)):
            file.write(json.dumps({"_id": f"p{number}", "title": "", "text": text}) + "\n")
            if number in asked:
                words = rng.choice(text.rstrip(".").split(), QUERY_WORDS, replace=False)
                queries.append((f"q{number}", f"p{number}", " ".join(words)))
    lines = (json.dumps({"_id": name, "text": words}) for name, _, words in queries)
    (corpus / "queries.jsonl").write_text("\n".join(lines) + "\n")
    rows = (f"{name}\t{passage}\t1" for name, passage, _ in queries)
    (corpus / "qrels" / "test.tsv").write_text("\n".join(("query-id\tcorpus-id\tscore", *rows)) + "\n")
    return corpus


@dataclass
class _Watched:
    """What was seen of processes."""

    peaks: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    spent_s: dict[str, float] = field(default_factory=dict)


@contextlib.contextmanager
def _watched(roots: dict[str, int]) -> Iterator[_Watched]:
    """Look at processes and their descendants again and again until the block ends."""
    watched = _Watched()
    done = threading.Event()

    def look() -> None:
        while not done.wait(SAMPLE_S):
            for name, root in roots.items():
                seen: dict[str, int] = defaultdict(int)
                spent: dict[str, float] = defaultdict(float)
                for pid in _descendants(root):
                    server = _server_of(pid)
                    seen[server or name] += _resident(pid)
                    spent[server or name] += _own_s(pid, ended=server is None)
                for each, size in seen.items():
                    watched.peaks[each] = max(watched.peaks[each], size)
                    watched.spent_s[each] = max(watched.spent_s.get(each, 0.0), spent[each])

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield watched
    finally:
        done.set()
        thread.join()


def _descendants(pid: int) -> Iterator[int]:
    yield pid
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from _descendants(int(child))


def _server_of(pid: int) -> str | None:
    with contextlib.suppress(OSError):
        name = Path(f"/proc/{pid}/comm").read_text().strip()
        return name if name in SERVERS else None
    return None


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    return 0


def _spent_s(root: int) -> float:
    """Return the seconds that a process, its ended children and its living descendants took so far."""
    return sum(_own_s(pid, ended=True) for pid in _descendants(root))


def _own_s(pid: int, *, ended: bool) -> float:
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11 : 15 if ended else 13])) / TICKS
    return 0.0


if __name__ == "__main__":
    main()

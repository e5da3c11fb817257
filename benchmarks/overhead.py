"""What the platform costs: SciFact with BM25 through all services, against a plain script of the same work.

    .venv/bin/python benchmarks/overhead.py [--runs 5] [--data ../shared/data/scifact]

The plain script loads the files, indexes, searches all judged queries at k = 100 and scores, with the same libraries in
one process. The platform does the same through every service, embedded, its servers already running ("warm children"),
and besides stores originals, knowledge base, answers, scores and the report with its files. The two alternate; each
platform run is new work (the benchmark has another name each time, so that nothing is reused). Wall times are medians.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import bm25s
import pytrec_eval
import Stemmer

from bakeoff.client import Client
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest, EvaluationState
from bakeoff.domain.recipe import BuildPart, QueryMode, Recipe
from bakeoff.embedded import Embedded
from bakeoff.reporting.load import load_report
from bakeoff.runtime import logs

MEASURES = {"ndcg_cut.10", "map", "recall.100", "P.10", "recip_rank", "success.10"}
ROOT = Path(__file__).resolve().parent.parent


def plain(data: Path) -> float:
    """Load, index, search and score; return the mean nDCG@10."""
    with (data / "corpus.jsonl").open() as file:
        documents = [json.loads(line) for line in file]
    with (data / "queries.jsonl").open() as file:
        queries = {row["_id"]: row["text"] for row in map(json.loads, file)}
    qrels: dict[str, dict[str, int]] = {}
    with (data / "qrels" / "test.tsv").open() as file:
        for row in csv.DictReader(file, delimiter="\t"):
            qrels.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    stemmer = Stemmer.Stemmer("english")
    texts = [f"{document['title']} {document['text']}" for document in documents]
    tokens = bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)
    retriever = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    retriever.index(tokens, show_progress=False)
    asked = list(qrels)
    query_tokens = bm25s.tokenize([queries[q] for q in asked], stopwords="en", stemmer=stemmer, show_progress=False)
    found, scores = retriever.retrieve(query_tokens, k=100, show_progress=False)
    run = {
        query: {documents[int(i)]["_id"]: float(s) for i, s in zip(ids, values, strict=True)}
        for query, ids, values in zip(asked, found, scores, strict=True)
    }
    results = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
    return statistics.fmean(each["ndcg_cut_10"] for each in results.values())


def through_the_platform(address: str, data: Path, name: str) -> float:
    """Submit, wait for the report, and return its mean nDCG@10."""
    request = EvaluationRequest(
        name,
        (BenchmarkChoice(ComponentSpec("beir", {"path": str(data)}), name=name),),
        (Recipe("bm25", BuildPart(), (QueryMode("", ComponentSpec("full_text_search"), 100),)),),
        EvaluationOptions(),
        idempotency_key=name,
    )
    with Client(address) as client:
        evaluation_id = client.submit(request)[0].evaluation_id
        *_, last = client.watch(evaluation_id)
        if last.state is not EvaluationState.COMPLETED:
            raise SystemExit(f"the evaluation ended {last.state.value}: {last.reason}")
        report = load_report(b"".join(client.report_file(evaluation_id, "json")))
    return next(each.mean for each in report.entrants[0].metrics if each.metric == "ndcg@10") or 0.0


@contextlib.contextmanager
def timed(into: list[float]) -> Iterator[None]:
    """Append the seconds that the block took."""
    started = time.perf_counter()
    yield
    into.append(time.perf_counter() - started)


def resident_mib(pid: int) -> float:
    """Return the resident memory of a process in MiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def start_to_first_task(data: Path) -> float:
    """Return the seconds from the start of `bakeoff run` to its first progress line."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        file = folder / "evaluation.yaml"
        file.write_text(
            f"name: first\nbenchmarks:\n  - beir: {{path: {data}}}\n"
            "recipes:\n  - name: bm25\n    build: {indexes: [bm25]}\n    query: [full_text_search]\n"
        )
        argv = [
            sys.executable,
            "-m",
            "bakeoff",
            "run",
            str(file),
            "--json",
            "--dir",
            f"{folder}/p",
            "--out",
            f"{folder}/r",
        ]
        started = time.perf_counter()
        with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if '"preparing"' in line or '"running"' in line:
                    seconds = time.perf_counter() - started
                    break
            else:
                seconds = float("nan")
            for _ in process.stdout:
                pass
        return seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "scifact")
    options = parser.parse_args()
    plain_s: list[float] = []
    platform_s: list[float] = []
    with (
        tempfile.TemporaryDirectory() as temporary,
        (Path(temporary) / "log").open("w") as log,
        Embedded(Path(temporary) / "platform") as platform,
    ):
        logs.configure(platform.settings, log)
        plain(options.data)
        through_the_platform(platform.address, options.data, "warm")
        for number in range(options.runs):
            with timed(plain_s):
                expected = plain(options.data)
            with timed(platform_s):
                got = through_the_platform(platform.address, options.data, f"run-{number}")
            ours, theirs = f"{platform_s[-1]:.2f} s ({got:.4f})", f"{plain_s[-1]:.2f} s ({expected:.4f})"
            print(f"run {number}: plain {theirs}, platform {ours}; nDCG@10 in brackets")
        processes = {"platform": os.getpid(), **platform.children()}
        print("memory: " + ", ".join(f"{name} {resident_mib(pid):.0f} MiB" for name, pid in processes.items()))
    print(f"medians: plain {statistics.median(plain_s):.2f} s, platform {statistics.median(platform_s):.2f} s")
    print(f"ratio {statistics.median(platform_s) / statistics.median(plain_s):.2f}")
    print(f"start of `bakeoff run` to first task: {start_to_first_task(options.data.resolve()):.2f} s")


if __name__ == "__main__":
    main()

"""Cases per second of a whole evaluation's inference stage, beside a bare HTTP client that makes the same calls.

    .venv/bin/python benchmarks/inference_throughput.py [--cases 5000] [--runs 3] [--workers 1]

A local endpoint answers after 200 ms and allows 256 requests at once; more are refused with 429. The bare client knows
that and keeps 256 in flight. The platform runs as processes with a real NATS server and a real S3 store: it prepares
rows, asks the model from one inference worker, stores every response before anything counts on it, and scores and
reports meanwhile. Its rate is that of the stage `infer`, from the start of its first item to the last fact on the bus.
The two alternate, each run with prompts of its own. Processor time is that of the whole evaluation, in seconds per
1,000 cases, by process; rates are medians.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import psutil
from local_endpoint import ANSWER_S, AT_ONCE, bare, cpu_s, endpoint

from bakeoff.client import Client
from bakeoff.contract import subjects
from bakeoff.contract.work_codec import done_fact_from_bytes
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import BakeoffError
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest, EvaluationState, Stage
from bakeoff.domain.recipe import AnswerPart, Recipe
from bakeoff.domain.work import DoneFact
from bakeoff.runtime.nats_bus import NatsBus

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from deploy.processes import Processes  # which is beside this folder, in no package

CONTEXT = "What is known of it is said here, at the length of a short paragraph. " * 14
"""About 1 kB, as of a question with a passage."""
UP_S = 60.0


@dataclass(frozen=True)
class Run:
    """One evaluation."""

    cases_per_s: float
    bare_per_s: float
    cpu_s: dict[str, float]
    """Processor time by process."""
    calls: int
    """That the model was asked."""


def question(run: int, number: int) -> str:
    """Return what a case asks; another thing in every run."""
    return f"{CONTEXT}Question {number} of run {run}: what is the answer?"


def write_rows(path: Path, run: int, cases: int) -> None:
    """Write the benchmark of a run."""
    with path.open("w") as file:
        for number in range(cases):
            row = {"id": f"c{number:06d}", "question": question(run, number), "target": "The answer is forty-two."}
            file.write(json.dumps(row) + "\n")


def a_request(path: Path, base_url: str, run: int, batch_cases: int) -> EvaluationRequest:
    """Return the evaluation of a run: one recipe without a knowledge base, scored by two metrics."""
    keys = {"question": "question", "target": "target"}
    rows = ComponentSpec("rows", {"path": str(path), "eval_type": "key2_qa", "keys": keys})
    evaluators = (ComponentSpec("exact_match"), ComponentSpec("token_f1"))
    model = ComponentSpec("openai", {"base_url": base_url, "model": "m"})
    return EvaluationRequest(
        f"throughput {run}",
        (BenchmarkChoice(rows, name="rows", evaluators=evaluators),),
        (Recipe("model", answer=AnswerPart(model, template="{question}")),),
        EvaluationOptions(batch_cases=batch_cases),
        idempotency_key=f"throughput {run}",
    )


def evaluated(platform: Processes, request: EvaluationRequest) -> str:
    """Run an evaluation to its end, and return its id."""
    with Client(platform.address) as client:
        evaluation_id = client.submit(request)[0].evaluation_id
        *_, last = client.watch(evaluation_id)
        assert last.state is EvaluationState.COMPLETED, last.reason
    return evaluation_id


async def facts(platform: Processes, evaluation_id: str) -> list[DoneFact]:
    """Return how the items of the stage `infer` ended."""
    bus = await NatsBus.connect(platform.nats.url, platform.nats.token)
    try:
        messages = await bus.messages(subjects.done_of(evaluation_id, Stage.INFER))
        return [done_fact_from_bytes(message.data) for message in messages]
    finally:
        await bus.close()


def processes_of(platform: Processes, server: psutil.Process) -> dict[str, psutil.Process]:
    """Return every process that has a part in it, by name."""
    pids = {replica.name: replica.child.pid for replica in platform.all if replica.child is not None}
    pids |= {"nats": platform.nats.pid or 0, "store": platform.s3.pid or 0, "endpoint": server.pid}
    return {name: psutil.Process(pid) for name, pid in pids.items()}


def measured(
    platform: Processes, server: psutil.Process, base_url: str, folder: Path, run: int, options: argparse.Namespace
) -> Run:
    """Make the calls of a run barely, then as an evaluation with prompts of its own."""
    cases = options.cases
    began_s = time.perf_counter()
    answered = asyncio.run(bare(base_url, (question(-run - 1, n) for n in range(cases))))
    bare_s = time.perf_counter() - began_s
    assert answered == cases
    path = folder / f"rows-{run}.jsonl"
    write_rows(path, run, cases)
    known = processes_of(platform, server)
    before = {name: cpu_s(process) for name, process in known.items()}
    evaluation_id = evaluated(platform, a_request(path, base_url, run, options.batch_cases))
    spent = {name: cpu_s(process) - before[name] for name, process in known.items()}
    done = asyncio.run(facts(platform, evaluation_id))
    counts = [fact.counts for fact in done]
    failed = sum(count["failed_cases"] for count in counts)
    assert (sum(count["cases"] for count in counts), failed) == (cases, 0), f"{failed} cases failed"
    starts = [datetime.fromisoformat(fact.started_at).timestamp() for fact in done]
    began, ended = min(starts), max(start + fact.duration_ms / 1000 for start, fact in zip(starts, done, strict=True))
    calls = sum(count["model_calls"] for count in counts)
    return Run(cases / (ended - began), cases / bare_s, spent, calls)


@contextmanager
def a_platform(folder: Path, workers: int) -> Iterator[Processes]:
    """Start the platform, and wait until it takes requests."""
    with Processes(folder, {"inference": workers}, {"BAKEOFF_ALLOW_PRIVATE_ADDRESSES": "true"}) as processes:
        deadline_s = time.monotonic() + UP_S
        while not answers(processes):
            assert time.monotonic() < deadline_s, "the platform does not come up"
            time.sleep(0.2)
        yield processes


def answers(platform: Processes) -> bool:
    """Say whether every service has announced its components."""
    try:
        with Client(platform.address) as client:
            kinds = {card.kind.value for card in client.components()}
            return {"adapter", "parser", "generator", "evaluator"} <= kinds
    except BakeoffError:
        return False


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1, help="inference processes")
    parser.add_argument("--batch-cases", type=int, default=100, help="cases in one item")
    options = parser.parse_args()
    runs: list[Run] = []
    with (
        endpoint() as (base_url, server),
        tempfile.TemporaryDirectory() as temporary,
        a_platform(Path(temporary) / "platform", options.workers) as platform,
    ):
        for run in range(options.runs):
            runs.append(measured(platform, server, base_url, Path(temporary), run, options))
            show(runs[-1:], options.cases, f"run {run + 1}: ")
    show(runs, options.cases, "median: ")
    show_processor(runs, options.cases)


def show(runs: list[Run], cases: int, title: str) -> None:
    """Print the rates of runs."""
    rate, plain = middle(runs, lambda run: run.cases_per_s), middle(runs, lambda run: run.bare_per_s)
    ratio = middle(runs, lambda run: run.cases_per_s / run.bare_per_s)
    calls = middle(runs, lambda run: run.calls)
    print(
        f"{title}{cases} cases, answered after {ANSWER_S * 1000:.0f} ms, {AT_ONCE} at once: inference {rate:.0f}/s, "
        f"bare client {plain:.0f}/s, ratio {ratio:.2f}; {calls:.0f} requests",
        flush=True,
    )


def show_processor(runs: list[Run], cases: int) -> None:
    """Print the processor time of each process."""
    print("CPU seconds per 1,000 cases")
    for name in sorted(runs[0].cpu_s, key=lambda name: -runs[0].cpu_s[name]):
        print(f"  {name:16}{middle(runs, lambda run: run.cpu_s[name]) / cases * 1000:7.2f}")  # noqa: B023
    print(f"  {'all':16}{middle(runs, lambda run: sum(run.cpu_s.values())) / cases * 1000:7.2f}")


def middle(runs: list[Run], value: Callable[[Run], float]) -> float:
    """Return the median of something over runs."""
    return statistics.median(value(run) for run in runs)


if __name__ == "__main__":
    main()

"""What tracing costs: the same evaluation with and without it, in turns, as ratios of its times within one run.

    .venv/bin/python benchmarks/tracing.py --cases 2000 --rounds 5

Both are run by one platform in one process. The collector is in it as well, so that its work counts as tracing's. On a
machine that others use, the ratio of processor times says more than that of wall times.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests' collector and made-up benchmark

from bakeoff.client import Client
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationState
from bakeoff.embedded import Embedded
from bakeoff.runtime import logs
from bakeoff.runtime.settings import Settings
from bakeoff.runtime.telemetry import metrics, spans
from bakeoff.runtime.telemetry.opentelemetry_spans import OpenTelemetryTracer, to_collector
from tests.e2e.synthetic import a_bake_off, write_benchmark
from tests.e2e.trace_collector import TraceCollector


class Took(NamedTuple):
    """Seconds that an evaluation took."""

    wall: float
    processor: float
    """Of the process with all services, without the two servers."""


def main() -> int:
    """Measure, and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000, help="cases of each evaluation")
    parser.add_argument("--batch", type=int, default=20, help="cases of an item: few make many spans")
    parser.add_argument("--rounds", type=int, default=5, help="evaluations with, and as many without")
    options = parser.parse_args()
    logs.configure(Settings(log_level="error"))
    off: list[Took] = []
    on: list[Took] = []
    with tempfile.TemporaryDirectory() as folder, TraceCollector() as collector:
        benchmark = write_benchmark(Path(folder) / "data", documents=200, cases=options.cases)
        with Embedded(Path(folder) / "platform", Settings(sweep_s=0.5)) as platform, Client(platform.address) as client:

            def evaluate(key: str) -> Took:
                request = a_bake_off(benchmark, ComponentSpec("extractive"), key=key)
                request = replace(request, options=EvaluationOptions(batch_cases=options.batch))
                began, began_cpu = time.perf_counter(), time.process_time()
                evaluation_id = client.submit(request)[0].evaluation_id
                *_, last = client.watch(evaluation_id)
                if last.state is not EvaluationState.COMPLETED:
                    raise SystemExit(f"an evaluation did not complete: {last.reason}")
                return Took(time.perf_counter() - began, time.process_time() - began_cpu)

            evaluate("warm")
            tracer = OpenTelemetryTracer("bakeoff", to_collector(collector.endpoint))
            for number in range(options.rounds):
                # In turns, the first of them in turns as well: a machine grows slower or faster meanwhile.
                for traced in (number % 2 == 0, number % 2 == 1):
                    if traced:
                        spans.turn_on(tracer)
                        metrics.turn_on()
                    try:
                        (on if traced else off).append(evaluate(f"{number}-{traced}"))
                    finally:
                        spans.turn_off()
                        metrics.turn_off()
            tracer.close()
        kept = len(collector.spans)
    print(f"{options.rounds} evaluations with traces and metrics, as many without; {kept} spans arrived")
    for place, name in enumerate(Took._fields):
        without, with_it = [each[place] for each in off], [each[place] for each in on]
        ratio = statistics.median(with_it) / statistics.median(without)
        print(
            f"{name}: without {statistics.median(without):.2f} s ({min(without):.2f}–{max(without):.2f}), "
            f"with {statistics.median(with_it):.2f} s ({min(with_it):.2f}–{max(with_it):.2f}); "
            f"ratio of medians {ratio:.3f}, of the least {min(with_it) / min(without):.3f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What a sweep costs beside its recipes run apart: two parsers by three chunkers by two embedders over PDF files.

    .venv/bin/python benchmarks/sweep.py [--data ../shared/data/uda-benchmark]

Each run has a platform of its own that knows nothing yet, started before the clock. First the twelve recipes are one
evaluation, then each is one alone. Wall times run from the request to the report.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bakeoff.client import Client
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest, EvaluationState
from bakeoff.domain.recipe import BuildPart, QueryMode, Recipe
from bakeoff.domain.report import EvaluationReport
from bakeoff.embedded import Embedded
from bakeoff.reporting.load import load_report
from bakeoff.runtime import logs
from bakeoff.runtime.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
PARSERS = ("auto", 'pdf(cut_off="read")')
CHUNKERS = ("page", "sentences", "tokens")
EMBEDDERS = ("hashing", "wordllama")
QUESTIONS = 20


def recipes() -> list[Recipe]:
    """Return the twelve."""
    mode = QueryMode("", ComponentSpec("hybrid_search"), 20)
    return [
        Recipe(
            f"{parser} {chunker} {embedder}",
            BuildPart(
                ComponentSpec.parse(parser),
                ComponentSpec(chunker),
                ComponentSpec(embedder),
                (ComponentSpec("bm25"), ComponentSpec("dense")),
            ),
            (mode,),
        )
        for parser, chunker, embedder in itertools.product(PARSERS, CHUNKERS, EMBEDDERS)
    ]


def timed(folder: Path, benchmark: BenchmarkChoice, chosen: Sequence[Recipe]) -> tuple[float, EvaluationReport]:
    """Evaluate recipes on a new platform; return the seconds from the request to the report, and the report."""
    with Embedded(folder) as platform:
        request = EvaluationRequest("sweep", (benchmark,), tuple(chosen), EvaluationOptions(), idempotency_key="sweep")
        began = time.perf_counter()
        with Client(platform.address) as client:
            evaluation_id = client.submit(request)[0].evaluation_id
            *_, last = client.watch(evaluation_id)
            if last.state is not EvaluationState.COMPLETED:
                raise SystemExit(f"the evaluation ended {last.state.value}: {last.reason}")
            seconds = time.perf_counter() - began
            return seconds, load_report(b"".join(client.report_file(evaluation_id, "json")))


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "uda-benchmark")
    files = sorted(arguments.parse_args().data.rglob("src_doc_files_example/**/*.pdf"))
    with tempfile.TemporaryDirectory() as name, (Path(name) / "log").open("w") as log:
        logs.configure(Settings(), log)
        folder = Path(name)
        benchmark = _benchmark(folder / "benchmark", files)
        together_s, report = timed(folder / "together", benchmark, recipes())
        print(f"{len(files)} PDF files, {QUESTIONS} questions")
        for step in report.run.building:
            print(f"  {step.step}: {step.computed} done, {step.reused} there already")
        apart_s = []
        for number, recipe in enumerate(recipes()):
            apart_s.append(timed(folder / str(number), benchmark, [recipe])[0])
            shutil.rmtree(folder / str(number))
    print(f"twelve together {together_s:.1f} s, apart {sum(apart_s):.1f} s: ratio {together_s / sum(apart_s):.2f}")


def _benchmark(folder: Path, files: Sequence[Path]) -> BenchmarkChoice:
    documents = folder / "documents"
    documents.mkdir(parents=True)
    for file in files:
        shutil.copy(file, documents / file.name)
    cases = [
        {
            "id": f"q{number}",
            "question": f"What does part {number} say about revenue, method and results?",
            "evidence": [{"document": files[number % len(files)].name}],
        }
        for number in range(QUESTIONS)
    ]
    questions = folder / "questions.yaml"
    questions.write_text(json.dumps({"cases": cases}))  # JSON is YAML
    return BenchmarkChoice(ComponentSpec("folder", {"path": str(documents), "questions": str(questions)}), name="sweep")


if __name__ == "__main__":
    main()

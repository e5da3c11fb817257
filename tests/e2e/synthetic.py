"""A benchmark made of nothing, as large as a test wants it."""

from __future__ import annotations

import json
import random
from pathlib import Path

from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest
from bakeoff.domain.recipe import AnswerPart, BuildPart, QueryMode, Recipe

WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heron",
    "inlet",
    "jetty",
    "knoll",
    "larch",
    "maple",
    "north",
    "otter",
    "plume",
    "quill",
    "ridge",
    "shoal",
    "tidal",
    "umber",
    "vetch",
    "wharf",
    "xenon",
    "yield",
    "zephyr",
]


def write_benchmark(folder: Path, *, documents: int, cases: int) -> BenchmarkChoice:
    """Write documents.jsonl and cases.jsonl; each case asks for the two words that name its document."""
    rng = random.Random(7)
    folder.mkdir(parents=True, exist_ok=True)
    pairs = rng.sample([(a, b) for a in WORDS for b in WORDS if a < b], documents)
    with (folder / "documents.jsonl").open("w") as file:
        for number, pair in enumerate(pairs):
            text = " ".join([*pair, *rng.choices(WORDS, k=20)])
            file.write(json.dumps({"id": f"d{number}", "text": text}) + "\n")
    with (folder / "cases.jsonl").open("w") as file:
        for number in range(cases):
            document = number % documents
            row = {
                "id": f"c{number:04d}",
                "question": " ".join(pairs[document]),
                "answers": [" ".join(pairs[document])],
                "evidence": [{"document": f"d{document}"}],
            }
            file.write(json.dumps(row) + "\n")
    settings = {"documents": str(folder / "documents.jsonl"), "cases": str(folder / "cases.jsonl")}
    return BenchmarkChoice(ComponentSpec("jsonl", settings), name="synthetic")


def a_bake_off(
    benchmark: BenchmarkChoice, generator: ComponentSpec, *, key: str = "", batch_cases: int = 100
) -> EvaluationRequest:
    """Return a request: word search alone against word and hashed vector search, both with a generator."""
    answer = AnswerPart(generator)
    words = Recipe("words", BuildPart(), (QueryMode("", ComponentSpec("full_text_search"), 10),), answer)
    both = BuildPart(embedder=ComponentSpec("hashing"), indexes=(ComponentSpec("bm25"), ComponentSpec("dense")))
    hybrid = Recipe("hybrid", both, (QueryMode("", ComponentSpec("hybrid_search"), 10),), answer)
    return EvaluationRequest(
        "a synthetic bake-off",
        (benchmark,),
        (words, hybrid),
        EvaluationOptions(batch_cases=batch_cases),
        idempotency_key=key,
    )

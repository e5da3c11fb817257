"""What a platform tells of itself: one trace an evaluation, and every metric of the list."""

from __future__ import annotations

import json
import re
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bakeoff.client import Client
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest, EvaluationState, Stage
from bakeoff.domain.recipe import AnswerPart, BuildPart, QueryMode, Recipe
from bakeoff.embedded import Embedded
from bakeoff.runtime.settings import Settings
from bakeoff.runtime.telemetry.names import METRICS, Kind
from tests.e2e.trace_collector import Kept, TraceCollector
from tests.integration.scripted_endpoint import ScriptedEndpoint, refuses, says

CASES = 6
RARE = {"bakeoff_item_retries_total", "bakeoff_item_outages_total", "bakeoff_redeliveries_total"}
"""Only there when something goes wrong in the midst of an item; the worker's own tests show them."""


@dataclass(frozen=True)
class Told:
    """What a platform told of one evaluation, submitted twice, with an entrant that cannot be asked."""

    spans: list[Kept]
    page: str
    evaluation_id: str


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    folder = tmp_path_factory.mktemp("told")
    with TraceCollector() as collector, ScriptedEndpoint(says("a word")) as endpoint:
        endpoint.then(refuses(400))  # the first question is left unanswered, and asked again by the second evaluation
        settings = Settings(
            metrics_listen="127.0.0.1:0",
            traces_endpoint=collector.endpoint,
            attempts=1,
            plugins="tests.e2e.faults",
            allow_private_addresses=True,
        )
        with Embedded(folder / "platform", settings) as platform, Client(platform.address) as client:
            first = client.submit(a_request(folder, endpoint.base_url, "first"))[0].evaluation_id
            *_, last = client.watch(first)
            assert last.state is EvaluationState.COMPLETED, last.reason
            # The same questions again: the answers are stored.
            second = client.submit(a_request(folder, endpoint.base_url, "second"))[0].evaluation_id
            *_, last = client.watch(second)
            assert last.state is EvaluationState.COMPLETED, last.reason
            with urllib.request.urlopen(f"http://{platform.metrics_address}/metrics") as answer:
                page = answer.read().decode()
        yield Told(collector.spans, page, first)


def a_request(folder: Path, base_url: str, key: str) -> EvaluationRequest:
    documents, cases = folder / "documents.jsonl", folder / "cases.jsonl"
    documents.write_text("".join(json.dumps({"id": f"d{n}", "text": f"a word {n}"}) + "\n" for n in range(3)))
    cases.write_text(
        "".join(
            json.dumps(
                {"id": f"c{n}", "question": f"word {n}?", "answers": ["a word"], "evidence": [{"document": "d1"}]}
            )
            + "\n"
            for n in range(CASES)
        )
    )
    adapter = ComponentSpec("jsonl", {"documents": str(documents), "cases": str(cases)})
    model = ComponentSpec(
        "openai", {"base_url": base_url, "model": "scripted", "price_in": 1.0, "price_out": 2.0, "price_cached": 0.5}
    )
    broken = ComponentSpec("faulty", {"breaks_without": str(folder / "never")})
    words = (QueryMode("", ComponentSpec("full_text_search"), 2),)
    recipes = (
        Recipe("asks", BuildPart(), words, AnswerPart(model)),
        Recipe("broken", BuildPart(), words, AnswerPart(broken)),
    )
    options = EvaluationOptions(batch_cases=CASES // 2)
    return EvaluationRequest("told", (BenchmarkChoice(adapter, name="told"),), recipes, options, idempotency_key=key)


def test_an_evaluation_is_one_trace_from_who_submits_it_to_its_report(told: Told) -> None:
    (evaluation,) = (
        span
        for span in told.spans
        if span.name == "evaluation" and span.facts["bakeoff.evaluation_id"] == told.evaluation_id
    )
    trace = [span for span in told.spans if span.trace_id == evaluation.trace_id]
    by_id = {span.span_id: span for span in trace}
    assert len(by_id) == len(trace)

    def parent(span: Kept) -> str:
        return by_id[span.parent_id].name if span.parent_id else ""

    stages = {stage.value for stage in Stage}
    parents = {(span.name, parent(span)) for span in trace}
    assert parents >= {("submit", ""), ("SubmitEvaluation", "submit"), ("evaluation", "SubmitEvaluation")}
    assert {pair for pair in parents if pair[0] in stages} == {(stage, "evaluation") for stage in stages}
    assert ("ask model", "infer") in parents
    assert ("RetrieveRankings", "infer") in parents or ("Retrieve", "infer") in parents
    assert ("store result", "report") in parents

    items = Counter(span.name for span in trace if span.name in stages)
    assert items == {"prepare": 1, "ingest": 1, "build": 1, "infer": 4, "score": 4, "report": 1}
    assert sum(span.name == "ask model" for span in trace) == CASES
    failed = [span for span in trace if span.failed]
    assert {(span.name, span.facts.get("bakeoff.outcome")) for span in failed} == {
        ("infer", "failed"),
        ("ask model", None),
    }


def test_every_metric_of_the_list_is_told_and_nothing_else(told: Told) -> None:
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", told.page, re.MULTILINE))
    expected = {metric.name: metric.kind.value for metric in METRICS if metric.name not in RARE}
    assert types == expected | {name: kind for name, kind in types.items() if name in RARE}
    series = {line.split("{")[0].split(" ")[0] for line in told.page.splitlines() if not line.startswith("#")}
    ends = {metric.name: ("_bucket", "_sum", "_count") for metric in METRICS if metric.kind is Kind.HISTOGRAM}
    assert series <= {name + end for name in types for end in ends.get(name, ("",))}


def test_the_numbers_are_those_of_the_run(told: Told) -> None:
    lines = told.page.splitlines()
    for line in (
        'bakeoff_items_total{stage="infer",outcome="done"} 4',
        'bakeoff_items_total{stage="infer",outcome="failed"} 4',
        'bakeoff_dead_letters_total{stage="infer"} 4',
        'bakeoff_cases_total{stage="infer",outcome="failed"} 1',
        f'bakeoff_model_calls_total{{model="scripted"}} {CASES}',
        f'bakeoff_model_cache_hits_total{{model="scripted"}} {CASES - 1}',
        'bakeoff_model_failures_total{model="scripted"} 1',
        f'bakeoff_model_tokens_total{{model="scripted",kind="in"}} {7 * CASES}',
        'bakeoff_evaluations_total{state="completed"} 2',
        'bakeoff_item_seconds_count{stage="report"} 2',
        "bakeoff_ready 1",
    ):
        assert line in lines


def test_the_guide_lists_every_metric() -> None:
    guide = (Path(__file__).parents[2] / "docs/guide/metrics.md").read_text()
    rows = re.findall(r"^\| `(bakeoff_\w+)` \| (\w+) \| ([^|]*) \| ([^|]*) \|$", guide, re.MULTILINE)
    assert [(name, kind) for name, kind, _, _ in rows] == [(metric.name, metric.kind.value) for metric in METRICS]
    assert [labels.strip() for _, _, labels, _ in rows] == [
        ", ".join(f"`{label}`" for label in metric.labels) or "–" for metric in METRICS
    ]
    assert [words.strip() for _, _, _, words in rows] == [metric.help for metric in METRICS]

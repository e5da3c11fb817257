"""Recipes whose retrieval asks a model: rewritten questions, hops, and a model's order; and nothing is asked twice."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from bakeoff.client import Client
from bakeoff.contract import codec
from bakeoff.contract.stored_answers import decode_answers
from bakeoff.domain.answer import CaseAnswer, FailureKind
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest, EvaluationState
from bakeoff.domain.recipe import AnswerPart, QueryMode, Recipe
from bakeoff.domain.report import EvaluationReport
from bakeoff.embedded import Embedded
from bakeoff.reporting.load import load_report
from bakeoff.runtime.connect import connect_objects
from bakeoff.runtime.settings import Settings
from bakeoff.v1 import inference_service_pb2 as pb
from bakeoff.v1.inference_service_pb2_grpc import InferenceServiceStub
from tests.e2e.scripted_model import Endpoint, an_endpoint

DOCUMENTS = {
    "film": "Polish-Russian War: picture directed by Xawery Zulawski, shown in cinemas.",
    "director": "Xawery Zulawski: son of Andrzej Zulawski.",
    "war": "Long war between neighbours; another picture about that war, never shown in any Polish cinema at all.",
    "boat": "A vessel lies in the harbour.",
}
CASES = [
    ("two hops", "Which man begot whoever made Polish-Russian War?", "director"),
    ("other words", "Whereabouts of ship?", "boat"),
    ("mumbled", "mumbling neighbours' war", "war"),
]
FIRST = {"first": "full_text_search"}


def says(told: str) -> str:
    """Return what the model says: by what it is asked for, and a mumble where the question has one."""
    if "mumbling" in told:
        return "Well, let me think"
    if '{"queries"' in told:
        return json.dumps({"queries": ["vessel harbour" if "ship" in told else "film Polish-Russian War"]})
    if '{"enough"' in told:
        known = "directed by Xawery Zulawski" in told and "son of" not in told
        return json.dumps({"enough": not known, "query": "Xawery Zulawski son" if known else ""})
    # The longest passage first; one number is invented, and one passage is left out.
    passages = re.findall(r"^\[(\d+)\] (.*)$", told, re.MULTILINE)
    order = [int(number) for number, text in sorted(passages, key=lambda each: -len(each[1]))]
    return json.dumps({"ranking": [*order[:-1], 99]})


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with an_endpoint(says) as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with Embedded(tmp_path_factory.mktemp("platform"), Settings(allow_private_addresses=True)) as platform:
        yield platform


def a_benchmark(folder: Path) -> BenchmarkChoice:
    with (folder / "documents.jsonl").open("w") as file:
        file.writelines(json.dumps({"id": name, "text": text}) + "\n" for name, text in DOCUMENTS.items())
    with (folder / "cases.jsonl").open("w") as file:
        for case, question, document in CASES:
            row = {"id": case, "question": question, "evidence": [{"document": document}]}
            file.write(json.dumps(row) + "\n")
    settings = {name: str(folder / f"{name}.jsonl") for name in ("documents", "cases")}
    recall = ComponentSpec("recall", {"k": 2})
    return BenchmarkChoice(ComponentSpec("jsonl", settings), name="hops", evaluators=(recall,))


def modes(endpoint: Endpoint) -> tuple[QueryMode, ...]:
    model = {"base_url": endpoint.base_url, "model": "scripted", "price_in": 1.0, "price_out": 2.0}
    engines = {
        "words": ComponentSpec("full_text_search"),
        "rewritten": ComponentSpec("rewrite", {**FIRST, **model}),
        "or as it is": ComponentSpec("rewrite", {**FIRST, **model, "fallback": "original"}),
        "hops": ComponentSpec("multihop", {**FIRST, **model, "hops": 3}),
        "sentences": ComponentSpec("multihop_sentences", FIRST),
        "sorted": ComponentSpec("rerank", {**FIRST, "reranker": str(ComponentSpec("llm", model))}),
    }
    return tuple(QueryMode(name, engine, 10) for name, engine in engines.items())


def evaluate(
    platform: Embedded, key: str, benchmark: BenchmarkChoice, endpoint: Endpoint, *, batch: int = 100
) -> tuple[EvaluationReport, dict[str, dict[str, CaseAnswer]]]:
    """Return the report, and the stored answers by mode and case."""
    recipe = Recipe("r", query=modes(endpoint), answer=AnswerPart(ComponentSpec("extractive")))
    options = EvaluationOptions(batch_cases=batch)
    request = EvaluationRequest("hops", (benchmark,), (recipe,), options, idempotency_key=key)
    with Client(platform.address) as client:
        evaluation_id = client.submit(request)[0].evaluation_id
        *_, last = client.watch(evaluation_id)
        assert last.state is EvaluationState.COMPLETED, last.reason
        report = load_report(b"".join(client.report_file(evaluation_id, "json")))
    found: dict[str, dict[str, CaseAnswer]] = {}
    objects = connect_objects(platform.settings)
    for info in objects.list(f"evaluations/{evaluation_id}/answers/"):
        answered = decode_answers(objects.read_key(info.key))
        cases = found.setdefault(answered.entrant.removeprefix("r/"), {})
        cases |= {answer.case_id: answer for answer in answered.answers}
    return report, found


def ranked(answer: CaseAnswer) -> list[str]:
    return [passage.document_id for passage in answer.passages]


def said(answers: dict[str, dict[str, CaseAnswer]]) -> object:
    """Return all that must be the same however the work was cut: everything but times and attempts."""
    return {
        mode: {name: (list(each.passages), each.text, each.failure, each.metadata) for name, each in cases.items()}
        for mode, cases in answers.items()
    }


def test_each_mode_finds_what_the_plain_one_does_not_and_a_second_evaluation_asks_nothing(
    platform: Embedded, endpoint: Endpoint, tmp_path: Path
) -> None:
    benchmark = a_benchmark(tmp_path)
    report, answers = evaluate(platform, "first", benchmark, endpoint)
    asked = endpoint.calls.total()

    assert ranked(answers["words"]["two hops"])[:1] == ["film"]
    assert "director" not in ranked(answers["words"]["two hops"])
    hops = answers["hops"]["two hops"]
    assert set(ranked(hops)[:2]) == {"film", "director"}
    queries = [CASES[0][1], "Xawery Zulawski son"]
    assert hops.metadata["retrieval"] == {
        "engine": "multihop",
        "prompt": hops.metadata["retrieval"]["prompt"],  # type: ignore[index]  # a digest
        "queries": queries,
        "ended": "enough",
    }
    assert "director" in ranked(answers["sentences"]["two hops"])
    assert ranked(answers["words"]["other words"]) == []
    assert ranked(answers["rewritten"]["other words"]) == ["boat"]
    # By length: war before film; the one that was left out is behind it, and 99 is nobody.
    assert ranked(answers["sorted"]["two hops"]) == ["war", "film"]
    told = answers["sorted"]["two hops"].metadata["retrieval"]
    assert isinstance(told, dict)
    assert (told["invented"], told["missing"], told["from_ranks"]) == (1, 1, [2, 1])

    recall = {each.entrant: each.metrics[0] for each in report.entrants}
    assert recall["r/words"].mean == pytest.approx(1 / 3)
    assert (recall["r/hops"].scored, recall["r/hops"].failed) == (2, 1)
    took = report.run.usage
    assert (took["r/hops"]["retrieval_asked"], took["r/hops"]["retrieval_calls"]) == (3, 4)
    assert took["r/or as it is"]["retrieval_fallbacks"] == 1
    assert "r/words" not in took

    again, same = evaluate(platform, "second", benchmark, endpoint, batch=1)
    # Replies that cannot be read are kept, too: the model has said what it has to say.
    assert endpoint.calls.total() == asked
    assert said(same) == said(answers)
    assert again.digest == report.digest
    hops_again = again.run.usage["r/hops"]
    assert (hops_again["retrieval_stored"], hops_again["retrieval_calls"]) == (3, 0)
    assert hops_again["retrieval_cost"] == took["r/hops"]["retrieval_cost"]


def test_a_model_that_mumbles_fails_the_case_unless_the_recipe_says_what_else(
    platform: Embedded, endpoint: Endpoint, tmp_path: Path
) -> None:
    _, answers = evaluate(platform, "mumbled", a_benchmark(tmp_path), endpoint)
    for mode in ("rewritten", "hops", "sorted"):
        answer = answers[mode]["mumbled"]
        assert answer.failure is not None
        assert answer.failure.kind is FailureKind.PARSE
        assert "Well, let me think" in answer.failure.reason
        assert answer.retrieval_usage is not None
    kept = answers["or as it is"]["mumbled"]
    assert ranked(kept) == ranked(answers["words"]["mumbled"]) != []
    assert kept.metadata["retrieval"]["fallback"]["kind"] == "parse"  # type: ignore[index]


def test_what_retrieval_took_is_told_apart_from_what_the_answer_took(
    platform: Embedded, endpoint: Endpoint, tmp_path: Path
) -> None:
    _, answers = evaluate(platform, "usage", a_benchmark(tmp_path), endpoint)
    hops = answers["hops"]["two hops"]
    assert hops.usage is None, "the answer is a quotation"
    assert hops.retrieval_usage is not None
    assert hops.retrieval_usage.tokens_out == 2, "one token each time that the model was asked"
    assert hops.retrieval_usage.cost == pytest.approx(((hops.retrieval_usage.tokens_in or 0) * 1.0 + 2 * 2.0) / 1e6)
    assert answers["words"]["two hops"].retrieval_usage is None
    assert answers["sentences"]["two hops"].retrieval_usage is None


def test_an_endpoint_that_takes_no_schema_is_asked_without_and_says_the_same(
    platform: Embedded, endpoint: Endpoint, tmp_path: Path
) -> None:
    benchmark = a_benchmark(tmp_path)
    _, with_schema = evaluate(platform, "with schema", benchmark, endpoint)
    with an_endpoint(says, takes_schema=False) as strict:
        _, without = evaluate(platform, "without schema", benchmark, strict)
        asked, refused = strict.calls.total(), strict.refused
        evaluate(platform, "without schema again", benchmark, strict)
        assert (strict.calls.total(), strict.refused) == (asked, refused)
    assert 1 <= refused <= len(modes(strict)), "no batch is refused more than once"
    assert {mode: {case: ranked(each) for case, each in cases.items()} for mode, cases in without.items()} == {
        mode: {case: ranked(each) for case, each in cases.items()} for mode, cases in with_schema.items()
    }


def test_one_question_is_answered_over_the_rpc_by_the_same_engines(
    platform: Embedded, endpoint: Endpoint, tmp_path: Path
) -> None:
    report, answers = evaluate(platform, "rpc", a_benchmark(tmp_path), endpoint)
    by_name = {mode.name: mode for mode in modes(endpoint)}
    kb_id = report.knowledge_bases[0].kb_id
    asked = endpoint.calls.total()
    with grpc.insecure_channel(platform.address) as channel:
        stub = InferenceServiceStub(channel)
        for name in ("hops", "rewritten", "sorted", "sentences"):
            request = pb.AnswerRequest(kb_id=kb_id, mode=codec.query_mode_to_wire(by_name[name]), query=CASES[0][1])
            answer = codec.case_answer_from_wire(stub.Answer(request, timeout=60).answer)
            assert ranked(answer) == ranked(answers[name]["two hops"])
            assert answer.metadata["retrieval"] == answers[name]["two hops"].metadata["retrieval"]
            assert (answer.retrieval_usage is None) == (name == "sentences")
    # The question is its own case id, and so has other seeds.
    assert endpoint.calls.total() > asked

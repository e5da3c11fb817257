"""Answers are followed to what they rest on, and documents to the answers that used them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bakeoff.contract import codec, object_keys
from bakeoff.contract.stored import decode, encode
from bakeoff.domain.answer import CaseAnswer, Span
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import NotFoundError
from bakeoff.domain.evaluation import Rescoring
from bakeoff.domain.prepared import PreparedDocument, PreparedManifest
from bakeoff.domain.trace import DocumentUse, TracedAnswer
from bakeoff.reporting.rpc import ReportRpc
from bakeoff.reporting.tracing import Traces
from bakeoff.v1 import report_service_pb2 as pb
from tests.builders import a_case, a_passage, a_recipe, a_request, an_answer
from tests.builders.evaluated import EVALUATION, Evaluated, evaluate


def says(entrant: str, case: Case) -> CaseAnswer:
    number = int(case.case_id.removeprefix("c"))
    found = [
        replace(a_passage("report", rank=1, text="the first", chunk=number), pages=Span(number, number + 2)),
        a_passage(f"d{number}", rank=2),
        replace(a_passage("report", rank=3, chunk=90), pages=Span(40, 41)),
    ]
    return an_answer(case.case_id, found=found if entrant.startswith("one") else found[1:2], text="North Quay")


@pytest.fixture
def evaluated() -> Evaluated:
    request = a_request(recipes=[a_recipe("one"), a_recipe("two")], batch_cases=2)
    cases = [a_case(f"c{number}") for number in range(5)]
    return evaluate(request, cases, says, methods=["ndcg"])


def test_an_answer_is_followed_to_original_document_and_benchmark(evaluated: Evaluated) -> None:
    first, second = Traces(evaluated.context.objects, EVALUATION).of_case("c3")
    assert (first.entrant, second.entrant) == ("one/full_text_search", "two/full_text_search")
    assert first.query == "Where does the tide gauge stand?"
    assert first.answer == says("one/full_text_search", a_case("c3"))
    (planned,) = evaluated.plan.benchmarks
    assert first.revision.name == planned.name
    assert len(first.revision.fingerprint) == 64
    assert (first.parser.partition("(")[0], first.parser_version) == ("auto", "1")
    assert first.kb_id.startswith("kb-")


def test_only_what_is_asked_for_is_traced(evaluated: Evaluated) -> None:
    traces = Traces(evaluated.context.objects, EVALUATION)
    (only,) = traces.of_case("c1", entrant="two/full_text_search")
    assert only.entrant == "two/full_text_search"
    (by_recipe,) = traces.of_case("c1", entrant="two")
    assert by_recipe == only
    (short,) = traces.of_case("c1", entrant="one/full_text_search", benchmark="harbour", passages=1)
    assert [passage.chunk_id for passage in short.answer.passages] == ["report#1"]


@pytest.mark.parametrize(
    ("case_id", "limits", "words"),
    [
        ("c9", {}, "no case 'c9' was asked in evaluation"),
        ("c1", {"entrant": "three/x"}, "no entrant 'three/x'; known: one/full_text_search, two/full_text_search"),
        ("c1", {"benchmark": "pier"}, "no benchmark 'pier'; known: harbour"),
    ],
)
def test_what_is_not_there_is_told_with_what_is(
    evaluated: Evaluated, case_id: str, limits: dict[str, str], words: str
) -> None:
    with pytest.raises(NotFoundError, match=words):
        list(Traces(evaluated.context.objects, EVALUATION).of_case(case_id, **limits))  # type: ignore[arg-type]


def test_an_answer_that_is_not_stored_is_traced_as_failed(evaluated: Evaluated) -> None:
    objects = evaluated.context.objects
    for key in [found.key for found in objects.list(f"evaluations/{EVALUATION}/answers/")]:
        objects.delete(key)
    first, _ = Traces(objects, EVALUATION).of_case("c3")
    assert first.answer.failure is not None
    assert "no answer is stored" in first.answer.failure.reason
    assert not first.documents


def test_the_answers_that_used_a_page_are_found(evaluated: Evaluated) -> None:
    traces = Traces(evaluated.context.objects, EVALUATION)
    assert [(use.case_id, use.rank, use.pages) for use in traces.of_document("report", 2)] == [
        ("c1", 1, Span(1, 3)),
        ("c2", 1, Span(2, 4)),
    ]
    assert {use.entrant for use in traces.of_document("report")} == {"one/full_text_search"}
    assert len(list(traces.of_document("report"))) == 10
    assert [(use.case_id, use.entrant, use.pages) for use in traces.of_document("d4")] == [
        ("c4", "one/full_text_search", None),
        ("c4", "two/full_text_search", None),
    ]
    assert not list(traces.of_document("d4", 0))
    assert not list(traces.of_document("report", 99))


def test_a_document_that_nobody_used_is_told_from_one_that_is_not_there(evaluated: Evaluated) -> None:
    objects, plan = evaluated.context.objects, evaluated.plan
    with pytest.raises(NotFoundError, match=r"no benchmark of evaluation .* has a document 'unused'"):
        list(Traces(objects, EVALUATION).of_document("unused"))

    unused = PreparedDocument("unused", "unused.txt", "text/plain", "unused", None, "0" * 64, 1)
    manifest = decode(objects.read(plan.benchmarks[0].prepared), PreparedManifest)
    part = objects.create("prepared/more/part.json", encode((unused,))).ref
    prepared = objects.create("prepared/more/manifest.json", encode(replace(manifest, document_parts=(part,)))).ref
    more = replace(plan, evaluation_id="ev-3", benchmarks=(replace(plan.benchmarks[0], prepared=prepared),))
    objects.create(object_keys.plan("ev-3"), encode(more))
    assert list(Traces(objects, "ev-3").of_document("unused")) == []


def test_a_re_scoring_traces_the_answers_that_it_scored(evaluated: Evaluated) -> None:
    objects = evaluated.context.objects
    request = replace(evaluated.plan.request, rescoring=Rescoring(EVALUATION))
    objects.create(object_keys.plan("ev-2"), encode(replace(evaluated.plan, evaluation_id="ev-2", request=request)))
    assert list(Traces(objects, "ev-2").of_case("c3")) == list(Traces(objects, EVALUATION).of_case("c3"))


def test_the_service_sends_traces_and_uses(evaluated: Evaluated) -> None:
    service = ReportRpc(evaluated.context.objects)

    async def traced() -> list[TracedAnswer]:
        request = pb.TraceAnswersRequest(evaluation_id=EVALUATION, case_id="c1", passages=2)
        return [codec.traced_answer_from_wire(each.answer) async for each in service.TraceAnswers(request, None)]

    async def uses(page: int | None) -> list[DocumentUse]:
        request = pb.FindDocumentUsesRequest(evaluation_id=EVALUATION, document_id="report", page=page)
        return [codec.document_use_from_wire(each.use) async for each in service.FindDocumentUses(request, None)]

    traces = Traces(evaluated.context.objects, EVALUATION)
    assert asyncio.run(traced()) == list(traces.of_case("c1", passages=2))
    assert asyncio.run(uses(0)) == list(traces.of_document("report", 0))
    assert asyncio.run(uses(None)) == list(traces.of_document("report"))


@pytest.mark.parametrize("evaluation_id", ["ev-none", "../ev", ""])
def test_an_evaluation_that_does_not_exist_is_not_found(evaluated: Evaluated, evaluation_id: str) -> None:
    async def ask() -> None:
        request = pb.TraceAnswersRequest(evaluation_id=evaluation_id, case_id="c1")
        async for _ in ReportRpc(evaluated.context.objects).TraceAnswers(request, None):
            pass

    with pytest.raises(NotFoundError, match="has no plan"):
        asyncio.run(ask())

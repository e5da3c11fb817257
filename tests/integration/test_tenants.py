"""One tenant never sees, steers, scores anew or reads what another's evaluations are, use or came to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from bakeoff.client import Client
from bakeoff.contract import object_keys, subjects
from bakeoff.contract.codec import query_mode_to_wire, request_to_wire
from bakeoff.contract.permissions import role_needed
from bakeoff.contract.stored import PreparedReader, decode
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import ForbiddenError, InvalidInputError, NotFoundError, UnauthenticatedError
from bakeoff.domain.evaluation import EvaluationRequest, EvaluationState, Rescoring
from bakeoff.domain.identity import evaluation_id
from bakeoff.domain.recipe import AnswerPart, QueryMode
from bakeoff.domain.work import BuildTask, Plan
from bakeoff.runtime.channels import open_channel
from bakeoff.runtime.rpc import error_of
from bakeoff.runtime.settings import Settings
from bakeoff.v1 import (
    benchmark_service_pb2,
    document_service_pb2,
    evaluation_service_pb2,
    inference_service_pb2,
    knowledge_service_pb2,
    report_service_pb2,
    scoring_service_pb2,
)
from tests.integration.guarded_platform import GuardedPlatform, guarded_platform, quick_start

pytestmark = pytest.mark.timeout(180)

FILES = (
    benchmark_service_pb2,
    document_service_pb2,
    evaluation_service_pb2,
    inference_service_pb2,
    knowledge_service_pb2,
    report_service_pb2,
    scoring_service_pb2,
)


@dataclass(frozen=True)
class Done:
    """A finished evaluation of the tenant acme."""

    name: str
    plan: Plan
    raw_key: str
    kb_id: str
    fingerprint: str
    case_id: str
    document_id: str


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedPlatform]:
    settings = Settings(keys={"house": "a-secret"}, keys_sent_to="house=https://models.example/v1")
    with guarded_platform(tmp_path_factory.mktemp("guarded"), settings) as running:
        yield running


@pytest.fixture(scope="module")
def done(platform: GuardedPlatform) -> Done:
    with platform.client("acme") as acme:
        name = acme.submit(quick_start("Ours"))[0].evaluation_id
        *_, ended = acme.watch(name)
    assert ended.state is EvaluationState.COMPLETED, ended.reason
    assert ended.tenant == "acme"
    plan = decode(platform.objects.read_key(object_keys.plan(name)), Plan)
    build = next(body for item in plan.items if isinstance(body := item.task.body, BuildTask))
    raw = next(info.key for info in platform.objects.list(object_keys.raw_prefix()))
    prepared = PreparedReader.open(platform.objects, plan.benchmarks[0].prepared)
    case, document = next(prepared.cases()), next(prepared.documents())
    return Done(name, plan, raw, build.kb_id, prepared.manifest.fingerprint, case.case_id, document.document_id)


def code_of(error: grpc.RpcError) -> grpc.StatusCode:
    code: grpc.StatusCode = error.code()
    return code


def call(client: Client, method: str, request: Any, response: type[Any]) -> list[Any]:
    """Make any call with a client's token; a single response is a stream of one."""
    asked = client._channel.unary_stream(method, type(request).SerializeToString, response.FromString)
    return list(asked(request, timeout=20))


def every_foreign_call(done: Done) -> list[tuple[str, Any, type[Any]]]:
    """Return one call for each way to something of acme's."""
    v, d, k, b, r = (
        evaluation_service_pb2,
        document_service_pb2,
        knowledge_service_pb2,
        benchmark_service_pb2,
        report_service_pb2,
    )
    mode = query_mode_to_wire(next(mode for recipe in done.plan.request.recipes for mode in recipe.query))
    name = done.name
    return [
        ("EvaluationService/GetEvaluation", v.GetEvaluationRequest(evaluation_id=name), v.GetEvaluationResponse),
        ("EvaluationService/WatchEvaluation", v.WatchEvaluationRequest(evaluation_id=name), v.WatchEvaluationResponse),
        (
            "EvaluationService/CancelEvaluation",
            v.CancelEvaluationRequest(evaluation_id=name),
            v.CancelEvaluationResponse,
        ),
        ("EvaluationService/PauseEvaluation", v.PauseEvaluationRequest(evaluation_id=name), v.PauseEvaluationResponse),
        (
            "EvaluationService/ResumeEvaluation",
            v.ResumeEvaluationRequest(evaluation_id=name),
            v.ResumeEvaluationResponse,
        ),
        (
            "EvaluationService/ListDeadLetters",
            v.ListDeadLettersRequest(evaluation_id=name),
            v.ListDeadLettersResponse,
        ),
        (
            "EvaluationService/DiagnoseEvaluation",
            v.DiagnoseEvaluationRequest(evaluation_id=name),
            v.DiagnoseEvaluationResponse,
        ),
        (
            "EvaluationService/GetDeadLetter",
            v.GetDeadLetterRequest(evaluation_id=name, stage=5, item="any"),  # type: ignore[arg-type]
            v.GetDeadLetterResponse,
        ),
        (
            "EvaluationService/ReplayDeadLetters",
            v.ReplayDeadLettersRequest(evaluation_id=name, failed_cases=True),
            v.ReplayDeadLettersResponse,
        ),
        ("ReportService/GetReport", r.GetReportRequest(evaluation_id=name), r.GetReportResponse),
        (
            "ReportService/CompareReports",
            r.CompareReportsRequest(evaluation_id=name, baseline_evaluation_id=name),
            r.CompareReportsResponse,
        ),
        (
            "ReportService/TraceAnswers",
            r.TraceAnswersRequest(evaluation_id=name, case_id=done.case_id),
            r.TraceAnswersResponse,
        ),
        (
            "ReportService/FindDocumentUses",
            r.FindDocumentUsesRequest(evaluation_id=name, document_id=done.document_id),
            r.FindDocumentUsesResponse,
        ),
        ("DocumentService/GetDocument", d.GetDocumentRequest(raw_key=done.raw_key), d.GetDocumentResponse),
        (
            "DocumentService/DownloadDocument",
            d.DownloadDocumentRequest(raw_key=done.raw_key),
            d.DownloadDocumentResponse,
        ),
        ("BenchmarkService/GetBenchmark", b.GetBenchmarkRequest(fingerprint=done.fingerprint), b.GetBenchmarkResponse),
        ("BenchmarkService/ListCases", b.ListCasesRequest(fingerprint=done.fingerprint), b.ListCasesResponse),
        ("KnowledgeService/GetKnowledgeBase", k.GetKnowledgeBaseRequest(kb_id=done.kb_id), k.GetKnowledgeBaseResponse),
        (
            "KnowledgeService/Retrieve",
            k.RetrieveRequest(kb_id=done.kb_id, mode=mode, queries=["what?"]),
            k.RetrieveResponse,
        ),
        (
            "KnowledgeService/RetrieveRankings",
            k.RetrieveRankingsRequest(kb_id=done.kb_id, mode=mode, queries=["what?"]),
            k.RetrieveRankingsResponse,
        ),
        (
            "InferenceService/Answer",
            inference_service_pb2.AnswerRequest(kb_id=done.kb_id, mode=mode, query="what?"),
            inference_service_pb2.AnswerResponse,
        ),
    ]


def test_what_is_another_tenants_does_not_exist_by_any_call(platform: GuardedPlatform, done: Done) -> None:
    for place in (platform.address, platform.inner):
        with platform.client("globex", place) as globex:
            for method, request, response in every_foreign_call(done):
                if place == platform.inner and method.startswith("EvaluationService"):
                    continue
                with pytest.raises(grpc.RpcError) as refused:
                    call(globex, f"/bakeoff.v1.{method}", request, response)
                assert code_of(refused.value) is grpc.StatusCode.NOT_FOUND, method
                assert "acme" not in (refused.value.details() or ""), method


def test_the_same_calls_work_for_the_tenant_itself(platform: GuardedPlatform, done: Done) -> None:
    with platform.client("acme") as acme:
        for method, request, response in every_foreign_call(done):
            if method.endswith(("CancelEvaluation", "PauseEvaluation", "ResumeEvaluation")):
                continue  # it has ended
            if method.endswith(("GetDeadLetter", "ReplayDeadLetters")):
                continue  # nothing of it failed
            assert call(acme, f"/bakeoff.v1.{method}", request, response), method


def test_lists_hold_what_is_ones_own(platform: GuardedPlatform, done: Done) -> None:
    d, k = document_service_pb2, knowledge_service_pb2
    lists: list[tuple[str, Any, type[Any]]] = [
        ("DocumentService/ListDocuments", d.ListDocumentsRequest(), d.ListDocumentsResponse),
        ("KnowledgeService/ListKnowledgeBases", k.ListKnowledgeBasesRequest(), k.ListKnowledgeBasesResponse),
    ]
    with platform.client("acme") as acme, platform.client("globex") as globex, platform.client("operator") as operator:
        assert [each.evaluation_id for each in acme.evaluations()] == [done.name]
        assert list(globex.evaluations()) == list(globex.evaluations("acme")) == []
        assert list(globex.dead_letters()) == []
        assert [each.evaluation_id for each in operator.evaluations("acme")] == [done.name]
        for method, request, response in lists:
            assert call(acme, f"/bakeoff.v1.{method}", request, response), method
            assert call(globex, f"/bakeoff.v1.{method}", request, response) == [], method


def test_nobody_scores_another_tenants_answers_or_speaks_for_it(platform: GuardedPlatform, done: Done) -> None:
    method = ComponentSpec("exact_match")
    with platform.client("globex") as globex, platform.client("acme") as acme:
        with pytest.raises(NotFoundError, match="there is no evaluation"):
            globex.submit(EvaluationRequest("", (), (), rescoring=Rescoring(done.name, (method,))))
        with pytest.raises(ForbiddenError, match="speaks for the tenant 'globex'"):
            globex.submit(replace(quick_start("Theirs"), tenant="acme"))
        again = acme.submit(EvaluationRequest("Again", (), (), rescoring=Rescoring(done.name, (method,))))[0]
        assert again.tenant == "acme"
        *_, ended = acme.watch(again.evaluation_id)
        assert ended.state is EvaluationState.COMPLETED, ended.reason


def test_on_the_bus_a_request_is_of_its_subjects_tenant(platform: GuardedPlatform, done: Done) -> None:
    request = replace(quick_start("By bus"), tenant="acme", rescoring=None)
    stolen = EvaluationRequest(
        "Stolen", (), (), tenant="acme", rescoring=Rescoring(done.name, (ComponentSpec("exact_match"),))
    )
    for each in (request, replace(stolen, idempotency_key="stolen")):
        data = request_to_wire(each).SerializeToString()
        asyncio.run(platform.bus.publish(subjects.request("globex"), data))

    with platform.client("globex") as globex, platform.client("acme") as acme:
        name = evaluation_id("globex", "By bus")
        until(lambda: exists(globex, name))
        *_, ended = globex.watch(name)
        assert (ended.tenant, ended.state) == ("globex", EvaluationState.COMPLETED)
        assert not exists(acme, name)
        assert not exists(globex, evaluation_id("globex", "stolen"))
        # From here on both use the same benchmark, and each may read it.
        assert b"".join(globex.original(done.raw_key)) == b"".join(acme.original(done.raw_key))


def exists(client: Client, name: str) -> bool:
    try:
        return client.get(name).evaluation_id == name
    except NotFoundError:
        return False


def until(holds: Callable[[], bool]) -> None:
    import time

    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_every_call_but_health_needs_a_token_of_the_role(platform: GuardedPlatform) -> None:
    methods = [
        (f"/{service.full_name}/{method.name}", role_needed(f"/{service.full_name}/{method.name}"))
        for file in FILES
        for service in file.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    ]
    assert len(methods) >= 20
    for place in (platform.address, platform.inner):
        for method, role in [*methods, ("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", "read")]:
            for token in ("", "bk_made_up"):
                assert refused(platform, place, method, token) is grpc.StatusCode.UNAUTHENTICATED, method
            if role != "read":
                code = refused(platform, place, method, platform.tokens["acme-reader"])
                assert code is grpc.StatusCode.PERMISSION_DENIED, method
        with grpc.insecure_channel(place) as channel:
            answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=10)
            assert answer.status == health_pb2.HealthCheckResponse.SERVING


def refused(platform: GuardedPlatform, place: str, method: str, token: str) -> grpc.StatusCode:
    settings = replace(platform.settings, token=token)
    with open_channel(place, settings) as channel:
        calling: Any = channel.stream_stream(method)
        with pytest.raises(grpc.RpcError) as error:
            list(calling(iter([b""]), timeout=20))
    return code_of(error.value)


def test_nobody_outside_can_speak_as_a_service(platform: GuardedPlatform, done: Done) -> None:
    metadata: list[tuple[str, Any]] = [
        ("authorization", f"Bearer {platform.tokens['globex']}"),
        ("bakeoff-tenant-bin", b"acme"),
        ("bakeoff-roles", "internal,operate,read,submit"),
    ]
    request = report_service_pb2.GetReportRequest(evaluation_id=done.name).SerializeToString()
    for place in (platform.address, platform.inner):
        with grpc.insecure_channel(place) as channel:
            calling: Any = channel.unary_stream("/bakeoff.v1.ReportService/GetReport")
            with pytest.raises(grpc.RpcError) as error:
                list(calling(request, metadata=metadata, timeout=20))
        assert code_of(error.value) is grpc.StatusCode.NOT_FOUND


def test_a_token_that_is_taken_away_works_no_more(platform: GuardedPlatform) -> None:
    platform.add_token("passing", "acme", "read")
    with platform.client("passing") as passing:
        list(passing.evaluations())
        known = json.loads(platform.tokens_file.read_text())
        kept = {digest: entry for digest, entry in known.items() if entry["name"] != "passing"}
        platform.tokens_file.write_text(json.dumps(kept))
        with pytest.raises(UnauthenticatedError, match="does not know the token"):
            list(passing.evaluations())


def test_paths_outside_of_the_folders_for_requests_are_refused(platform: GuardedPlatform) -> None:
    request = quick_start("Elsewhere")
    choice = request.benchmarks[0]
    settings = {**choice.adapter.settings, "path": "/etc"}
    elsewhere = replace(choice, adapter=ComponentSpec(choice.adapter.name, settings))
    with platform.client("acme") as acme, pytest.raises(InvalidInputError) as refusal:
        acme.submit(replace(request, benchmarks=(elsewhere,)))
    assert refusal.value.violations[0].field == "benchmarks[0].adapter.path"
    assert "BAKEOFF_LOCAL_PATHS" in refusal.value.violations[0].problem


READS_ETC = r'rerank(first="full_text_search", reranker="cross_encoder(directory=\"/etc\")")'


def test_nor_are_they_reached_through_a_component_within_another_by_any_call(
    platform: GuardedPlatform, done: Done
) -> None:
    mode = QueryMode("m", ComponentSpec.parse(READS_ETC), 3)
    request = quick_start("Within")
    recipe = replace(request.recipes[0], query=(mode,))
    k, wire = knowledge_service_pb2, query_mode_to_wire(mode)
    calls: list[tuple[str, Any, type[Any]]] = [
        (
            "EvaluationService/SubmitEvaluation",
            evaluation_service_pb2.SubmitEvaluationRequest(
                request=request_to_wire(replace(request, recipes=(recipe,)))
            ),
            evaluation_service_pb2.SubmitEvaluationResponse,
        ),
        (
            "KnowledgeService/Retrieve",
            k.RetrieveRequest(kb_id=done.kb_id, mode=wire, queries=["q"]),
            k.RetrieveResponse,
        ),
        (
            "KnowledgeService/RetrieveRankings",
            k.RetrieveRankingsRequest(kb_id=done.kb_id, mode=wire, queries=["q"]),
            k.RetrieveRankingsResponse,
        ),
    ]
    with platform.client("acme") as acme:
        # An answer that cannot be had says so itself.
        answer = acme.answer(done.kb_id, mode, "q")
        assert "BAKEOFF_LOCAL_PATHS" in (answer.failure.reason if answer.failure else "")
        for method, message, response in calls:
            with pytest.raises(grpc.RpcError) as refusal:
                call(acme, f"/bakeoff.v1.{method}", message, response)
            assert code_of(refusal.value) is grpc.StatusCode.INVALID_ARGUMENT, method
            told = str(error_of(refusal.value, "the platform"))
            assert "BAKEOFF_LOCAL_PATHS" in told, method
            assert "passwd" not in told, method


@pytest.mark.parametrize(
    ("generator", "told"),
    [
        ('openai(base_url="https://evil.example/v1", model="m", key="house")', "BAKEOFF_KEYS_SENT_TO"),
        ('openai(base_url="https://models.example/v1", model="m", key="sk-typed-0123456789abcdef")', "not the key"),
        ('openai(base_url="https://a.example/v1", model="m", api_key="sk-typed-01")', "has no setting 'api_key'"),
        ('openai(base_url="https://a.example/v1", model="m", parameters={"api_key": "sk-typed-01"})', "like a secret"),
        ('openai(base_url="https://u:sk-typed-01@a.example/v1", model="m")', "a user or a password"),
        ('agent_http(base_url="https://u:sk-typed-01@a.example/v1")', "a user or a password"),
    ],
)
def test_keys_are_neither_sent_elsewhere_nor_typed_whichever_way_a_request_comes(
    platform: GuardedPlatform, generator: str, told: str
) -> None:
    request = quick_start(generator)
    answer = AnswerPart(ComponentSpec.parse(generator))
    request = replace(request, name="Attempt", recipes=(replace(request.recipes[0], answer=answer),))
    with platform.client("acme") as acme, pytest.raises(InvalidInputError) as refusal:
        acme.submit(request)
    assert told in str(refusal.value)
    assert "sk-typed" not in str(refusal.value)
    name = evaluation_id("acme", generator)
    asyncio.run(platform.bus.publish(subjects.request("acme"), request_to_wire(request).SerializeToString()))
    until(lambda: bool(events(platform, name)))
    (failed,) = events(platform, name)
    assert told.encode() in failed
    assert b"sk-typed" not in failed
    assert [info.key for info in platform.objects.list("") if b"sk-typed" in platform.objects.read_key(info.key)] == []


def events(platform: GuardedPlatform, name: str) -> list[bytes]:
    messages = asyncio.run(platform.bus.messages(f"bakeoff.v1.event.{name}.*"))
    return [message.data for message in messages]

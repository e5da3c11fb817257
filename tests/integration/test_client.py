"""The client class against a whole platform that asks for tokens: what other people's Python can do, and is told."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import bakeoff
from bakeoff.cli.idempotency import with_key
from bakeoff.cli.requests import read_request
from bakeoff.client import AsyncClient, Client
from bakeoff.domain.component import ComponentKind, ComponentSpec
from bakeoff.domain.errors import (
    BakeoffError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    UnauthenticatedError,
    UnavailableError,
)
from bakeoff.domain.evaluation import EvaluationState, EvaluationStatus
from bakeoff.domain.identity import evaluation_id, sha256_hex
from bakeoff.domain.recipe import AnswerPart, QueryMode
from bakeoff.runtime.ports import free_ports
from bakeoff.runtime.settings import Settings
from tests.conftest import ROOT
from tests.integration.guarded_platform import QUICKSTART, GuardedPlatform, guarded_platform

pytestmark = pytest.mark.timeout(180)

CASES, ENTRANTS, METRICS = 86, 3, 4
WORDS = QueryMode("words", ComponentSpec("full_text_search"), top_k=3)


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedPlatform]:
    with guarded_platform(tmp_path_factory.mktemp("guarded")) as running:
        yield running


@pytest.fixture(scope="module")
def client(platform: GuardedPlatform) -> Iterator[Client]:
    with Client(platform.address, token=platform.tokens["acme"]) as client:
        yield client


@pytest.fixture(scope="module")
def operator(platform: GuardedPlatform) -> Iterator[Client]:
    with Client(platform.address, token=platform.tokens["operator"]) as client:
        yield client


@pytest.fixture(scope="module")
def done(client: Client) -> EvaluationStatus:
    """The quick start, submitted from its file and followed to its end."""
    return client.wait(client.submit(QUICKSTART).status.evaluation_id)


def public(kind: type[Any]) -> dict[str, list[str]]:
    methods = inspect.getmembers(kind, inspect.isfunction)
    return {name: list(inspect.signature(method).parameters) for name, method in methods if name[0] != "_"}


# Both ways


def test_the_package_gives_both_clients_and_nothing_that_it_does_not_have() -> None:
    assert (bakeoff.Client, bakeoff.AsyncClient) == (Client, AsyncClient)
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        bakeoff.Nothing  # type: ignore[attr-defined]  # noqa: B018


def test_what_is_waited_for_can_be_awaited_with_the_same_arguments() -> None:
    assert public(Client) == public(AsyncClient)


def test_every_method_says_what_it_does() -> None:
    assert [name for kind in (Client, AsyncClient) for name in public(kind) if not getattr(kind, name).__doc__] == []


# Evaluations


def test_a_file_is_submitted_followed_and_reported(client: Client, done: EvaluationStatus) -> None:
    assert done.state is EvaluationState.COMPLETED, done.reason
    report = client.report(done.evaluation_id)
    assert report.name == "Quick start"
    assert [(entrant.entrant, entrant.answered_cases) for entrant in report.entrants] == [
        ("bm25/full_text_search", CASES),
        ("dense/vector_search", CASES),
        ("hybrid/hybrid_search", CASES),
    ]


def test_the_same_file_again_and_as_a_mapping_is_the_same_evaluation(
    client: Client, done: EvaluationStatus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(QUICKSTART.parent)
    mapping = yaml.safe_load(QUICKSTART.read_text())

    for again in (str(QUICKSTART), mapping):
        status, created = client.submit(again)
        assert (status.evaluation_id, created) == (done.evaluation_id, False)


def test_the_command_and_the_class_make_one_evaluation_of_a_file(done: EvaluationStatus) -> None:
    read = read_request(QUICKSTART, Settings())

    assert evaluation_id("acme", with_key(read.request, read.cards, Settings(), fresh=False).idempotency_key) == (
        done.evaluation_id
    )


def test_a_key_names_one_question_and_fresh_asks_it_anew(client: Client, done: EvaluationStatus) -> None:
    request = read_request(QUICKSTART, Settings()).request
    first = client.submit(request, idempotency_key="mine")
    assert first.created
    assert client.submit(request, idempotency_key="mine").status.evaluation_id == first.status.evaluation_id
    other = replace(request, options=replace(request.options, seed=7))
    with pytest.raises(InvalidInputError, match=r"'mine' of tenant 'acme' belongs to another request"):
        client.submit(other, idempotency_key="mine")
    anew = client.submit(request, fresh=True)
    assert anew.created
    assert anew.status.evaluation_id not in (first.status.evaluation_id, done.evaluation_id)
    for status in (first.status, anew.status):
        client.cancel(status.evaluation_id, "seen enough")


def test_a_check_starts_nothing_and_tells_what_the_platform_lacks(client: Client, tmp_path: Path) -> None:
    before = {status.evaluation_id for status in client.evaluations()}
    mapping = yaml.safe_load(QUICKSTART.read_text())
    mapping["name"] = "Only checked"
    mapping["benchmarks"][0]["folder"]["path"] = QUICKSTART.parent / "documents"
    mapping["benchmarks"][0]["folder"]["questions"] = QUICKSTART.parent / "questions.yaml"

    assert client.check(mapping).startswith("ev-")
    mapping["benchmarks"][0]["folder"]["path"] = QUICKSTART.parent / "nothing"
    with pytest.raises(InvalidInputError, match="nothing"):
        client.check(mapping)
    assert {status.evaluation_id for status in client.evaluations()} == before


def test_faults_of_a_mapping_come_all_at_once_with_their_fields(client: Client) -> None:
    mapping = {
        "name": "Wrong",
        "benchmarks": [{"folder": {"path": "documents", "questions": b"bytes"}}],
        "recipes": [{"name": "a", "build": {"chunkr": "none"}, "query": ["full_text_search"]}],
        "options": {"seed": float("nan")},
    }

    with pytest.raises(InvalidInputError, match=r"^the evaluation has 3 faults") as caught:
        client.submit(mapping)
    assert {each.field for each in caught.value.violations} == {
        "benchmarks[0].folder.questions",
        "recipes[0].build.chunkr",
        "options.seed",
    }


def test_following_shows_each_change_and_an_end_cannot_be_steered(client: Client, done: EvaluationStatus) -> None:
    shown: list[EvaluationStatus] = []

    assert client.wait(done.evaluation_id, timeout_s=20, show=shown.append).state is EvaluationState.COMPLETED
    assert [status.evaluation_id for status in shown] == [done.evaluation_id]
    assert next(iter(client.watch(done.evaluation_id))).state is EvaluationState.COMPLETED
    assert client.cancel(done.evaluation_id).state is EvaluationState.COMPLETED
    for steer in (client.pause, client.resume):
        with pytest.raises(InvalidInputError, match="completed"):
            steer(done.evaluation_id)


def test_a_paused_evaluation_waits_is_resumed_and_cancelled(client: Client) -> None:
    name = client.submit(QUICKSTART, fresh=True).status.evaluation_id

    assert client.pause(name).state is EvaluationState.PAUSED
    with pytest.raises(UnavailableError, match=f"{name} has not ended within 0.5 s; it goes on"):
        client.wait(name, timeout_s=0.5)
    assert client.resume(name, concurrency=1).state in (EvaluationState.PREPARING, EvaluationState.RUNNING)
    assert client.cancel(name, "enough").reason == "enough"
    with pytest.raises(BakeoffError, match="cancelled: enough"):
        bakeoff_client_end(client, name)


def bakeoff_client_end(client: Client, name: str) -> None:
    from bakeoff.client.evaluation_calls import completed

    completed(client.wait(name))


def test_answers_are_scored_anew_and_the_reports_compared(client: Client, done: EvaluationStatus) -> None:
    submitted = client.rescore(done.evaluation_id, ["recall(k=10)", "exact_match"])
    again = client.wait(submitted.status.evaluation_id)
    assert again.state is EvaluationState.COMPLETED, again.reason

    compared = client.compare(again.evaluation_id, done.evaluation_id)
    assert not compared.same_digest
    assert {each.metric for each in compared.differences} == {"recall@10"}
    assert all(each.mean == each.baseline_mean for each in compared.differences)
    assert client.compare(done.evaluation_id, done.evaluation_id).same_digest


# Reports and what they rest on


def test_scores_are_those_of_the_report(client: Client, done: EvaluationStatus) -> None:
    scores = client.scores(done.evaluation_id)
    assert len(scores) == CASES * ENTRANTS * METRICS
    mean = client.report(done.evaluation_id).entrants[0].metrics[0]
    values = [each.value for each in scores if (each.entrant, each.metric) == ("bm25/full_text_search", mean.metric)]
    assert sum(value or 0.0 for value in values) / CASES == pytest.approx(mean.mean)


def test_files_are_saved_whole_and_unknown_ones_named(client: Client, done: EvaluationStatus, tmp_path: Path) -> None:
    saved = client.save_report(done.evaluation_id, tmp_path / "report", ["html", "trec"])
    assert [path.name for path in saved] == ["report.html", "trec.zip"]
    assert saved[1].read_bytes().startswith(b"PK")
    assert sorted(path.name for path in (tmp_path / "report").iterdir()) == ["report.html", "trec.zip"]
    with pytest.raises(InvalidInputError, match="json, html, csv"):
        client.save_report(done.evaluation_id, tmp_path, ["pdf"])
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInputError, match="cannot be written"):
        client.save_report(done.evaluation_id, tmp_path / "file", ["json"])


def test_an_answer_leads_to_the_bytes_that_it_rests_on(client: Client, done: EvaluationStatus) -> None:
    fingerprint = client.report(done.evaluation_id).benchmarks[0].fingerprint
    case = next(client.cases(fingerprint, start=1, count=1))

    (traced,) = client.trace_case(done.evaluation_id, case.case_id, entrant="bm25/full_text_search", passages=2)
    assert (traced.query, traced.answer.case_id, len(traced.answer.passages)) == (case.query, case.case_id, 2)
    first = traced.answer.passages[0]
    assert sha256_hex(b"".join(client.original(first.raw_key))) == first.raw_sha256
    assert client.document(first.raw_key).sha256 == first.raw_sha256
    assert case.case_id in {use.case_id for use in client.document_uses(done.evaluation_id, first.document_id)}


# Documents, knowledge bases, answers


def test_an_upload_is_there_once_and_a_wrong_digest_is_refused(operator: Client, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_bytes(b"tide " * 500_000)  # more than one piece
    place = {"benchmark": "notes", "split": "test", "document_id": "one"}

    stored, created = operator.upload(file, **place)
    assert (stored.raw_key, created) == ("raw/benchmarks/notes/test/one/note.txt", True)
    assert b"".join(operator.original(stored.raw_key)) == file.read_bytes()
    assert b"".join(operator.original(stored.raw_key, start=5, length=4)) == b"tide"
    assert not operator.upload(file.read_bytes(), **place, name="note.txt", sha256=stored.sha256).created
    assert list(operator.documents("notes")) == [stored]
    with pytest.raises(InvalidInputError):
        operator.upload(b"other", **place, name="other.txt", sha256=stored.sha256)
    with pytest.raises(InvalidInputError, match="there is no file"):
        operator.upload(tmp_path / "none.txt", **place)


def test_a_knowledge_base_is_built_asked_and_deleted(operator: Client, done: EvaluationStatus) -> None:
    report = operator.report(done.evaluation_id)
    benchmark = operator.benchmark(report.benchmarks[0].fingerprint)
    assert (benchmark.cases, benchmark.documents, len(benchmark.units)) == (CASES, 64, 1)

    build = report.request.recipes[0].build
    built = operator.build_knowledge_base(benchmark.prepared, benchmark.units[0].unit_id, build)
    assert built.kb_id in {base.kb_id for base in operator.knowledge_bases()}
    assert operator.knowledge_base(built.kb_id) == built
    assert built.kb_id in {base.kb_id for base in report.knowledge_bases}

    tides, nothing = operator.retrieve(built.kb_id, WORDS, ["When is the harbour office open?", "xylophone"])
    assert [passage.rank for passage in tides.passages] == [1, 2, 3]
    assert tides.passages[0].text
    assert (nothing.passages, nothing.failure) == ((), None)
    said = operator.answer(
        built.kb_id, WORDS, "When is the harbour office open?", AnswerPart(ComponentSpec("extractive"))
    )
    assert said.text
    case = next(operator.cases(benchmark.fingerprint, count=1))
    (scored,) = operator.score(["answer_contains"], [(case, replace(said, case_id=case.case_id))])
    assert [score.metric for score in scored.scores] == ["answer_contains"]

    assert operator.delete_knowledge_base(built.kb_id)
    assert not operator.delete_knowledge_base(built.kb_id)
    with pytest.raises(NotFoundError):
        operator.knowledge_base(built.kb_id)
    operator.build_knowledge_base(benchmark.prepared, benchmark.units[0].unit_id, build)


# Awaited


def test_the_same_awaited(platform: GuardedPlatform, done: EvaluationStatus, tmp_path: Path) -> None:
    async def all_of_it() -> None:
        async with AsyncClient(platform.address, token=platform.tokens["operator"]) as client:
            assert ComponentKind.ADAPTER in {card.kind for card in await client.components()}
            name = done.evaluation_id
            assert (await client.get(name)).state is EvaluationState.COMPLETED
            assert name in [status.evaluation_id async for status in client.evaluations("acme")]
            shown: list[EvaluationStatus] = []
            assert (await client.wait(name, timeout_s=20, show=shown.append)) == shown[-1]
            report, scores = await asyncio.gather(client.report(name), client.scores(name))
            assert len(scores) == CASES * len(report.entrants) * METRICS
            assert [path.name for path in await client.save_report(name, tmp_path, ["csv"])] == ["cases.csv"]
            assert (await client.compare(name, name)).same_digest
            uploaded = await client.upload(
                b"low water", benchmark="notes", split="test", document_id="two", name="two.txt"
            )
            assert [piece async for piece in client.original(uploaded.document.raw_key)] == [b"low water"]
            benchmark = await client.benchmark(report.benchmarks[0].fingerprint)
            base = await client.build_knowledge_base(
                benchmark.prepared, benchmark.units[0].unit_id, report.request.recipes[0].build
            )
            found = [each async for each in client.retrieve(base.kb_id, WORDS, ["When is the ferry due?"])]
            assert len(found[0].passages) == 3
            status, created = await client.submit(QUICKSTART, tenant="acme")
            assert (status.evaluation_id, created) == (name, False)
            with pytest.raises(InvalidInputError, match="completed"):
                await client.pause(name)
            with pytest.raises(NotFoundError):
                await client.get("ev-nothing")

    asyncio.run(all_of_it())


# Whoever may not, or is not there


def test_errors_say_what_to_do(platform: GuardedPlatform, client: Client) -> None:
    with pytest.raises(NotFoundError):
        client.get("ev-nothing")
    with pytest.raises(NotFoundError, match=r"no file 'nowhere\.yaml'"):
        client.submit("nowhere.yaml")
    with Client(platform.address) as nobody, pytest.raises(UnauthenticatedError):
        nobody.components()
    with Client(platform.address, token=platform.tokens["acme-reader"]) as reader, pytest.raises(ForbiddenError):
        reader.submit(QUICKSTART)
    (port,) = free_ports(1)
    with Client(f"127.0.0.1:{port}", timeout_s=5) as lost, pytest.raises(UnavailableError, match=str(port)):
        lost.get("ev-nothing")
    with pytest.raises(InvalidInputError, match="BAKEOFF_SERVER"):
        Client()
    with pytest.raises(InvalidInputError, match="TLS"):
        Client(platform.address, tls_ca="nowhere.pem")


def test_the_environment_names_the_platform_and_the_token(
    platform: GuardedPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAKEOFF_SERVER", platform.address)
    monkeypatch.setenv("BAKEOFF_TOKEN", platform.tokens["acme-reader"])

    with Client.from_environment() as client:
        assert client.components()


def test_the_page_about_it_names_every_method() -> None:
    page = (ROOT / "docs/integration.md").read_text()

    assert [name for name in public(Client) if name != "close" and f"`{name}`" not in page] == []

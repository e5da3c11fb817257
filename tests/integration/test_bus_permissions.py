"""The users of the bus over a real server: everything works as them, and what they do not need is refused."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import nats
import pytest
from nats.aio.client import Client
from nats.errors import TimeoutError as NatsTimeout

from bakeoff.contract import subjects
from bakeoff.contract.bus_permissions import STAGES, config_of, follower_permissions, service_permissions
from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.identity import evaluation_id
from bakeoff.runtime.nats_bus import NatsBus
from bakeoff.runtime.nats_server import NatsServer
from tests.conftest import ROOT
from tests.integration.self_made import an_authority, vouched_for

USERS = {
    **{name: (f"word-{name}", service_permissions(name)) for name in ("control", *STAGES)},
    "watcher": ("word-watcher", follower_permissions("watcher")),
}
OUTSIDERS = {"acme": ("word-acme", "acme"), "globex": ("word-globex", "Globex Inc.")}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(tmp_path_factory.mktemp("nats"), authorization=config_of(USERS, OUTSIDERS)) as server:
        asyncio.run(make_streams(server))
        yield server


async def make_streams(server: NatsServer) -> None:
    bus = await as_user(server, "control")
    await bus.ensure(subjects.STREAMS, subjects.consumers(5.0), subjects.BUCKETS)
    await bus.close()


async def as_user(server: NatsServer, name: str, patience_s: float = 5.0) -> NatsBus:
    return await NatsBus.connect(server.url, user=name, password=f"word-{name}", patience_s=patience_s)


async def plain(server: NatsServer, name: str, refusals: list[str]) -> Client:
    async def note(error: Exception) -> None:
        refusals.append(str(error).lower())

    return await nats.connect(
        server.url, user=name, password=f"word-{name}", inbox_prefix=f"_INBOX.{name}", error_cb=note
    )


async def told(refusals: list[str]) -> str:
    """Return what was refused: the client hears of it a moment after what it has asked for."""
    for _ in range(500):
        if refusals:
            break
        await asyncio.sleep(0.01)
    return " ".join(refusals)


def test_a_wrong_password_is_told_with_the_user(guarded: NatsServer) -> None:
    with pytest.raises(InvalidInputError, match="refuses the user 'scoring' or the password"):
        asyncio.run(NatsBus.connect(guarded.url, user="scoring", password="wrong", patience_s=5))


@pytest.mark.parametrize("service", STAGES)
def test_a_worker_does_all_of_its_work_as_its_user(guarded: NatsServer, service: str) -> None:
    stage = STAGES[service]

    async def work() -> None:
        control, worker = await as_user(guarded, "control"), await as_user(guarded, service)
        await worker.ensure(subjects.STREAMS, subjects.consumers(5.0), subjects.BUCKETS)
        consumer = subjects.stage_consumer(stage, 5.0)
        await control.publish(subjects.task(stage, "ev", "one"), b"task")
        (delivery,) = await worker.fetch(consumer, 1, 5.0)
        await delivery.in_progress()
        done = subjects.done("ev", stage, "one")
        assert await worker.last(done) is None
        assert await worker.publish(done, b"fact", first_only=True)
        assert not await worker.publish(done, b"other", first_only=True)
        await delivery.ack()
        assert await worker.pending(consumer) == 0
        assert [message.data for message in await worker.messages(subjects.done_of("ev", stage))] == [b"fact"]
        await worker.publish(subjects.dead("ev", stage, "two"), b"letter")
        assert await worker.kv_get(subjects.STATES_BUCKET, "ev") is None
        await worker.kv_put(subjects.COMPONENTS_BUCKET, service, b"cards")
        if service in ("knowledge", "inference", "scoring"):
            revision = await worker.kv_create(subjects.LIMITS_BUCKET, f"of-{service}", b"1")
            assert revision
            assert await worker.kv_update(subjects.LIMITS_BUCKET, f"of-{service}", b"2", revision)
        if service == "knowledge":
            assert await worker.kv_create(subjects.CLAIMS_BUCKET, "part", b"mine")
            await worker.kv_delete(subjects.CLAIMS_BUCKET, "part")
        if service == "preparation":
            assert await worker.publish(subjects.download("ev", "one"), b"half")
            told = await control.last(subjects.download("ev", "one"))
            assert told
            assert told.data == b"half"
        await asyncio.gather(control.close(), worker.close())

    asyncio.run(work())


def test_control_does_all_of_its_work_as_its_user(guarded: NatsServer) -> None:
    async def work() -> None:
        bus = await as_user(guarded, "control")
        followed = aiter(bus.follow(subjects.ALL_DONE, after=0))
        await bus.publish(subjects.done("ev2", Stage.SCORE, "x"), b"fact", first_only=True)
        async with asyncio.timeout(10):
            while (await anext(followed)).subject != subjects.done("ev2", Stage.SCORE, "x"):
                pass
        await bus.publish(subjects.task(Stage.SCORE, "ev2", "x"), b"task")
        assert await bus.subjects(subjects.tasks_of("ev2")) == {subjects.task(Stage.SCORE, "ev2", "x")}
        assert await bus.purge(subjects.tasks_of("ev2")) == 1
        fact = await bus.last(subjects.done("ev2", Stage.SCORE, "x"))
        assert fact
        assert await bus.remove(subjects.DONE, fact.sequence)
        assert await bus.publish(subjects.event("ev2", "accepted"), b"event")
        revision = await bus.kv_create(subjects.STATES_BUCKET, "ev2", b"state")
        assert revision
        assert await bus.kv_update(subjects.STATES_BUCKET, "ev2", b"next", revision)
        assert await bus.kv_keys(subjects.STATES_BUCKET) == ["ev2"]
        await bus.kv_delete(subjects.STATES_BUCKET, "ev2")
        assert await bus.fetch(subjects.DEAD_CONSUMER, 1, 0.2) == []
        await bus.close()

    asyncio.run(work())


def test_a_tenant_asks_with_nothing_but_a_client_and_control_takes_it(guarded: NatsServer) -> None:
    async def ask() -> None:
        refusals: list[str] = []
        tenant, control = await plain(guarded, "acme", refusals), await as_user(guarded, "control")
        acknowledged = await tenant.request(subjects.request("acme"), b"a request", timeout=5)
        assert b"REQUESTS" in acknowledged.data
        (delivery,) = await control.fetch(subjects.REQUEST_CONSUMER, 1, 5.0)
        assert delivery.message.data == b"a request"
        await delivery.ack()
        assert refusals == []
        await asyncio.gather(tenant.close(), control.close())

    asyncio.run(ask())


def test_a_tenant_whose_name_is_no_subject_asks_as_well(guarded: NatsServer) -> None:
    async def ask() -> None:
        refusals: list[str] = []
        tenant, control = await plain(guarded, "globex", refusals), await as_user(guarded, "control")
        acknowledged = await tenant.jetstream().publish(subjects.request("Globex Inc."), b"a request", timeout=5)
        assert acknowledged.stream == "REQUESTS"
        (delivery,) = await control.fetch(subjects.REQUEST_CONSUMER, 1, 5.0)
        assert delivery.message.subject == subjects.request("Globex Inc.")
        await delivery.ack()
        await asyncio.gather(tenant.close(), control.close())

    asyncio.run(ask())


def test_the_answer_to_a_tenants_request_is_a_way_to_no_stream_and_to_no_state(guarded: NatsServer) -> None:
    """Who publishes names the subject of the answer, and the server lets it name any."""
    streams = [
        subjects.done("ev3", Stage.SCORE, "x"),
        subjects.task(Stage.SCORE, "ev3", "x"),
        subjects.event("ev3", "completed"),
        subjects.dead("ev3", Stage.SCORE, "x"),
        subjects.request("globex"),
    ]

    async def ask() -> None:
        tenant, control = await plain(guarded, "acme", []), await as_user(guarded, "control")
        for elsewhere in (*streams, f"$KV.{subjects.STATES_BUCKET}.ev3"):
            await tenant.publish(subjects.request("acme"), b"{}", reply=elsewhere)
            # Its own answer comes after whatever the one before has led to.
            await tenant.request(subjects.request("acme"), b"{}", timeout=5)
        assert [await control.last(subject) for subject in streams] == [None] * len(streams)
        assert await control.kv_get(subjects.STATES_BUCKET, "ev3") is None
        for _ in range(2 * len(streams) + 2):
            (delivery,) = await control.fetch(subjects.REQUEST_CONSUMER, 1, 5.0)
            await delivery.ack()
        await asyncio.gather(tenant.close(), control.close())

    asyncio.run(ask())


def test_the_example_works_for_a_user_who_may_only_ask(guarded: NatsServer, tmp_path: Path) -> None:
    (tmp_path / "request.json").write_text('{"name": "x", "tenant": "acme", "idempotencyKey": "k"}')
    command = [sys.executable, str(ROOT / "examples/integration/bus_request.py"), "request.json"]
    given = {"NATS_URL": guarded.url, "NATS_USER": "acme", "NATS_PASSWORD": "word-acme", "PATH": os.environ["PATH"]}

    done = subprocess.run(command, cwd=tmp_path, env=given, capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == evaluation_id("acme", "k")
    assert "follow it over gRPC" in done.stderr


def test_who_follows_reads_all_events_from_the_first_and_changes_nothing(guarded: NatsServer) -> None:
    async def follow() -> None:
        refusals: list[str] = []
        watcher, control = await plain(guarded, "watcher", refusals), await as_user(guarded, "control")
        for kind in ("accepted", "completed"):
            await control.publish(subjects.event("ev4", kind), kind.encode())
        events = await watcher.jetstream().subscribe("bakeoff.v1.event.ev4.*", ordered_consumer=True)
        assert [(await events.next_msg(5)).data for _ in range(2)] == [b"accepted", b"completed"]
        assert refusals == []
        await watcher.publish(subjects.event("ev4", "failed"), b"forged")
        assert "permissions violation" in await told(refusals)
        await asyncio.gather(watcher.close(), control.close())

    asyncio.run(follow())


FORBIDDEN = [
    ("acme", "bakeoff.v1.request.globex"),
    ("acme", "bakeoff.v1.done.ev.score.x"),
    ("acme", "bakeoff.v1.task.score.ev.x"),
    ("acme", "$JS.API.STREAM.LIST"),
    ("acme", "$JS.API.DIRECT.GET.EVENTS"),
    ("acme", "$KV.bakeoff_evaluations.ev"),
    ("scoring", "bakeoff.v1.done.ev.infer.x"),
    ("scoring", "bakeoff.v1.task.score.ev.x"),
    ("scoring", "bakeoff.v1.request.acme"),
    ("scoring", "bakeoff.v1.event.ev.completed"),
    ("scoring", "$KV.bakeoff_evaluations.ev"),
    ("scoring", "$KV.bakeoff_components.control"),
    ("scoring", "$JS.API.CONSUMER.MSG.NEXT.TASKS.stage-infer"),
    ("scoring", "$JS.API.STREAM.CREATE.MINE"),
    ("scoring", "$JS.API.STREAM.DELETE.TASKS"),
    ("ingestion", "$KV.bakeoff_limits.any"),
    ("reporting", "$KV.bakeoff_claims.any"),
    ("control", "$JS.API.CONSUMER.MSG.NEXT.TASKS.stage-score"),
    ("control", "$JS.API.STREAM.DELETE.TASKS"),
    ("control", "bakeoff.v1.request.acme"),
]


@pytest.mark.parametrize(("user", "subject"), FORBIDDEN)
def test_what_a_user_does_not_need_is_refused(guarded: NatsServer, user: str, subject: str) -> None:
    async def publish() -> str:
        refusals: list[str] = []
        client = await plain(guarded, user, refusals)
        with suppress(NatsTimeout):
            await client.request(subject, b"{}", timeout=0.3)
        words = await told(refusals)
        await client.close()
        return words

    assert f'permissions violation for publish to "{subject.lower()}"' in asyncio.run(publish())


@pytest.mark.parametrize("subject", ["_INBOX.>", "_INBOX.control.>", "bakeoff.v1.>", "bakeoff.v1.event.*.*", "$KV.>"])
def test_nobody_listens_to_others(guarded: NatsServer, subject: str) -> None:
    async def listen() -> str:
        refusals: list[str] = []
        client = await plain(guarded, "acme", refusals)
        await client.subscribe(subject)
        words = await told(refusals)
        await client.close()
        return words

    assert "permissions violation for subscription" in asyncio.run(listen())


def test_a_worker_waits_for_streams_that_control_has_not_made(tmp_path: Path) -> None:
    async def early(server: NatsServer) -> None:
        worker = await as_user(server, "scoring")
        with pytest.raises(OutOfReachError, match=r"no REQUESTS, .*yet; the control service makes them"):
            await worker.ensure(subjects.STREAMS, subjects.consumers(5.0), subjects.BUCKETS)
        await make_streams(server)
        await worker.ensure(subjects.STREAMS, subjects.consumers(5.0), subjects.BUCKETS)
        await worker.close()

    with NatsServer(tmp_path / "nats", authorization=config_of(USERS, OUTSIDERS)) as server:
        asyncio.run(early(server))


def test_the_bus_over_tls_believes_its_authority_alone(tmp_path: Path) -> None:
    authority = an_authority(tmp_path)
    own = vouched_for(tmp_path, "bus", authority)
    tls = f'tls {{ cert_file: "{own.certificate}", key_file: "{own.key}" }}'

    async def talk(url: str, token: str) -> None:
        bus = await NatsBus.connect(url, token, authorities=str(authority.certificate), patience_s=5)
        await bus.ensure(subjects.STREAMS, (), ())
        await bus.publish(subjects.event("ev", "accepted"), b"event")
        assert (await bus.last(subjects.event("ev", "accepted"))) is not None
        await bus.close()

    with NatsServer(tmp_path / "nats", tls=tls) as server:
        assert server.url.startswith("tls://")
        asyncio.run(talk(server.url, server.token))
        with pytest.raises(OutOfReachError, match="certificate verify failed"):
            asyncio.run(NatsBus.connect(server.url, server.token, patience_s=2))
        with pytest.raises(InvalidInputError, match="BAKEOFF_NATS_CA"):
            asyncio.run(NatsBus.connect(server.url, server.token, authorities="/nowhere.pem"))

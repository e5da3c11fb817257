"""What kills its process fails alone, with its reason, and no neighbour is blamed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.work import PrepareTask, Task
from bakeoff.runtime.isolation import ChildIsolation, ItemKilledError
from bakeoff.runtime.items import Result
from bakeoff.runtime.nats_server import NatsServer
from bakeoff.runtime.s3_server import S3Server
from bakeoff.runtime.settings import Settings
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    folder = tmp_path_factory.mktemp("servers")
    with NatsServer(folder / "nats") as nats, S3Server(folder / "s3") as s3:
        yield Settings(
            nats_url=nats.url,
            nats_token=nats.token,
            s3_endpoint=s3.endpoint,
            s3_access_key=s3.access_key,
            s3_secret_key=s3.secret_key,
        )


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def run_alone(settings: Settings, cases: str) -> Result:
    choice = BenchmarkChoice(ComponentSpec("none"), name=cases)
    task = Task("ev-1", "t", Stage.PREPARE, "b0", PrepareTask(choice))
    return asyncio.run(ChildIsolation(settings).run("tests.integration.troubled_service", task))


def test_an_item_without_trouble_gives_its_result_from_a_child(settings: Settings) -> None:
    result = run_alone(settings, "one two")
    assert json.loads(result.data) == {"one": "done", "two": "done"}
    assert result.counts == {"isolated": 1}


def test_cases_that_kill_are_failed_one_by_one_and_their_neighbours_are_not(settings: Settings) -> None:
    ended = json.loads(run_alone(settings, "one killer two leaver three").data)
    assert ended == {
        "one": "done",
        "killer": "the case killed the process that worked on it (signal SIGKILL)",
        "two": "done",
        "leaver": "the case killed the process that worked on it (exit status 3)",
        "three": "done",
    }


def test_an_item_that_kills_outside_of_any_case_fails_as_a_whole(settings: Settings) -> None:
    with pytest.raises(ItemKilledError, match="SIGKILL"):
        run_alone(settings, "killer-outside one")


def test_a_case_that_takes_a_peer_down_again_and_again_is_failed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bakeoff.runtime.isolation.delay_s", lambda attempt: 0.0)
    ended = json.loads(run_alone(settings, "one downer two").data)
    assert ended["one"] == ended["two"] == "done"
    assert "took down the service" in ended["downer"]


def test_what_the_handler_raises_comes_back_as_what_it_was(settings: Settings) -> None:
    with pytest.raises(InvalidInputError, match="row 7 is empty"):
        run_alone(settings, "refuser")


def test_secrets_are_in_no_argument_and_no_environment_of_the_child(settings: Settings) -> None:
    seen: list[str] = []

    async def watch() -> None:
        choice = BenchmarkChoice(ComponentSpec("none"), name="one")
        task = Task("ev-1", "t", Stage.PREPARE, "b0", PrepareTask(choice))
        running = asyncio.create_task(ChildIsolation(settings).run("tests.integration.troubled_service", task))
        while not running.done():
            seen.extend(await asyncio.to_thread(what_others_may_read))
            await asyncio.sleep(0.02)
        await running

    asyncio.run(watch())
    assert seen
    assert not any(settings.s3_secret_key in text or settings.nats_token in text for text in seen)


def what_others_may_read() -> list[str]:
    """Return arguments and environment of each isolation child that runs now."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (folder / "cmdline").read_bytes()
            if b"bakeoff.runtime.child" in arguments:
                found.append((arguments + (folder / "environ").read_bytes()).decode(errors="replace"))
        except OSError:
            continue
    return found

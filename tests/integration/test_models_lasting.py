"""Models that stay open between the batches of several threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from bakeoff.domain.answer import Failure
from bakeoff.domain.errors import CancelledItemError
from bakeoff.domain.prompt import Completion, Prompt
from bakeoff.models import lasting
from bakeoff.models.access import ModelAccess
from bakeoff.models.asking import ModelRequest
from bakeoff.models.choice import ModelChoice
from bakeoff.models.model_settings import Bounds, ModelSettings
from bakeoff.runtime.settings import Settings
from tests.integration.scripted_endpoint import ScriptedEndpoint, refuses, says

SWIFT = Bounds(start_at_once=64, start_per_s=5000)


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(says("yes", delay_s=0.05)) as endpoint:
        yield endpoint


def a_choice(endpoint: ScriptedEndpoint, key: str = "", **changes: Any) -> ModelChoice:
    return ModelChoice(ModelSettings(endpoint.base_url, "m", stream=False, **{"bounds": SWIFT, **changes}), key)


def requests(name: str, count: int = 20) -> list[ModelRequest]:
    return [ModelRequest(Prompt(text=f"{name} {number}")) for number in range(count)]


def wait_for(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_threads_that_ask_the_same_model_get_each_its_own_answers(endpoint: ScriptedEndpoint) -> None:
    models, choice = ModelAccess(Settings()), a_choice(endpoint)

    def asked(name: str) -> dict[int, Any]:
        found: dict[int, Completion | Failure] = {}
        models.open_lasting(choice).ask_all(requests(name), found.__setitem__)
        return found

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(asked, "abcd"))

    assert [sorted(found) for found in answers] == [list(range(20))] * 4
    assert all(outcome.text == "yes" for found in answers for outcome in found.values())
    assert sorted(seen.body["messages"][0]["content"] for seen in endpoint.seen) == sorted(
        request.prompt.text for name in "abcd" for request in requests(name)
    )


def test_all_batches_together_keep_to_what_may_be_in_flight(endpoint: ScriptedEndpoint) -> None:
    models = ModelAccess(Settings())
    choice = a_choice(endpoint, bounds=Bounds(most_at_once=5, start_per_s=5000))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: models.open_lasting(choice).ask_all(requests(n), lambda *_: None), "abcd"))

    assert endpoint.most_in_flight == 5


def test_a_batch_waits_for_others_only_while_the_model_has_room(endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = says("yes", delay_s=0.2)
    models = ModelAccess(Settings())
    choice = a_choice(endpoint, bounds=Bounds(most_at_once=4, start_per_s=5000))
    room_for: list[int] = []
    model = models.open_lasting(choice)

    @contextmanager
    def waiting() -> Iterator[None]:
        room_for.append(model._open)
        yield
        room_for.append(-1)

    model.ask_all(requests("many", 16), lambda *_: None, waiting=waiting)

    assert len(room_for) == 2
    assert 0 < room_for[0] < lasting.PLENTY * 4
    assert room_for[1] == -1


def test_what_the_listener_raises_ends_the_asking(endpoint: ScriptedEndpoint) -> None:
    def refuse(number: int, outcome: Completion | Failure) -> None:
        raise CancelledItemError("enough")

    model = ModelAccess(Settings()).open_lasting(a_choice(endpoint, bounds=Bounds(most_at_once=2)))
    with pytest.raises(CancelledItemError):
        model.ask_all(requests("many", 500), refuse)
    wait_for(lambda: model._open == 0)
    assert len(endpoint.seen) < 250


def test_a_model_that_nobody_asks_is_closed_and_opens_again(
    endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasting, "IDLE_S", 0.05)
    models, choice = ModelAccess(Settings()), a_choice(endpoint)
    first = models.open_lasting(choice)
    first.ask_all(requests("a"), lambda *_: None)
    wait_for(lambda: models.open_lasting(choice) is not first)

    found: dict[int, Any] = {}
    first.ask_all(requests("b"), found.__setitem__)  # by who had it before it was closed

    assert len(found) == 20


def test_a_key_that_was_refused_is_read_anew(endpoint: ScriptedEndpoint, tmp_path: Any) -> None:
    (tmp_path / "house").write_text("old")
    models, choice = ModelAccess(Settings(keys_dir=str(tmp_path))), a_choice(endpoint, "house")
    endpoint.otherwise = refuses(401)
    found: dict[int, Any] = {}
    models.open_lasting(choice).ask_all(requests("a", 3), found.__setitem__)
    assert all(isinstance(outcome, Failure) for outcome in found.values())

    endpoint.otherwise = says("yes")
    (tmp_path / "house").write_text("new")
    models.open_lasting(choice).ask_all(requests("a", 3), found.__setitem__)

    assert all(isinstance(outcome, Completion) for outcome in found.values())
    assert endpoint.seen[-1].headers["Authorization"] == "Bearer new"


def test_the_loop_of_the_models_is_no_thread_that_keeps_the_process(endpoint: ScriptedEndpoint) -> None:
    ModelAccess(Settings()).open_lasting(a_choice(endpoint)).ask_all(requests("a", 1), lambda *_: None)
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "models")

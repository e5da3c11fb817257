"""Agents behind the agent protocol."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bakeoff.domain.answer import CaseAnswer, FailureKind
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.inference import generation
from bakeoff.inference.core import Answering, NoKnowledge, answer_cases
from bakeoff.inference.registries import generators
from tests.e2e.scripted_agent import AgentServer, an_agent_server
from tests.unit.inference.agents.test_agent_command import a_case

generators.load()


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch) -> Iterator[AgentServer]:
    monkeypatch.setattr(generation, "RETRY_AFTER_S", (0.0, 0.0, 0.0))
    with an_agent_server() as agent:
        yield agent


def ask(base_url: str, task: str, files: dict[str, bytes] | None = None, **settings: object) -> CaseAnswer:
    generator = generators.make(ComponentSpec("agent_http", {"base_url": base_url, **settings}))
    answering = Answering(generator, seed=0)  # type: ignore[arg-type]  # it is no model
    case = a_case(files, query=task)
    (answer,) = answer_cases([case], NoKnowledge(), answering, begin=lambda case_id="": None)
    return answer


@pytest.mark.parametrize("pages", [True, False])
def test_files_go_there_and_come_back_and_each_line_is_a_step(agent: AgentServer, pages: bool) -> None:
    agent.pages = pages
    given = {"a.txt": b"\xffin", "deep/er/b.txt": b"deep"}
    answer = ask(agent.base_url, "Copy deep/er/b.txt to out/c.txt\nWrite Ü to d.txt\nSay hello", given)
    assert answer.failure is None
    assert answer.text == "done: Say hello"
    assert answer.metadata["agent"] == {"end": "finished", "steps": 3, "cost": 0.25}
    assert answer.metadata["files"] == {
        "a.txt": {"base64": "/2lu"},
        "d.txt": "Ü",
        "deep/er/b.txt": "deep",
        "out/c.txt": "deep",
    }
    (task,) = agent.tasks.values()
    assert task.uploaded == ["a.txt", "deep/er/b.txt"]
    assert agent.requests == {"task": 1, "upload": 2, "step": 3, "list": 2 if pages else 1, "fetch": 4}


def test_an_agent_that_takes_no_task_now_is_asked_again(agent: AgentServer) -> None:
    agent.busy = 2
    assert ask(agent.base_url, "Say a").text == "done: Say a"
    assert agent.requests["task"] == 3


def test_a_step_that_fails_fails_the_case_and_is_not_paid_for_twice(agent: AgentServer) -> None:
    answer = ask(agent.base_url, "Say a\nCrash\nSay b")
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.MODEL
    assert "said 500" in answer.failure.reason
    assert "told to crash" in answer.failure.reason
    assert (agent.requests["task"], agent.requests["step"]) == (1, 2)


def test_an_agent_that_never_ends_is_left_after_its_steps(agent: AgentServer) -> None:
    answer = ask(agent.base_url, "Write a to a.txt\nSay b\nSay c", steps=2)
    assert answer.metadata["agent"] == {
        "end": "error",
        "steps": 2,
        "cost": 0.25,
        "reason": "none of its 2 steps was the last",
    }
    assert answer.metadata["files"] == {"a.txt": "a"}


def test_an_agent_whose_time_is_up_has_timed_out(agent: AgentServer) -> None:
    answer = ask(agent.base_url, "Sleep", time_limit_s=1)
    assert answer.failure is None
    assert answer.metadata["agent"] == {"end": "timed_out", "reason": "it used up its 1 s"}


def test_an_agent_that_is_not_there_fails_the_case(agent: AgentServer) -> None:
    answer = ask("http://127.0.0.1:9/ap/v1", "Say a")
    assert answer.failure is not None
    assert "cannot be reached" in answer.failure.reason


def test_a_trial_run_asks_nobody(agent: AgentServer) -> None:
    assert ask(agent.base_url, "Say a", mock=True).failure is None
    assert not agent.requests


@pytest.mark.parametrize("address", ["ftp://a/b", "127.0.0.1:8000", "http://"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InvalidInputError, match=r"base_url: must be an http\(s\) address without a user"):
        generators.make(ComponentSpec("agent_http", {"base_url": address}))


def test_an_address_with_a_password_is_refused_and_not_repeated() -> None:
    with pytest.raises(InvalidInputError, match="base_url: is an address with a user or a password") as refusal:
        generators.make(ComponentSpec("agent_http", {"base_url": "http://me:secret@a/ap/v1"}))
    assert "secret" not in str(refusal.value)

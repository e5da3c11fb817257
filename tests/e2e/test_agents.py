"""Agents as entrants: challenges through every service, by command and over HTTP, and what agbenchmark would report."""

from __future__ import annotations

import json
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import scripted_agent
from tests.e2e.challenge_files import BY_AGENT, write_challenges
from tests.e2e.command import Ended, run
from tests.e2e.scripted_agent import AgentServer, an_agent_server

PERMITTED = {"BAKEOFF_AGENT_COMMANDS": "true", "BAKEOFF_UNCONFINED_CODE": "true"}
COMMAND = f'agent_command: {{agent: {scripted_agent.__file__}, command: [{sys.executable}, "{{agent}}"]}}'
Report = dict[str, Any]


@pytest.fixture(scope="module")
def agent() -> Iterator[AgentServer]:
    with an_agent_server() as agent:
        yield agent


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("agents")
    write_challenges(place / "challenges")
    return place


def evaluate(place: Path, name: str, adapter: str, generators: dict[str, str], more: str = "") -> Ended:
    recipes = "".join(f"  - name: {recipe}\n    answer:\n      {spec}\n" for recipe, spec in generators.items())
    (place / f"{name}.yaml").write_text(
        f"name: {name}\nbenchmarks:\n  - agent_challenges: {adapter}\nrecipes:\n{recipes}{more}"
    )
    return run(["run", f"{name}.yaml", "--dir", "platform", "--out", name, "--json"], place, PERMITTED)


def reports(folder: Path) -> dict[str, Report]:
    """Return agbenchmark's files by name, from the benchmark's folder on."""
    with zipfile.ZipFile(folder / "agbenchmark.zip") as archive:
        return {name.partition("/")[2]: json.loads(archive.read(name)) for name in archive.namelist()}


def metric(folder: Path, recipe: str, name: str) -> Report:
    report = json.loads((folder / "report.json").read_text())
    (entrant,) = [each for each in report["entrants"] if each["recipe"] == recipe]
    (found,) = [each for each in entrant["metrics"] if each["metric"] == name]
    return dict(found)


def test_a_command_and_an_agent_over_http_end_alike_and_the_report_says_how(place: Path, agent: AgentServer) -> None:
    over_http = f"agent_http: {{base_url: {agent.base_url}}}"
    evaluate(place, "both", "{path: challenges}", {"command": COMMAND, "http": over_http}).finished  # noqa: B018

    found = reports(place / "both")
    for recipe in ("command", "http"):
        report = found[f"{recipe}/direct/report.json"]
        tests = report["tests"]
        assert {name: test["state"] for name, test in tests.items()} == BY_AGENT
        assert {name for name, test in tests.items() if test["metrics"]["success_%"] == 100.0} == {
            "ReadFile",
            "TestWriteFile",
            "TestTwoSum",
        }
        assert (tests["TestWrong"]["score"], tests["TestTwoSum"]["score"]) == (0.5, 1.0)
        assert tests["TestWrong"]["results"][0]["fail_reason"] == "the words 'yes' are not there"
        assert tests["TestAfterWrong"]["results"][0]["own_success"] is True
        assert tests["TestAfterWrong"]["blocked_by"] == ["code/wrong"]
        assert tests["TestOrphan"]["missing"] == ["TestNowhere"]
        assert "told to crash" in tests["TestCrash"]["results"][0]["fail_reason"]
        told = report["metrics"]
        assert told["states"] == {"passed": 3, "failed": 2, "skipped": 1, "blocked": 1, "missing": 1}
        assert (told["highest_difficulty"], told["highest_level"]) == ("advanced: 5", 5)
        assert told["success"] == 3 / 7
        assert told["score"] == (3 + 0.5) / 7
        assert told["run_time"] == f"{told['run_time_s']:.3f} seconds"
        assert set(found[f"{recipe}/direct/regression_tests.json"]) == {"ReadFile", "TestWriteFile", "TestTwoSum"}
        # By itself, each case counts: 5 of 8 are as asked for, one is for a model to judge.
        assert (
            metric(place / "both", recipe, "ground")["planned"],
            metric(place / "both", recipe, "ground")["mean"],
        ) == (
            8,
            5 / 7,
        )
    steps = found["http/direct/report.json"]["tests"]["ReadFile"]["results"][0]
    assert (steps["n_steps"], steps["cost"]) == (2, 0.25)
    assert found["command/direct/report.json"]["tests"]["ReadFile"]["results"][0]["n_steps"] is None

    asked = agent.requests.copy()
    again = evaluate(place, "both", "{path: challenges}", {"command": COMMAND, "http": over_http})
    assert again.finished["files"]
    assert agent.requests == asked  # what is done is not done again


def test_a_run_restricted_to_regressions_flags_the_one_that_fails(place: Path) -> None:
    (place / "passed.json").write_text(json.dumps({"TestWriteFile": {}, "TestWrong": {}}))
    adapter = "{path: challenges, regressions: passed.json, which: regressions}"
    evaluate(place, "kept", adapter, {"command": COMMAND}).finished  # noqa: B018

    report = reports(place / "kept")["command/direct/report.json"]
    assert Counter(test["state"] for test in report["tests"].values()) == {"passed": 1, "failed": 1, "skipped": 6}
    assert report["metrics"]["regressions"] == {"listed": 2, "failed": ["TestWrong"]}
    assert report["tests"]["TestWrong"]["regressed"] is True
    assert report["tests"]["TestTwoSum"]["results"] == []
    kept = metric(place / "kept", "command", "ground_kept")
    assert (kept["planned"], kept["scored"], kept["not_applicable"], kept["mean"]) == (8, 2, 6, 0.5)
    assert set(reports(place / "kept")["command/direct/regression_tests.json"]) == {"TestWriteFile"}


def test_a_trial_run_acts_by_registered_names_and_by_the_solutions_files(place: Path) -> None:
    trial = COMMAND.replace("{agent:", "{mock: true, agent:")
    evaluate(place, "trial", "{path: challenges}", {"trial": trial}).finished  # noqa: B018

    tests = reports(place / "trial")["trial/direct/report.json"]["tests"]
    states = {name: test["state"] for name, test in tests.items()}
    assert states == BY_AGENT | {"TestWrong": "passed", "TestAfterWrong": "passed"}


def test_the_report_is_the_same_whatever_the_batches(place: Path) -> None:
    filters = "{path: challenges, skip_category: [hard], reverse_order: true}"
    found: list[list[tuple[str, str, float]]] = []
    for size in (1, 100):
        ended = evaluate(place, f"by-{size}", filters, {"command": COMMAND}, f"options: {{batch_cases: {size}}}\n")
        tests = reports(place / f"by-{size}")["command/direct/report.json"]["tests"]
        found.append([(name, test["state"], test["score"]) for name, test in tests.items()])
        assert ended.finished["failed_cases"] == 0
    assert found[0] == found[1]


def test_a_report_of_challenges_is_exported_and_others_have_none(place: Path) -> None:
    exported = run(["report", "both", "--export", "agbenchmark", "--out", "taken.zip"], place)
    assert (exported.code, zipfile.is_zipfile(place / "taken.zip")) == (0, True)
    (place / "rows.jsonl").write_text('{"question": "Why?", "target": "so"}\n')
    (place / "rows.yaml").write_text(
        "name: rows\nbenchmarks:\n"
        "  - rows: {path: rows.jsonl, eval_type: key2_qa, keys: {question: question, target: target}}\n"
        "recipes:\n  - name: x\n    answer: {extractive: {}}\n"
    )
    ended = run(["run", "rows.yaml", "--dir", "platform", "--out", "rows", "--json"], place, PERMITTED)
    assert ended.finished
    assert not (place / "rows" / "agbenchmark.zip").exists()


def test_commands_are_refused_before_anything_is_run_where_nobody_permits_them(place: Path) -> None:
    (place / "no.yaml").write_text(
        "name: no\nbenchmarks:\n  - agent_challenges: {path: challenges}\n"
        f"recipes:\n  - name: a\n    answer:\n      {COMMAND}\n"
    )
    ended = run(["run", "no.yaml", "--dir", "platform"], place)
    assert ended.code != 0
    assert "no.yaml:7: recipes[0].answer.agent_command: agent_command is refused" in ended.err
    assert "BAKEOFF_AGENT_COMMANDS=true" in ended.err


@pytest.mark.data
@pytest.mark.parametrize(
    ("folder", "states"),
    [
        # This copy of the challenges has no Python files: what is judged by them fails, and blocks what waits for it.
        ("benchmark", {"passed": 29, "failed": 7, "skipped": 2, "blocked": 16, "missing": 2}),
        ("legacy", {"passed": 18, "failed": 4, "skipped": 1, "blocked": 11, "missing": 0}),
    ],
)
def test_the_published_challenges_run_with_their_stand_ins(
    place: Path, data_dir: Path, folder: str, states: dict[str, int]
) -> None:
    trial = COMMAND.replace("{agent:", "{mock: true, agent:")
    adapter = f"{{path: {data_dir / 'agbenchmark' / folder}}}"
    assert evaluate(place, folder, adapter, {"trial": trial}).finished["failed_cases"] == (folder == "benchmark")

    report = reports(place / folder)["trial/direct/report.json"]
    assert report["metrics"]["states"] == states
    assert len(report["tests"]) == sum(states.values())
    reasons = [test["results"][0]["fail_reason"] for test in report["tests"].values() if test["state"] == "failed"]
    assert {reason.partition(";")[0] for reason in reasons} <= {"no file 'test.py'", "no file 'output.txt'"}

"""Challenges as agbenchmark reports them, from made-up answers of an agent."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from typing import Any

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind, Timing
from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.challenge import ChallengeFacts
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.gather import gather
from bakeoff.reporting.material import Finished
from bakeoff.reporting.renderers.agbenchmark import AgbenchmarkRenderer
from tests.builders import a_case, a_recipe, a_request
from tests.builders.evaluated import evaluate


def a_challenge(name: str, *needs: str, folder: str = "", **facts: Any) -> Case:
    known = ChallengeFacts(name, ("code",), needs, **{"difficulty": "basic", **facts})
    ground = {"should_contain": ["yes", "sure"], "files": ["a.txt"], "answer": "Say yes."}
    metadata: dict[str, object] = {"challenge": known.as_metadata()}
    return Case(folder or name, f"Do {name}", Expected(metadata={"ground": ground}), metadata=metadata)


CASES = [
    a_challenge("Passed", difficulty="novice", regression=True),
    a_challenge("Half", "Passed", difficulty="human", regression=True, suite="TestSuite"),
    a_challenge("Blocked", "Half", regression=True),
    a_challenge("Skipped", regression=True, left_out="`skip` names it"),
    a_challenge("Missing", missing=("TestNowhere",)),
    a_challenge("Late", difficulty="very odd", suite="TestSuite"),
    a_challenge("Broken"),
    a_challenge("Twin", folder="old/twin"),
    a_challenge("Twin", folder="new/twin"),
]


def says(entrant: str, case: Case) -> CaseAnswer:
    if case.case_id == "Broken":
        return CaseAnswer(case.case_id, failure=Failure(FailureKind.MODEL, "no key"))
    end = "timed_out" if case.case_id == "Late" else "finished"
    words = "yes" if case.case_id == "Half" else "yes, sure"
    agent = {"end": end, "steps": 3, "cost": 0.5}
    return CaseAnswer(
        case.case_id, text="", timing=Timing(generate_ms=1500.0), metadata={"files": {"a.txt": words}, "agent": agent}
    )


def rendered(cases: list[Case] = CASES, *, methods: tuple[str, ...] = ("ground(regressions=true)",)) -> dict[str, Any]:
    recipe = replace(a_recipe("bot"), query=a_recipe("bot").query[:1])
    found = evaluate(a_request(recipes=(recipe,)), cases, says, methods=methods)
    material = gather(found.plan, found.context)
    file = AgbenchmarkRenderer().render(Finished(assemble(material), material))
    if file is None:
        return {}
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        return {name.rpartition("/")[2]: json.loads(archive.read(name)) for name in archive.namelist()}


def test_every_challenge_has_its_state_and_none_is_lost() -> None:
    tests = rendered()["report.json"]["tests"]
    assert {name: test["state"] for name, test in tests.items()} == {
        "Passed": "passed",
        "Half": "failed",
        "Blocked": "blocked",
        "Skipped": "skipped",
        "Missing": "missing",
        "Late": "failed",
        "Broken": "failed",
        "Twin (old/twin)": "passed",
        "Twin (new/twin)": "passed",
    }


def test_a_test_has_the_fields_of_the_benchmark_and_numbers_beside_its_words() -> None:
    test = rendered()["report.json"]["tests"]["Half"]
    assert test == {
        "category": ["code"],
        "difficulty": "human",
        "level": 7,
        "data_path": "Half",
        "description": "",
        "task": "Do Half",
        "answer": "Say yes.",
        "state": "failed",
        "score": 0.5,
        "blocked_by": [],
        "missing": [],
        "regressed": True,
        "metrics": {"attempted": True, "is_regression": True, "success_%": 0.0},
        "results": [
            {
                "success": False,
                "own_success": False,
                "run_time": "1.500 seconds",
                "run_time_s": 1.5,
                "fail_reason": "the words 'sure' are not there",
                "reached_cutoff": False,
                "n_steps": 3,
                "steps": [],
                "cost": 0.5,
            }
        ],
    }


def test_what_did_not_count_says_why() -> None:
    tests = rendered()["report.json"]["tests"]
    assert tests["Skipped"]["results"] == []
    reasons = {name: test["results"][0]["fail_reason"] for name, test in tests.items() if test["results"]}
    assert reasons == {
        "Passed": None,
        "Half": "the words 'sure' are not there",
        "Blocked": "it waits for Half, which did not pass",
        "Missing": "it waits for TestNowhere, which is not there",
        "Late": "the agent used up its time",
        "Broken": "no key",
        "Twin (old/twin)": None,
        "Twin (new/twin)": None,
    }
    assert tests["Late"]["results"][0]["reached_cutoff"] is True
    assert tests["Blocked"]["results"][0]["own_success"] is True


def test_the_whole_counts_all_that_were_judged() -> None:
    told = rendered()["report.json"]["metrics"]
    assert told["states"] == {"passed": 3, "failed": 3, "skipped": 1, "blocked": 1, "missing": 1}
    assert told["success"] == 3 / 8
    assert told["score"] == (3 + 0.5) / 8  # a half for Half, nothing for what does not count
    assert (told["highest_difficulty"], told["highest_level"]) == ("novice: 3", 3)
    assert told["total_cost"] == 7 * 0.5
    assert told["by_difficulty"]["basic"] == {"tests": 5, "passed": 2, "percentage": 40.0}
    assert told["by_category"] == {"code": {"tests": 8, "passed": 3, "percentage": 37.5}}
    assert told["suites"] == {"TestSuite": {"tests": 2, "passed": 0, "percentage": 0.0, "success": False}}


def test_regressions_that_fail_are_named_and_leave_the_list_and_the_undecided_stay() -> None:
    files = rendered()
    assert files["report.json"]["metrics"]["regressions"] == {"listed": 4, "failed": ["Half", "Blocked"]}
    assert set(files["regression_tests.json"]) == {"Passed", "Blocked", "Skipped", "old/twin", "new/twin"}


def test_no_successful_test_has_no_level() -> None:
    told = rendered([a_challenge("Broken"), a_challenge("Missing", missing=("TestNowhere",))])["report.json"]["metrics"]
    assert (told["highest_difficulty"], told["highest_level"], told["success"]) == ("No successful tests", None, 0.0)


def test_an_evaluation_without_challenges_or_without_their_verdicts_has_no_such_file() -> None:
    assert rendered([a_case("c1")], methods=("exact_match",)) == {}
    assert rendered(CASES, methods=("exact_match",)) == {}


def test_the_same_report_is_the_same_bytes() -> None:
    assert rendered() == rendered()

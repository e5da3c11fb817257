"""One answer held against the ground truth of its challenge, whichever way that judges."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.benchmark import Json
from bakeoff.domain.challenge import GroundKind
from bakeoff.domain.workspace_files import FILES, WORKSPACE, matching, unpack_files
from bakeoff.scoring.evaluator import AnsweredCase
from bakeoff.scoring.ground_programs import NoTestRunnerError, files_of_tests, run_file, run_tests, workspace_under_test
from bakeoff.scoring.ground_rules import GroundFindings, GroundRules, check, hold, rules_of
from bakeoff.scoring.sandbox import Limits, Run, RunEnd, SandboxRefusedError

TIMED_OUT = "timed_out"
TIMES = re.compile(r" in \d+\.\d+s")
"""What pytest says of its time: the same answer gives the same details."""
SHOWN_OUTPUT = 2000
"""Characters of what a program printed that a reader sees."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of an answer."""

    passed: bool
    share: float
    """In [0, 1]."""
    details: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Why nothing came of it."""

    failure: Failure | None = None
    """None when the metric does not apply."""
    reason: str = ""


def judge(each: AnsweredCase, limits: Limits) -> Judged | Unjudged:
    """Hold an answer against its case's ground truth.

    Raises:
        InvalidInputError: the ground truth or the files cannot be read.
    """
    rules = rules_of(each.case)
    if rules is None or (rules.kind is GroundKind.FILE and not rules.files and each.answer.text is None):
        return Unjudged(reason="the recipe makes no answers")
    run = each.answer.metadata.get("agent")
    about: Json = {"agent": dict(run)} if isinstance(run, Mapping) else {}
    left = unpack_files(each.answer.metadata.get(FILES, {}), f"case {each.case.case_id!r}")
    if isinstance(run, Mapping) and run.get("end") == TIMED_OUT:
        return Judged(False, 0.0, {**about, "reason": "the agent used up its time"})
    if rules.kind is GroundKind.FILE:
        texts = {path: data.decode(errors="replace") for path, data in left.items()}
        found = check(rules, each.answer.text or "", texts)
        return Judged(found.passed, found.share, {**_told(found), **about})
    try:
        judged = _by_running(each, rules, left, limits)
    except SandboxRefusedError as error:
        return Unjudged(Failure(FailureKind.INFRASTRUCTURE, str(error)))
    except NoTestRunnerError as error:
        return Unjudged(Failure(FailureKind.INFRASTRUCTURE, str(error)))
    if isinstance(judged, Unjudged):
        return judged
    return Judged(judged.passed, judged.share, {**judged.details, **about})


def _by_running(each: AnsweredCase, rules: GroundRules, left: Mapping[str, bytes], limits: Limits) -> Judged | Unjudged:
    brought = each.case.metadata.get(WORKSPACE, {})
    custom = brought.get("custom_python", {}) if isinstance(brought, Mapping) else {}
    own = unpack_files(custom, f"case {each.case.case_id!r}: custom_python")
    if rules.kind is GroundKind.PYTEST:
        tests = files_of_tests(own)
        if not tests:
            reason = "the challenge comes without the tests that decide"
            return Unjudged(Failure(FailureKind.INPUT, reason))
        files = workspace_under_test(left, own)
        return _of_runs(rules, [run_tests(tests, files, limits)], tests)
    files = {**left, **own}
    matched = {entry: matching(entry, sorted(files)) for entry in rules.files}
    absent = tuple(entry for entry, found in matched.items() if not found)
    if absent:
        return Judged(False, 0.0, _told(hold(rules, [], absent)))
    programs = list(dict.fromkeys(path for found in matched.values() for path in found))
    return _of_runs(rules, [run_file(path, files, limits) for path in programs], programs)


def _of_runs(rules: GroundRules, runs: list[Run], programs: list[str]) -> Judged:
    found = hold(rules, [run.stdout for run in runs])
    ended = all(run.end is RunEnd.FINISHED for run in runs)
    details: Json = {
        **_told(found),
        "programs": programs,
        "ends": [run.end.value for run in runs],
        "reasons": [run.reason for run in runs],
        "printed": TIMES.sub("", "".join(run.stdout for run in runs))[-SHOWN_OUTPUT:],
    }
    return Judged(found.passed and ended, found.share if ended else 0.0, details)


def _told(found: GroundFindings) -> Json:
    return {
        "missing": list(found.missing),
        "forbidden": list(found.forbidden),
        "absent_files": list(found.absent_files),
    }

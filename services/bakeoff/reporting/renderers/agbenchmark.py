"""Challenges for agents as agbenchmark reports them: a report and a list of regressions for each entrant, zipped."""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from bakeoff.domain.challenge import ChallengeState
from bakeoff.domain.identity import key_segment
from bakeoff.domain.report import RunFacts
from bakeoff.reporting.challenges import ChallengeResult, ChallengeResults, challenge_results
from bakeoff.reporting.files import AGBENCHMARK_FILE
from bakeoff.reporting.material import BenchmarkMaterial, EntrantMaterial, Finished
from bakeoff.reporting.registries import renderers
from bakeoff.reporting.renderer import RenderedFile

EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of the entries: the same report is the same bytes."""
Json = dict[str, object]


class AgbenchmarkRenderer:
    """Writes `agbenchmark.zip`."""

    def render(self, finished: Finished) -> RenderedFile | None:
        """Return `BENCHMARK/RECIPE/MODE/report.json` and `regression_tests.json` of each; None without challenges."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for benchmark in finished.material.benchmarks:
                for entrant in benchmark.entrants:
                    found = challenge_results(benchmark, entrant)
                    if found is None:
                        continue
                    folder = "/".join(map(key_segment, (benchmark.name, entrant.recipe.name, entrant.mode)))
                    _add(archive, f"{folder}/report.json", report_of(benchmark, entrant, found, finished.report.run))
                    _add(archive, f"{folder}/regression_tests.json", regressions_of(found))
            empty = not archive.namelist()
        return None if empty else RenderedFile(AGBENCHMARK_FILE, "application/zip", buffer.getvalue())


def report_of(benchmark: BenchmarkMaterial, entrant: EntrantMaterial, found: ChallengeResults, run: RunFacts) -> Json:
    """Return a report in agbenchmark's shape; each display string has its number beside it."""
    answer = entrant.recipe.answer
    run_time_s = _seconds_between(run.submitted_at, run.finished_at)
    costs = [cost for each in found.results if isinstance(cost := each.agent.get("cost"), int | float)]
    highest = found.highest
    return {
        "command": str(answer.generator) if answer else "",
        "benchmark_git_commit_sha": benchmark.manifest.fingerprint,
        "agent_git_commit_sha": "",
        "completion_time": run.finished_at,
        "benchmark_start_time": run.submitted_at,
        "metrics": {
            "run_time": _seconds(run_time_s),
            "run_time_s": run_time_s,
            "highest_difficulty": _highest(highest) if highest else "No successful tests",
            "highest_level": highest.facts.level if highest else None,
            "total_cost": math.fsum(costs) if costs else None,
            "states": found.counts,
            "success": found.success,
            "score": found.score,
            "by_difficulty": _groups(found, lambda each: [each.facts.difficulty]),
            "by_category": _groups(found, lambda each: each.facts.categories),
            "suites": _suites(found),
            "regressions": {
                "listed": sum(each.facts.regression for each in found.results),
                "failed": [each.name for each in found.regressed],
            },
        },
        "tests": {each.name: _test(each) for each in found.results},
        "config": {"adapter": str(benchmark.manifest.adapter), "entrant": entrant.name},
    }


def regressions_of(found: ChallengeResults) -> Json:
    """Return the list of regressions for the next time, by name."""
    return {
        # Of several of one name, each is known by its id.
        each.name if each.name == each.facts.name else each.case.case_id: {
            "difficulty": each.facts.difficulty,
            "data_path": each.case.case_id,
        }
        for each in found.next_regressions
    }


def _test(each: ChallengeResult) -> Json:
    ground = each.case.expected.metadata.get("ground")
    attempted = each.state in (ChallengeState.PASSED, ChallengeState.FAILED)
    return {
        "category": list(each.facts.categories),
        "difficulty": each.facts.difficulty,
        "level": each.facts.level,
        "data_path": each.case.case_id,
        "description": each.facts.description,
        "task": each.case.query,
        "answer": ground.get("answer", "") if isinstance(ground, Mapping) else "",
        "state": each.state.value,
        "score": each.score,
        "blocked_by": list(each.blocked_by),
        "missing": list(each.facts.missing),
        "regressed": each.facts.regression and each.state is not ChallengeState.SKIPPED and not each.passed,
        "metrics": {
            "attempted": attempted,
            "is_regression": each.facts.regression,
            "success_%": 100.0 if each.passed else 0.0,
        },
        "results": [] if each.state is ChallengeState.SKIPPED else [_result(each)],
    }


def _result(each: ChallengeResult) -> Json:
    return {
        "success": each.passed,
        "own_success": each.verdict.value == 1.0,
        "run_time": _seconds(each.run_time_s),
        "run_time_s": each.run_time_s,
        "fail_reason": each.reason or None,
        "reached_cutoff": each.agent.get("end") == "timed_out",
        "n_steps": each.agent.get("steps"),
        "steps": [],
        "cost": each.agent.get("cost"),
    }


def _groups(found: ChallengeResults, of: Callable[[ChallengeResult], Iterable[str]]) -> Json:
    groups: dict[str, list[ChallengeResult]] = {}
    for each in found.judged:
        for name in of(each):
            groups.setdefault(name, []).append(each)
    return {name: _summary(members) for name, members in sorted(groups.items())}


def _suites(found: ChallengeResults) -> Json:
    suites: dict[str, list[ChallengeResult]] = {}
    for each in found.judged:
        if each.facts.suite:
            suites.setdefault(each.facts.suite, []).append(each)
    return {
        prefix: {**_summary(members), "success": any(each.passed for each in members)}
        for prefix, members in sorted(suites.items())
    }


def _summary(members: Iterable[ChallengeResult]) -> Json:
    passed = [each.passed for each in members]
    return {"tests": len(passed), "passed": sum(passed), "percentage": 100 * sum(passed) / len(passed)}


def _highest(each: ChallengeResult) -> str:
    return f"{each.facts.difficulty}: {each.facts.level}"


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.3f} seconds"


def _seconds_between(start: str, end: str) -> float | None:
    if not start or not end:
        return None
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def _add(archive: zipfile.ZipFile, name: str, content: Json) -> None:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, json.dumps(content, ensure_ascii=False, indent=2) + "\n")


@renderers.register("agbenchmark")
def agbenchmark() -> AgbenchmarkRenderer:
    """Write what became of challenges for agents in the shape of agbenchmark's reports, as a zip."""
    return AgbenchmarkRenderer()

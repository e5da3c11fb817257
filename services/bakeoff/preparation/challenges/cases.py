"""Challenges as cases, and what is to be known of them before an agent is asked."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.domain.benchmark import Case, Expected, Json
from bakeoff.domain.challenge import KEY, ChallengeFacts, GroundKind
from bakeoff.domain.identity import plain
from bakeoff.domain.workspace_files import WORKSPACE, matching, pack_files
from bakeoff.preparation.challenges.challenge import Challenge
from bakeoff.preparation.challenges.choosing import Choosing
from bakeoff.preparation.challenges.dependencies import Dependencies, short_name
from bakeoff.preparation.findings import Findings


def case_of(challenge: Challenge, dependencies: Dependencies, choosing: Choosing) -> Case:
    """Return a challenge as a case: its task is what is asked, its files travel with it."""
    facts = ChallengeFacts(
        name=challenge.name,
        categories=challenge.categories,
        needs=dependencies.needs[challenge.challenge_id],
        missing=dependencies.missing.get(challenge.challenge_id, ()),
        difficulty=challenge.difficulty,
        description=challenge.description,
        cutoff_s=challenge.cutoff_s,
        mock=challenge.mock,
        eval_id=challenge.eval_id,
        suite=challenge.suite.prefix if challenge.suite else "",
        regression=choosing.is_regression(challenge),
        left_out=choosing.left_out(challenge),
    )
    labels = {"difficulty": challenge.difficulty}
    if challenge.categories:
        labels["category"] = challenge.categories[0]
    metadata: Json = {KEY: facts.as_metadata()}
    if challenge.artifacts:
        metadata[WORKSPACE] = {folder: pack_files(files) for folder, files in challenge.artifacts.items()}
    expected = Expected(metadata={"ground": plain(challenge.ground)})
    return Case(challenge.challenge_id, challenge.task, expected, labels, metadata)


def note_faults(
    challenges: Sequence[Challenge], dependencies: Dependencies, choosing: Choosing, findings: Findings
) -> None:
    """Count what a reader of the numbers must know of the challenges."""
    for challenge_id, names in dependencies.missing.items():
        message = "challenges that wait for one that is not there count as missing, whatever an agent does"
        findings.note("missing_dependency", message, f"{challenge_id}: {', '.join(names)}")
    for challenge_id, names in dependencies.ambiguous.items():
        message = "challenges that wait for one of a name that several have; the first of the nearest is taken"
        findings.note("ambiguous_dependency", message, f"{challenge_id}: {', '.join(names)}")
    names_seen: set[str] = set()
    for challenge in challenges:
        if short_name(challenge.name) in names_seen:
            message = "challenges of a name that another one has are told apart by their folders"
            findings.note("duplicate_challenge_name", message, challenge.challenge_id)
        names_seen.add(short_name(challenge.name))
        if reason := choosing.left_out(challenge):
            findings.note("left_out", "challenges that are not asked, by choice", f"{challenge.challenge_id}: {reason}")
        if challenge.ground.kind is GroundKind.PYTEST and not challenge.artifacts.get("custom_python"):
            message = "challenges that tests decide, and that come without tests, cannot be judged"
            findings.note("no_tests", message, challenge.challenge_id)
        if absent := _absent_programs(challenge):
            message = (
                "programs that decide and do not come with the challenge can pass only where the agent writes them"
            )
            findings.note("absent_program", message, f"{challenge.challenge_id}: {', '.join(absent)}")
    known = {name for each in challenges for name in (short_name(each.name), each.challenge_id)}
    for name in choosing.regressions:
        if name not in known:
            findings.note("unknown_regression", "names on the list of regressions that no challenge has", name)


def _absent_programs(challenge: Challenge) -> list[str]:
    if challenge.ground.kind is not GroundKind.PYTHON:
        return []
    brought = [path for folder in ("artifacts_in", "custom_python") for path in challenge.artifacts.get(folder, {})]
    return [entry for entry in challenge.ground.files if entry.endswith(".py") and not matching(entry, brought)]

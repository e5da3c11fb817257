"""Challenges for agents: folders with a task, what it waits for, and what a solution leaves behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated

from bakeoff.domain.benchmark import (
    BenchmarkDocument,
    BenchmarkManifest,
    BenchmarkResource,
    Case,
    Expected,
    RunUnit,
)
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.identity import plain
from bakeoff.preparation.challenges.challenge import Challenge, GroundKind
from bakeoff.preparation.challenges.dependencies import Dependencies, resolve_dependencies, short_name
from bakeoff.preparation.challenges.reading import ARTIFACTS, CHALLENGE_FILE, SUITE_FILE, read_challenge
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.protocol import WITHOUT_DOCUMENTS, BenchmarkProtocol, PreparedSource, Workspace
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.source_files import check_resource, file_name, find_files, open_resource, resource_of
from bakeoff.runtime.registry import Is

GROUNDS = {
    GroundKind.FILE: "ground",
    GroundKind.PYTHON: "ground_to_run",
    GroundKind.PYTEST: "ground_to_run",
    GroundKind.LLM: "ground_to_judge",
}
"""Where a case keeps its ground truth: what must be run or judged is not compared with the words of files."""


@adapters.register("agent_challenges")
def agent_challenges(
    *,
    path: Annotated[str, Is("folder or archive with challenges, each a folder with a data.json", path=True)],
) -> BenchmarkProtocol:
    """Challenges for agents in the layout of agbenchmark, its first generation and the later ones.

    Cases come in an order in which each follows those that it waits for.
    """
    return AgentChallenges(path)


@dataclass(frozen=True, slots=True)
class AgentChallenges:
    """The adapter; see `agent_challenges` for its settings."""

    path: str

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is: named after its folder."""
        name = PurePosixPath(file_name(self.path)).stem or "agent_challenges"
        return BenchmarkManifest(
            name=name,
            version="1",
            split="test",
            task_type="agent_challenge",
            homepage="https://github.com/Significant-Gravitas/Auto-GPT-Benchmarks",
            metadata=dict(WITHOUT_DOCUMENTS),
        )

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return the folder or archive."""
        return (resource_of("challenges", self.path),)

    def check(self) -> list[Violation]:
        """Return what is missing."""
        return check_resource(self.resources()[0], [CHALLENGE_FILE], "path")

    def prepare(self, workspace: Workspace) -> PreparedSource:
        """Find every challenge and the files that come with it."""
        root = open_resource(workspace, self.resources()[0])
        files: dict[str, Path] = {}
        for found in find_files(root, [CHALLENGE_FILE]):
            folder = found.path.parent
            own = [
                found.path,
                folder.parent / SUITE_FILE,
                *(each for name in ARTIFACTS for each in (folder / name).rglob("*")),
            ]
            files |= {path.relative_to(root.path).as_posix(): path for path in own if path.is_file()}
        return PreparedSource(files)

    def documents(self, source: PreparedSource) -> Iterator[BenchmarkDocument]:
        """Yield nothing."""
        yield from ()

    def cases(self, source: PreparedSource) -> Iterator[Case]:
        """Yield each challenge after those that it waits for.

        Raises:
            InvalidInputError: a file is no challenge, or challenges wait for each other; tells all faults.
        """
        challenges = {challenge.challenge_id: challenge for challenge in _read(source)}
        dependencies = resolve_dependencies(list(challenges.values()))
        _note(list(challenges.values()), dependencies, source.findings)
        for challenge_id in dependencies.order:
            yield _case(challenges[challenge_id], dependencies)

    def run_units(self, source: PreparedSource) -> Iterator[RunUnit]:
        """Yield one unit with every case, and no documents."""
        yield RunUnit("all")

    def evaluators(self) -> tuple[ComponentSpec, ...]:
        """Return the comparison with the ground truth."""
        return (ComponentSpec("ground"),)


def _read(source: PreparedSource) -> Iterator[Challenge]:
    paths = [path for path in source.files.values() if path.name == CHALLENGE_FILE]
    root = Path(os.path.commonpath([path.parent.parent for path in paths]))
    faults: list[Violation] = []
    for path in paths:
        try:
            challenge = read_challenge(path, path.parent.relative_to(root).as_posix())
        except InvalidInputError as error:
            faults += error.violations or [Violation("", error.message, str(path))]
            continue
        yield challenge
    if faults:
        raise InvalidInputError(f"{len(faults)} faults in {len(paths)} challenges", faults)


def _note(challenges: list[Challenge], dependencies: Dependencies, findings: Findings) -> None:
    for challenge_id, names in dependencies.missing.items():
        message = "challenges that wait for one that is not there are never begun"
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


def _case(challenge: Challenge, dependencies: Dependencies) -> Case:
    about = {
        "name": challenge.name,
        "categories": list(challenge.categories),
        "needs": list(dependencies.needs[challenge.challenge_id]),
        "missing": list(dependencies.missing.get(challenge.challenge_id, ())),
        "difficulty": challenge.difficulty,
        "level": challenge.level,
        "description": challenge.description,
        "cutoff_s": challenge.cutoff_s,
        "mock": challenge.mock,
        "eval_id": challenge.eval_id,
        "side_effects": list(challenge.side_effects),
        "suite": plain(challenge.suite),
        "artifacts": plain(challenge.artifacts),
    }
    labels = {"difficulty": challenge.difficulty}
    if challenge.categories:
        labels["category"] = challenge.categories[0]
    expected = Expected(metadata={GROUNDS[challenge.ground.kind]: plain(challenge.ground)})
    return Case(challenge.challenge_id, challenge.task, expected, labels, {"challenge": about})

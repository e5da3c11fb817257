"""Challenges for agents: folders with a task, what it waits for, and what a solution leaves behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from bakeoff.domain.benchmark import (
    BenchmarkDocument,
    BenchmarkManifest,
    BenchmarkResource,
    Case,
    RunUnit,
)
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.challenges.cases import case_of, note_faults
from bakeoff.preparation.challenges.challenge import Challenge
from bakeoff.preparation.challenges.choosing import Choosing
from bakeoff.preparation.challenges.dependencies import resolve_dependencies
from bakeoff.preparation.challenges.reading import ARTIFACTS, CHALLENGE_FILE, SUITE_FILE, read_challenge
from bakeoff.preparation.challenges.regressions import read_regressions
from bakeoff.preparation.protocol import WITHOUT_DOCUMENTS, BenchmarkProtocol, PreparedSource, Workspace
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.source_files import check_resource, file_name, find_files, open_resource, resource_of
from bakeoff.runtime.registry import Is

REGRESSIONS = "<regressions>"
"""Name of the list among the files of the benchmark; no file of a folder can have it in its place."""


@adapters.register("agent_challenges", version="2")
def agent_challenges(
    *,
    path: Annotated[str, Is("folder or archive with challenges, each a folder with a data.json", path=True)],
    category: Annotated[list[str] | None, Is("only challenges of one of these categories")] = None,
    skip_category: Annotated[list[str] | None, Is("no challenges of these categories")] = None,
    difficulty: Annotated[list[str] | None, Is("only challenges of one of these difficulties")] = None,
    only: Annotated[list[str] | None, Is("only these challenges, by name or id")] = None,
    skip: Annotated[list[str] | None, Is("not these challenges, by name or id")] = None,
    regressions: Annotated[
        str, Is("JSON file with the challenges that passed before, or a report of theirs; empty for none", path=True)
    ] = "",
    which: Annotated[
        Literal["all", "regressions", "others"], Is("all, only those that passed before, or only the others")
    ] = "all",
    reverse_order: Annotated[bool, Is("whether the hardest come first, as far as what they wait for allows")] = False,
) -> BenchmarkProtocol:
    """Challenges for agents in the layout of agbenchmark, its first generation and the later ones.

    Cases come in an order in which each follows those that it waits for. Challenges that are left out by choice are
    cases, too: not asked, not scored, and known to the report.
    """
    choosing = Choosing(
        tuple(category or ()),
        tuple(skip_category or ()),
        tuple(difficulty or ()),
        tuple(only or ()),
        tuple(skip or ()),
        which,
    )
    return AgentChallenges(path, choosing, regressions, reverse_order)


@dataclass(frozen=True, slots=True)
class AgentChallenges:
    """The adapter; see `agent_challenges` for its settings."""

    path: str
    choosing: Choosing = field(default_factory=Choosing)
    """Without the list of regressions, which is read when the benchmark is prepared."""
    regressions: str = ""
    reverse_order: bool = False

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is: named after its folder."""
        name = PurePosixPath(file_name(self.path)).stem or "agent_challenges"
        return BenchmarkManifest(
            name=name,
            version="2",
            split="test",
            task_type="agent_challenge",
            homepage="https://github.com/Significant-Gravitas/Auto-GPT-Benchmarks",
            metadata=dict(WITHOUT_DOCUMENTS),
        )

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return the folder or archive, and the list of regressions."""
        challenges = resource_of("challenges", self.path)
        return (challenges, resource_of("regressions", self.regressions)) if self.regressions else (challenges,)

    def check(self) -> list[Violation]:
        """Return what is missing."""
        faults = check_resource(self.resources()[0], [CHALLENGE_FILE], "path")
        if self.regressions:
            return [*faults, *check_resource(self.resources()[1], ["*.json"], "regressions")]
        if self.choosing.which != "all":
            faults.append(Violation("regressions", f"must name a list: {self.choosing.which!r} chooses by it"))
        return faults

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
                *(each for name in ARTIFACTS for each in (folder.parent / name).rglob("*")),
            ]
            files |= {path.relative_to(root.path).as_posix(): path for path in own if path.is_file()}
        if self.regressions:
            files[REGRESSIONS] = open_resource(workspace, self.resources()[1]).path
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
        listed = read_regressions(source.files[REGRESSIONS]) if REGRESSIONS in source.files else ()
        choosing = replace(self.choosing, regressions=listed)
        choosing.check(list(challenges.values()))
        dependencies = resolve_dependencies(list(challenges.values()), reverse_order=self.reverse_order)
        note_faults(list(challenges.values()), dependencies, choosing, source.findings)
        for challenge_id in dependencies.order:
            yield case_of(challenges[challenge_id], dependencies, choosing)

    def run_units(self, source: PreparedSource) -> Iterator[RunUnit]:
        """Yield one unit with every case, and no documents."""
        yield RunUnit("all")

    def evaluators(self) -> tuple[ComponentSpec, ...]:
        """Return the comparison with the ground truth."""
        return (ComponentSpec("ground", {"regressions": True} if self.regressions else {}),)


def _read(source: PreparedSource) -> Iterator[Challenge]:
    paths = [path for name, path in source.files.items() if path.name == CHALLENGE_FILE and name != REGRESSIONS]
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

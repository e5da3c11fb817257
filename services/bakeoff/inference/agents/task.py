"""What an agent is told for a case, and the files that it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bakeoff.domain.benchmark import Case
from bakeoff.domain.challenge import facts_of
from bakeoff.domain.workspace_files import WORKSPACE, unpack_files


@dataclass(frozen=True, slots=True)
class AgentTask:
    """One task for an agent."""

    task: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    """What lies in the workspace at first, by path."""
    cutoff_s: int | None = None
    """Seconds that the case gives; None when it does not say."""
    mock: str = ""
    """Name of the function that stands in for an agent in a trial run; empty when the solution's files do."""
    solution: Mapping[str, bytes] = field(default_factory=dict)
    """Files of a solution, by path, for a trial run; no agent sees them."""

    @classmethod
    def of(cls, case: Case) -> AgentTask:
        """Return the task of a case; a case that is no challenge is a task without files.

        Raises:
            InvalidInputError: the files that come with the case cannot be read.
        """
        facts = facts_of(case)
        return cls(
            case.query,
            _folder(case, "artifacts_in"),
            facts.cutoff_s if facts else None,
            facts.mock if facts else "",
            _folder(case, "artifacts_out"),
        )


def _folder(case: Case, name: str) -> dict[str, bytes]:
    folders = case.metadata.get(WORKSPACE)
    files = folders.get(name, {}) if isinstance(folders, Mapping) else {}
    return unpack_files(files, f"case {case.case_id!r}: {name}")

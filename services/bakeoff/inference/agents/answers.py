"""What an agent did, as an answer: its words, its files, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from bakeoff.domain.benchmark import Json
from bakeoff.domain.errors import BakeoffError
from bakeoff.domain.workspace_files import FILES, pack_files
from bakeoff.inference.agents.workspace import Left
from bakeoff.inference.generator import Generated

AGENT = "agent"
"""Where an answer's metadata has how its agent ended."""


class AgentError(BakeoffError):
    """An agent did not work: it ended with an error and left nothing, or does not speak its protocol."""


class AgentEnd(StrEnum):
    """How an agent ended."""

    FINISHED = "finished"
    TIMED_OUT = "timed_out"
    """Its time was up; what it left is kept, and it has not passed."""
    ERROR = "error"
    """With a status that means an error; what it left is judged all the same."""


@dataclass(frozen=True, slots=True)
class AgentRun:
    """What an agent did."""

    end: AgentEnd
    text: str
    """Its words."""
    steps: int | None = None
    """None when it does not tell."""
    cost: float | None = None
    """What it says it cost; None when it does not tell."""
    reason: str = ""
    """Why it ended so; empty when it finished."""
    mock: str = ""
    """What stood in for it; empty when nothing did."""


def answer_of(run: AgentRun, left: Left, before: Mapping[str, bytes]) -> Generated:
    """Return a run as an answer.

    Args:
        run: What the agent did.
        left: What is in its workspace.
        before: What was in it at first.

    Raises:
        AgentError: it ended with an error and left nothing that was not there before.
    """
    if run.end is AgentEnd.ERROR and left.files == dict(before):
        raise AgentError(f"the agent left nothing, and {run.reason}")
    told: Json = {"end": run.end.value}
    facts = {"steps": run.steps, "cost": run.cost, "reason": run.reason, "mock": run.mock}
    told |= {name: value for name, value in facts.items() if value not in (None, "")}
    metadata: Json = {AGENT: told, FILES: pack_files(left.files)}
    if left.left_out:
        metadata["files_left_out"] = dict(left.left_out)
    return Generated(run.text, metadata)

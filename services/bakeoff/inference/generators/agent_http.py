"""An agent behind the agent protocol, given a task and its files for each case."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.inference.agents.answers import AgentEnd, AgentRun
from bakeoff.inference.agents.entrant import Agent, AgentEntrant
from bakeoff.inference.agents.protocol import converse_within
from bakeoff.inference.agents.task import AgentTask
from bakeoff.inference.agents.workspace import Keep, write_files
from bakeoff.inference.registries import generators
from bakeoff.runtime.registry import Is


@generators.register("agent_http")
def agent_http(
    *,
    base_url: Annotated[str, Is("address of the agent protocol, such as http://127.0.0.1:8000/ap/v1")],
    time_limit_s: Annotated[int | None, Is("seconds for a case; null takes the case's own, or 60", minimum=1)] = None,
    steps: Annotated[int, Is("steps after which the agent is not asked on", minimum=1)] = 100,
    keep_files: Annotated[int, Is("files that are kept of what the agent leaves", minimum=1)] = 200,
    keep_file_kb: Annotated[int, Is("largest file that is kept, in KiB", minimum=1)] = 1024,
    mock: Annotated[bool, Is("whether the challenges' own stand-ins act instead of the agent: a trial run")] = False,
) -> AgentEntrant:
    """Give an agent each case as a task of the agent protocol; its last words and its files are the answer.

    Files that come with the case are uploaded before the first step, and what the agent left is fetched after the last.
    """
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        problem = f"must be an http(s) address without a user, such as http://127.0.0.1:8000/ap/v1, not {base_url!r}"
        raise InvalidInputError("the agent cannot be reached", [Violation("base_url", problem)])
    return AgentEntrant(HttpAgent(base_url, steps), Keep(keep_files, keep_file_kb << 10), time_limit_s, mock)


@dataclass(frozen=True, slots=True)
class HttpAgent(Agent):
    """Speaks the agent protocol for each task."""

    base_url: str
    most_steps: int

    def work(self, task: AgentTask, workspace: Path, time_s: float) -> AgentRun:
        """Let the agent do the task, and bring what it left into the workspace.

        Raises:
            AgentError: it does not speak the protocol, or failed.
            UnavailableError: it cannot be reached.
        """
        try:
            said = converse_within(time_s, self.base_url, task.task, task.files, self.most_steps)
        except TimeoutError:
            return AgentRun(AgentEnd.TIMED_OUT, "", reason=f"it used up its {time_s:g} s")
        write_files(workspace, said.files)
        if not said.ended:
            reason = f"none of its {said.steps} steps was the last"
            return AgentRun(AgentEnd.ERROR, said.text, said.steps, said.cost, reason)
        return AgentRun(AgentEnd.FINISHED, said.text, said.steps, said.cost)

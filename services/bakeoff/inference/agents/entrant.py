"""An agent as a generator: each case gets a workspace, the agent works in it, and what it left is the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bakeoff.domain.answer import Passage
from bakeoff.domain.benchmark import Case
from bakeoff.inference.agents.answers import AgentEnd, AgentRun, answer_of
from bakeoff.inference.agents.mocks import run_mock
from bakeoff.inference.agents.task import AgentTask
from bakeoff.inference.agents.workspace import Keep, collect, fresh_workspace
from bakeoff.inference.generator import Generated

TIME_S = 60
"""Seconds for a case that gives none: what agbenchmark gives."""


class Agent(Protocol):
    """Works on one task at a time, in a workspace; called from several threads at once."""

    def work(self, task: AgentTask, workspace: Path, time_s: float) -> AgentRun:
        """Do the task in the workspace, within a time, and leave nothing running.

        Raises:
            AgentError: the agent does not work.
            UnavailableError: it does not answer now; it is asked again, in a fresh workspace.
        """


@dataclass(frozen=True, slots=True)
class AgentEntrant:
    """A generator that asks an agent."""

    agent: Agent
    keep: Keep
    time_limit_s: int | None = None
    """Seconds for each case; None takes the case's own."""
    mock: bool = False
    """Whether the challenges' own stand-ins act instead."""

    def generate(self, question: str, passages: Sequence[Passage], *, seed: int, case_id: str) -> Generated:
        """Ask the agent a question that is no case: in an empty workspace. Passages are not shown to agents."""
        return self.ask(AgentTask(question))

    def for_case(self, case: Case) -> OneCase:
        """Return what asks the agent this one case, with its files."""
        return OneCase(self, case)

    def ask(self, task: AgentTask) -> Generated:
        """Give the agent a task in a fresh workspace, and return what it said and left there."""
        time_s = float(self.time_limit_s or task.cutoff_s or TIME_S)
        with fresh_workspace(task.files) as workspace:
            if self.mock:
                run = AgentRun(AgentEnd.FINISHED, "", mock=run_mock(task, workspace))
            else:
                run = self.agent.work(task, workspace, time_s)
            return answer_of(run, collect(workspace, self.keep), task.files)


@dataclass(frozen=True, slots=True)
class OneCase:
    """Asks an agent one case."""

    entrant: AgentEntrant
    case: Case

    def generate(self, question: str, passages: Sequence[Passage], *, seed: int, case_id: str) -> Generated:
        """Ask the agent the case.

        Raises:
            InvalidInputError: the files of the case cannot be read.
            NotFoundError: no function of the name stands in for the agent.
        """
        return self.entrant.ask(AgentTask.of(self.case))

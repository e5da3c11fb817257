"""An agent that is a command on this machine, given a workspace of its own for each case."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.inference.agents.answers import AgentEnd, AgentError, AgentRun
from bakeoff.inference.agents.command import CommandLimits, last_line, run_command
from bakeoff.inference.agents.entrant import Agent, AgentEntrant
from bakeoff.inference.agents.permission import REFUSED, commands_are_permitted
from bakeoff.inference.agents.task import AgentTask
from bakeoff.inference.agents.workspace import Keep
from bakeoff.inference.registries import generators
from bakeoff.runtime.registry import Is

PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""Variables of this process that every agent has."""


@generators.register("agent_command")
def agent_command(
    *,
    command: Annotated[
        list[str], Is("program and arguments; {agent}, {workspace}, {task} and {task_file} are filled in")
    ],
    agent: Annotated[str, Is("file or folder of the agent, for {agent}", path=True)] = "",
    task: Annotated[
        Literal["stdin", "argument", "file"],
        Is("how the agent is told: on standard input, as the last argument, or in a file that is the last argument"),
    ] = "stdin",
    time_limit_s: Annotated[int | None, Is("seconds for a case; null takes the case's own, or 60", minimum=1)] = None,
    memory_mb: Annotated[int, Is("address space of each process of the agent, in MiB; 0 for no limit", minimum=0)] = 0,
    variables: Annotated[list[str] | None, Is("names of variables of the worker that the agent has too")] = None,
    keep_files: Annotated[int, Is("files that are kept of what the agent leaves", minimum=1)] = 200,
    keep_file_kb: Annotated[int, Is("largest file that is kept, in KiB", minimum=1)] = 1024,
    mock: Annotated[bool, Is("whether the challenges' own stand-ins act instead of the agent: a trial run")] = False,
) -> AgentEntrant:
    """Run a command in a fresh workspace for each case; its output and the files that it leaves are the answer.

    The workspace is the working folder, and has the files that come with the case. The command and all that it
    began are ended when it ends, or when its time is up. Only where the operator permits it.
    """
    if not commands_are_permitted():
        raise InvalidInputError(REFUSED)
    faults = [Violation("command", "must have a program")] if not command or not str(command[0]).strip() else []
    faults += [Violation("command", f"must be texts, not {word!r}") for word in command if not isinstance(word, str)]
    names = tuple(variables or ())
    faults += [
        Violation("variables", f"must not be of Bakeoff's own, not {name!r}")
        for name in names
        if not isinstance(name, str) or name.upper().startswith("BAKEOFF_")
    ]
    if faults:
        raise InvalidInputError("the agent's command cannot be used", faults)
    started = CommandAgent(tuple(command), agent, task, memory_mb << 20, names)
    return AgentEntrant(started, Keep(keep_files, keep_file_kb << 10), time_limit_s, mock)


@dataclass(frozen=True, slots=True)
class CommandAgent(Agent):
    """Starts a command for each task."""

    command: tuple[str, ...]
    agent: str
    told_by: str
    memory_bytes: int
    variables: tuple[str, ...]

    def work(self, task: AgentTask, workspace: Path, time_s: float) -> AgentRun:
        """Run the command in the workspace.

        Raises:
            AgentError: there is no such command.
        """
        home = workspace.parent / "home"
        home.mkdir()
        task_file = workspace.parent / "task.txt"
        task_file.write_text(task.task, encoding="utf-8")
        run = run_command(
            self._filled(task.task, task_file, workspace),
            workspace,
            stdin=task.task if self.told_by == "stdin" else "",
            environment=self._environment(workspace, home),
            limits=CommandLimits(time_s, self.memory_bytes),
        )
        if run.cannot_start:
            raise AgentError(last_line(run.stderr))
        if run.status is None:
            return AgentRun(AgentEnd.TIMED_OUT, run.stdout.strip(), reason=f"it used up its {time_s:g} s")
        if run.status:
            said = last_line(run.stderr)
            reason = f"it ended with status {run.status}" + (f": {said}" if said else "")
            return AgentRun(AgentEnd.ERROR, run.stdout.strip(), reason=reason)
        return AgentRun(AgentEnd.FINISHED, run.stdout.strip())

    def _filled(self, task: str, task_file: Path, workspace: Path) -> Sequence[str]:
        """Return the command with what its slots stand for; what is filled in is not looked at again."""
        slots = {"{agent}": self.agent, "{workspace}": str(workspace), "{task}": task, "{task_file}": str(task_file)}
        words = [_fill(word, slots) for word in self.command]
        asked = "{task}" if self.told_by == "argument" else "{task_file}"
        if self.told_by != "stdin" and not any(asked in word for word in self.command):
            words.append(slots[asked])
        return words

    def _environment(self, workspace: Path, home: Path) -> dict[str, str]:
        # None of the worker's keys: an agent gets what a recipe names, and no more.
        passed = {name: os.environ[name] for name in (*PASSED_ON, *self.variables) if name in os.environ}
        return {"LANG": "C.UTF-8", **passed, "HOME": str(home), "TMPDIR": str(home), "WORKSPACE": str(workspace)}


def _fill(word: str, slots: dict[str, str]) -> str:
    for slot, value in slots.items():
        if slot in word:
            before, _, after = word.partition(slot)
            return _fill(before, slots) + value + _fill(after, slots)
    return word

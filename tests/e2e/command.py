"""The `bakeoff` command as a process of its own, as a script or a person at a terminal starts it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from tests.conftest import ROOT

PATIENCE_S = 100.0
Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Line]:
        """What it printed, as JSON lines; fails when anything else is among it."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def finished(self) -> Line:
        """The last JSON line of a run that completed."""
        assert self.code == 0, self.err
        assert self.lines[-1]["event"] == "finished"
        return self.lines[-1]


def with_faults() -> dict[str, str]:
    """Return the variables with which a process finds the faulty generator."""
    modules = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {"PYTHONPATH": modules, "BAKEOFF_PLUGINS": "tests.e2e.faults"}


def environment(settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return an environment without settings but these, in which the faulty generator is a plug-in."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("BAKEOFF_")}
    return {**plain, **with_faults(), **(settings or {})}


def run(arguments: Sequence[str], cwd: Path, settings: Mapping[str, str] | None = None) -> Ended:
    """Run the command to its end."""
    done = subprocess.run(
        _argv(arguments), cwd=cwd, env=environment(settings), capture_output=True, text=True, timeout=PATIENCE_S
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@dataclass
class Running:
    """A command under way, that prints JSON lines."""

    process: subprocess.Popen[str]
    lines: list[Line] = field(default_factory=list)

    def until(self, reached: Callable[[Line], bool]) -> Line:
        """Read what it prints until a line is the one that is waited for."""
        assert self.process.stdout is not None
        for text in self.process.stdout:
            self.lines.append(json.loads(text))
            if reached(self.lines[-1]):
                return self.lines[-1]
        _, err = self.process.communicate()
        raise AssertionError(f"it ended with {self.process.returncode}, after {self.lines[-1:]}: {err}")

    def children(self) -> list[psutil.Process]:
        """Return the processes that it has started."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def signal(self, number: signal.Signals) -> Ended:
        """Send it a signal and wait for its end."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE_S)
        return Ended(self.process.returncode, out, err)


def start(arguments: Sequence[str], cwd: Path, settings: Mapping[str, str] | None = None) -> Running:
    """Start the command."""
    return Running(
        subprocess.Popen(
            _argv(arguments),
            cwd=cwd,
            env=environment(settings),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A shell's background jobs ignore SIGINT, and what they start does too.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
    )


def _argv(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "bakeoff", *arguments]

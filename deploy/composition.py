"""The composition under a project name of its own, brought up for a trial and taken down whatever happens."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = "bakeoff-try"
UP_S = 600  # nine interpreters start at once, on a machine that may be small
SERVICES = ("control", "preparation", "ingestion", "knowledge", "inference", "scoring", "reporting")


@dataclass(frozen=True)
class Composition:
    """A running composition."""

    command: Sequence[str]
    environment: Mapping[str, str]
    port: int

    @property
    def address(self) -> str:
        """host:port of the platform, for this machine."""
        return f"127.0.0.1:{self.port}"

    def compose(self, *arguments: str, check: bool = True) -> str:
        """Run a compose command and return what it printed; its own progress goes to standard error."""
        done = subprocess.run(
            [*self.command, *arguments], env=self.environment, cwd=ROOT, check=False, capture_output=True, text=True
        )
        if check and done.returncode:
            raise SystemExit(f"compose {' '.join(arguments)} failed:\n{done.stderr[-3000:]}")
        return done.stdout

    def containers(self, service: str) -> list[str]:
        """Return the ids of a service's containers that run."""
        return self.compose("ps", "-q", service).split()

    def state(self, container: str) -> str:
        """Return a container's health, or its state when it has no health check."""
        form = "{{if not .State.Running}}{{.State.Status}}{{else if .State.Health}}{{.State.Health.Status}}{{end}}"
        return docker("inspect", "--format", form, container).strip()

    def wait_until_healthy(self) -> float:
        """Wait for every container of every service, and return the seconds that it took."""
        began = time.monotonic()
        while True:
            ids = self.compose("ps", "-q").split()
            states = {name: self.state(name) for name in ids}
            waiting = {name: state for name, state in states.items() if state not in ("healthy", "exited")}
            if len(ids) >= len(SERVICES) + 2 and not waiting:
                return time.monotonic() - began
            if time.monotonic() - began > UP_S:
                raise SystemExit(
                    f"not healthy after {UP_S} s: {waiting}\n{self.compose('logs', '--tail=20', check=False)}"
                )
            time.sleep(1)

    def token(self) -> str:
        """Return the operator's token, which the composition made for itself."""
        while True:
            # Services are killed meanwhile: whichever runs has it.
            for service in SERVICES:
                found = self.compose("exec", "-T", service, "cat", "/run/bakeoff/operator_token", check=False).strip()
                if found:
                    return found
            time.sleep(1)


@contextmanager
def composed(
    images: Mapping[str, str],
    port: int,
    data: Path,
    *,
    override: Path | None = None,
    scale: Mapping[str, int] | None = None,
    build: bool = True,
) -> Iterator[Composition]:
    """Build, bring up, and take down with all volumes.

    Args:
        images: Variables that name images, instead of those of `.env`.
        port: Port of the platform on this machine.
        data: Folder that the containers read under the same path.
        override: A compose file on top of the composition's own.
        scale: Containers of a service; one of each that is not named.
        build: Whether the image is built; else the one is taken that was built last.
    """
    environment = {
        **os.environ,
        **images,
        "PWD": str(ROOT),
        "BAKEOFF_DATA": str(data),
        "BAKEOFF_PORT": str(port),
        "COMPOSE_PROJECT_NAME": PROJECT,
    }
    files = [] if override is None else ["-f", str(ROOT / "docker-compose.yml"), "-f", str(override)]
    composition = Composition([*_compose_command(), *files], environment, port)
    composition.compose("down", "-v", "--remove-orphans", check=False)
    scales = [word for name, count in (scale or {}).items() for word in ("--scale", f"{name}={count}")]
    try:
        if build:
            say("building")
            composition.compose("build")
        composition.compose("up", "-d", *scales)
        yield composition
    finally:
        if sys.exc_info()[0] is not None:
            print(composition.compose("logs", "--tail=8", check=False)[-8000:], file=sys.stderr)
        composition.compose("down", "-v", "--remove-orphans", check=False)


def docker(*arguments: str, check: bool = True) -> str:
    """Run a docker command and return what it printed."""
    return subprocess.run(["docker", *arguments], check=check, capture_output=True, text=True).stdout


def say(what: str, **facts: object) -> None:
    """Print a line of the trial."""
    print(f"== {what}", *(f"{name}={fact}" for name, fact in facts.items()), flush=True)


def _compose_command() -> Sequence[str]:
    if subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode == 0:
        return ["docker", "compose"]
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    raise SystemExit("neither `docker compose` nor docker-compose is installed")

"""Prove the composition on this machine: the same report as in one process, with services killed and scaled meanwhile.

    deploy/try-compose                     with the images of .env, or with stand-ins where no registry can be reached
    deploy/try-compose --stand-ins         with stand-ins in any case

It builds the image, brings the composition up under a project name of its own, runs the quick start and, when the
public data is there, SciFact; scales inference and scoring, kills services with `docker kill` in mid-run, compares the
digests of all reports with those of `bakeoff run`, and takes everything down again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stand_ins import make_stand_ins, pull

ROOT = Path(__file__).resolve().parents[1]
PROJECT = "bakeoff-try"
UP_S = 240
KILLED = ("control", "preparation", "ingestion", "knowledge", "inference", "scoring", "reporting")
SCALED = ("up", "-d", "--no-recreate", "--scale", "inference=4", "--scale", "scoring=2")
KEPT = shutil.ignore_patterns("platform")
QUICK_START = ROOT / "examples/quickstart/quickstart.yaml"


@dataclass(frozen=True)
class Composition:
    """A running composition."""

    command: Sequence[str]
    environment: Mapping[str, str]
    port: int

    def compose(self, *arguments: str, check: bool = True) -> str:
        """Run a compose command and return what it printed; its own progress goes to standard error."""
        done = subprocess.run(
            [*self.command, *arguments], env=self.environment, cwd=ROOT, check=False, capture_output=True, text=True
        )
        if check and done.returncode:
            raise SystemExit(f"compose {' '.join(arguments)} failed:\n{done.stderr[-3000:]}")
        return done.stdout

    def containers(self, service: str) -> list[str]:
        """Return the ids of a service's containers."""
        return self.compose("ps", "-q", service).split()

    def state(self, container: str) -> str:
        """Return a container's health, or its state when it has no health check."""
        form = "{{if not .State.Running}}{{.State.Status}}{{else if .State.Health}}{{.State.Health.Status}}{{end}}"
        return _out("docker", "inspect", "--format", form, container).strip()

    def wait_until_healthy(self) -> float:
        """Wait for every container of every service, and return the seconds that it took."""
        began = time.monotonic()
        while True:
            ids = self.compose("ps", "-q").split()
            states = {name: self.state(name) for name in ids}
            waiting = {name: state for name, state in states.items() if state not in ("healthy", "exited")}
            if len(ids) >= len(KILLED) + 2 and not waiting:
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
            for service in KILLED:
                found = self.compose("exec", "-T", service, "cat", "/run/bakeoff/operator_token", check=False).strip()
                if found:
                    return found
            time.sleep(1)

    def evaluate(self, file: Path, out: Path, *more: str) -> str:
        """Submit an evaluation from the host, wait for it, and return the digest of its report."""
        server = f"127.0.0.1:{self.port}"
        _bakeoff("submit", str(file), "--server", server, "--wait", "--out", str(out), *more, token=self.token())
        return _digest(out)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the whole trial; the exit code is 0 when every digest agrees."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stand-ins", action="store_true", help="make stand-in images, without trying a registry")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the reports there")
    parser.add_argument("--port", type=int, default=17601, help="port of the platform on this machine")
    parser.add_argument("--kill-every", type=float, default=3.0, metavar="S", help="seconds between two kills")
    options = parser.parse_args(arguments)
    data = Path(os.environ.get("BAKEOFF_TEST_DATA", ROOT / "../shared/data")).resolve()

    with tempfile.TemporaryDirectory(prefix="bakeoff-try-") as folder:
        scratch = Path(folder)
        images = {} if not options.stand_ins and pull(ROOT) else make_stand_ins(scratch)
        files = _evaluations(scratch, data)
        expected = {name: _run_here(file, scratch / "here" / name) for name, file in files.items()}
        with _composition(images, options.port, scratch) as composition:
            _say("up and healthy", seconds=round(composition.wait_until_healthy(), 1))
            found = _trial(composition, files, scratch, options.kill_every)
        wrong = [name for name, digest in found.items() if digest != expected[name.partition(" ")[0]]]
        if options.keep:
            for where in ("here", "compose", "killed"):
                shutil.copytree(scratch / where, options.keep / where, dirs_exist_ok=True, ignore=KEPT)
        for name, digest in found.items():
            _say(name, digest=digest[:16], same_as_one_process=name not in wrong)
    _say("all digests agree" if not wrong else f"digests differ: {', '.join(wrong)}")
    return 1 if wrong else 0


def _trial(composition: Composition, files: Mapping[str, Path], scratch: Path, kill_every_s: float) -> dict[str, str]:
    found = {}
    for name, file in files.items():
        found[name] = composition.evaluate(file, scratch / "compose" / name)
    composition.compose(*SCALED)
    _say("scaled", inference=len(composition.containers("inference")), scoring=len(composition.containers("scoring")))
    composition.wait_until_healthy()
    for name, file in files.items():
        with _killing(composition, kill_every_s) as kills:
            found[f"{name} under kills"] = composition.evaluate(file, scratch / "killed" / name, "--fresh")
        _say(f"{name} under kills", killed=len(kills), services=sorted(set(kills)))
    return found


@contextmanager
def _killing(composition: Composition, every_s: float) -> Iterator[list[str]]:
    """Kill a service's container now and again, and start it anew; the list names what was killed."""
    kills: list[str] = []
    stop = threading.Event()
    chance = random.Random(7)

    def kill() -> None:
        while not stop.wait(every_s):
            service = chance.choice(KILLED)
            containers = composition.containers(service)
            if containers:
                _out("docker", "kill", chance.choice(containers), check=False)
                kills.append(service)
            # What was killed by hand stays down, whatever its restart policy: an operator's tool starts it again.
            composition.compose(
                "up", "-d", "--no-recreate", "--scale", "inference=4", "--scale", "scoring=2", check=False
            )

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield kills
    finally:
        stop.set()
        thread.join()


@contextmanager
def _composition(images: Mapping[str, str], port: int, scratch: Path) -> Iterator[Composition]:
    environment = {
        **os.environ,
        **images,
        "PWD": str(ROOT),
        "BAKEOFF_DATA": str(scratch),
        "BAKEOFF_PORT": str(port),
        "COMPOSE_PROJECT_NAME": PROJECT,
    }
    composition = Composition(_compose_command(), environment, port)
    composition.compose("down", "-v", "--remove-orphans", check=False)
    try:
        _say("building")
        composition.compose("build")
        composition.compose("up", "-d")
        yield composition
    finally:
        if sys.exc_info()[0] is not None:
            print(composition.compose("logs", "--tail=8", check=False)[-8000:], file=sys.stderr)
        composition.compose("down", "-v", "--remove-orphans", check=False)


def _compose_command() -> Sequence[str]:
    if subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode == 0:
        return ["docker", "compose"]
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    raise SystemExit("neither `docker compose` nor docker-compose is installed")


def _evaluations(scratch: Path, data: Path) -> dict[str, Path]:
    """Copy what is evaluated into a folder that the containers see under the same path."""
    shutil.copytree(QUICK_START.parent, scratch / "quickstart")
    shutil.copytree(ROOT / "examples/recipes", scratch / "recipes")
    files = {"quickstart": scratch / "quickstart" / QUICK_START.name}
    if (data / "scifact").is_dir():
        shutil.copytree(data / "scifact", scratch / "data/scifact")
        files["scifact"] = scratch / "scifact.yaml"
        files["scifact"].write_text(
            "name: scifact\nbenchmarks:\n  - beir: {path: data/scifact}\n"
            "recipes:\n  - {name: bm25, build: {indexes: [bm25]}, query: [full_text_search]}\n"
        )
    for path in (scratch, *scratch.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)  # the containers' user reads them
    return files


def _run_here(file: Path, out: Path) -> str:
    _bakeoff("run", str(file), "--dir", str(out / "platform"), "--out", str(out))
    digest = _digest(out)
    _say(f"{file.stem} in one process", digest=digest[:16])
    return digest


def _digest(out: Path) -> str:
    return str(json.loads((out / "report.json").read_text())["digest"])


def _bakeoff(*arguments: str, token: str = "") -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("BAKEOFF_")}
    if token:
        clean["BAKEOFF_TOKEN"] = token
    done = subprocess.run(
        [sys.executable, "-m", "bakeoff", *arguments], env=clean, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"bakeoff {' '.join(arguments)} failed with {done.returncode}:\n{done.stderr[-3000:]}")


def _out(*command: str, check: bool = True) -> str:
    return subprocess.run(command, check=check, capture_output=True, text=True).stdout


def _say(what: str, **facts: object) -> None:
    print(f"== {what}", *(f"{name}={fact}" for name, fact in facts.items()), flush=True)


if __name__ == "__main__":
    sys.exit(main())

"""Prove the composition on this machine: the same report as in one process, with services killed and scaled meanwhile.

    deploy/try-compose                     with the images of .env, or with stand-ins where no registry can be reached
    deploy/try-compose --stand-ins         with stand-ins in any case
    deploy/try-compose --chaos             instead: the survival test's evaluation under some fifty kills

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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from deploy.chaos import storm
from deploy.composition import ROOT, SERVICES, Composition, composed, docker, say
from deploy.stand_ins import make_stand_ins, pull

SCALED = ("up", "-d", "--no-recreate", "--scale", "inference=4", "--scale", "scoring=2")
KEPT = shutil.ignore_patterns("platform")
QUICK_START = ROOT / "examples/quickstart/quickstart.yaml"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the whole trial; the exit code is 0 when every digest agrees."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stand-ins", action="store_true", help="make stand-in images, without trying a registry")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the reports there")
    parser.add_argument("--port", type=int, default=17601, help="port of the platform on this machine")
    parser.add_argument("--kill-every", type=float, default=3.0, metavar="S", help="seconds between two kills")
    parser.add_argument("--chaos", action="store_true", help="kill services, bus and object store once a second")
    options = parser.parse_args(arguments)
    data = Path(os.environ.get("BAKEOFF_TEST_DATA", ROOT / "../shared/data")).resolve()

    with tempfile.TemporaryDirectory(prefix="bakeoff-try-") as folder:
        scratch = Path(folder)
        images = {} if not options.stand_ins and pull(ROOT) else make_stand_ins(scratch)
        if options.chaos:
            return storm(images, options.port, scratch)
        files = _evaluations(scratch, data)
        expected = {name: _run_here(file, scratch / "here" / name) for name, file in files.items()}
        with composed(images, options.port, scratch) as composition:
            say("up and healthy", seconds=round(composition.wait_until_healthy(), 1))
            found = _trial(composition, files, scratch, options.kill_every)
        wrong = [name for name, digest in found.items() if digest != expected[name.partition(" ")[0]]]
        if options.keep:
            for where in ("here", "compose", "killed"):
                shutil.copytree(scratch / where, options.keep / where, dirs_exist_ok=True, ignore=KEPT)
        for name, digest in found.items():
            say(name, digest=digest[:16], same_as_one_process=name not in wrong)
    say("all digests agree" if not wrong else f"digests differ: {', '.join(wrong)}")
    return 1 if wrong else 0


def _trial(composition: Composition, files: Mapping[str, Path], scratch: Path, kill_every_s: float) -> dict[str, str]:
    found = {}
    for name, file in files.items():
        found[name] = _evaluate(composition, file, scratch / "compose" / name)
    composition.compose(*SCALED)
    say("scaled", inference=len(composition.containers("inference")), scoring=len(composition.containers("scoring")))
    composition.wait_until_healthy()
    for name, file in files.items():
        with _killing(composition, kill_every_s) as kills:
            found[f"{name} under kills"] = _evaluate(composition, file, scratch / "killed" / name, "--fresh")
        say(f"{name} under kills", killed=len(kills), services=sorted(set(kills)))
    return found


@contextmanager
def _killing(composition: Composition, every_s: float) -> Iterator[list[str]]:
    """Kill a service's container now and again, and start it anew; the list names what was killed."""
    kills: list[str] = []
    stop = threading.Event()
    chance = random.Random(7)

    def kill() -> None:
        while not stop.wait(every_s):
            service = chance.choice(SERVICES)
            containers = composition.containers(service)
            if containers:
                docker("kill", chance.choice(containers), check=False)
                kills.append(service)
            # What was killed by hand stays down, whatever its restart policy: an operator's tool starts it again.
            composition.compose(*SCALED, check=False)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield kills
    finally:
        stop.set()
        thread.join()


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


def _evaluate(composition: Composition, file: Path, out: Path, *more: str) -> str:
    """Submit an evaluation from the host, wait for it, and return the digest of its report."""
    where = ("--server", composition.address, "--wait", "--out", str(out))
    _bakeoff("submit", str(file), *where, *more, token=composition.token())
    return _digest(out)


def _run_here(file: Path, out: Path) -> str:
    _bakeoff("run", str(file), "--dir", str(out / "platform"), "--out", str(out))
    digest = _digest(out)
    say(f"{file.stem} in one process", digest=digest[:16])
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


if __name__ == "__main__":
    sys.exit(main())

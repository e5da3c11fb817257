"""The survival test's evaluation in containers, whose services, bus and object store are killed once a second."""

from __future__ import annotations

import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from bakeoff.client import Client
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.report import EvaluationReport
from deploy.composition import PROJECT, ROOT, SERVICES, Composition, composed, docker, say
from tests.e2e.poisoned import (
    CASES,
    KILLS,
    RAISES,
    a_request,
    failures_by_case,
    patiently,
    supervised,
    undisturbed,
    until_ended,
)

SCALE = {"inference": 2, "scoring": 2}
BUS_KILLS = (4, 9, 14)
"""Seconds after the beginning at which the bus is killed."""
STORE_KILL = 7
SERVICE_KILLS = 45
"""Services that are killed, one a second."""
CASE_S = 0.15
"""Long enough that the storm is over before the evaluation is."""
DEADLINE_S = 1800.0


def storm(images: Mapping[str, str], port: int, scratch: Path) -> int:
    """Evaluate in processes, in containers, and in containers under a storm; 0 when all three reports are the same."""
    request = a_request(scratch / "benchmark", delay_s=CASE_S)
    override = _with_faults(scratch)
    _readable(scratch)
    expected = undisturbed(scratch / "processes", request)
    say("in processes", digest=expected.digest[:16])

    with composed(images, port, scratch, override=override, scale=SCALE) as composition:
        say("up and healthy", seconds=round(composition.wait_until_healthy(), 1))
        token = composition.token()
        name = _submitted_twice(composition, request, token)
        calm = until_ended(composition.address, name, token, deadline_s=DEADLINE_S)
        say("in containers", digest=calm.digest[:16])

    with composed(images, port, scratch, override=override, scale=SCALE, build=False) as composition:
        composition.wait_until_healthy()
        token = composition.token()
        with supervised(_mend, 0.5), ThreadPoolExecutor(1) as pool:
            name = _submitted_twice(composition, request, token)
            ended = pool.submit(until_ended, composition.address, name, token, deadline_s=DEADLINE_S)
            killed = _kill_until(ended)
            report = ended.result()
        say("killed", **dict(sorted(Counter(killed).items())))
        say("in containers under the storm", digest=report.digest[:16])
        faults = _faults(composition, name, report, token)

    if calm.digest != expected.digest or report.digest != expected.digest:
        faults.append("digests differ")
    services = sum(name in SERVICES for name in killed)
    if services < SERVICE_KILLS or killed.count("nats") < len(BUS_KILLS) or killed.count("store") < 1:
        faults.append(f"the evaluation ended before the storm did: {services} services killed")
    say("; ".join(faults) or "all digests agree, and the poisoned cases alone failed")
    return 1 if faults else 0


def _with_faults(scratch: Path) -> Path:
    """Write a compose file by which services know the generator with faults, and soon miss the dead."""
    plugins = scratch / "plugins"
    plugins.mkdir()
    shutil.copy(ROOT / "tests/e2e/faults.py", plugins / "faults.py")
    service = {
        "environment": {
            "BAKEOFF_PLUGINS": "faults",
            "PYTHONPATH": str(plugins),
            "BAKEOFF_ACK_WAIT_S": "4",
            "BAKEOFF_SWEEP_S": "1",
        },
        "volumes": [f"{plugins}:{plugins}:ro"],
    }
    override = scratch / "faults.json"  # JSON is YAML
    override.write_text(json.dumps({"services": dict.fromkeys(SERVICES, service)}))
    return override


def _readable(scratch: Path) -> None:
    for path in (scratch, *scratch.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)  # the containers' user reads them


def _submitted_twice(composition: Composition, request: EvaluationRequest, token: str) -> str:
    """Submit twice at the same time, and return the name of the one evaluation."""
    with ThreadPoolExecutor(2) as pool:
        names = set(pool.map(lambda _: patiently(composition.address, request, token), range(2)))
    if len(names) != 1:
        raise SystemExit(f"one request became {len(names)} evaluations")
    return names.pop()


def _kill_until(ended: Future[EvaluationReport]) -> list[str]:
    """Kill once a second, and return the services of what was killed; `store` is the object store, whichever it is."""
    chance = random.Random(11)
    killed: list[str] = []
    began = time.monotonic()
    second = 0
    while not ended.done():
        second += 1
        time.sleep(max(0.0, began + second - time.monotonic()))
        running = _containers("running")
        if second in BUS_KILLS:
            killed += _kill(running, ("nats",), chance)
        if second == STORE_KILL:
            killed += ["store" for _ in _kill(running, ("s3", "seaweedfs"), chance)]
        if sum(name in SERVICES for name in killed) < SERVICE_KILLS:
            killed += _kill(running, SERVICES, chance)
    return killed


def _kill(running: Mapping[str, str], services: tuple[str, ...], chance: random.Random) -> list[str]:
    """Kill one container of these services, and return its service, or nothing when none ran any more."""
    victims = [name for name, service in running.items() if service in services]
    if not victims:
        return []
    victim = chance.choice(victims)
    return [running[victim]] if docker("kill", victim, check=False) else []


def _mend() -> None:
    """Start what was killed by hand, which a restart policy leaves down; the policy starts what died by itself."""
    dead = [name for name, service in _containers("exited").items() if service != "credentials"]
    if dead:
        docker("start", *dead, check=False)


def _containers(status: str) -> dict[str, str]:
    """Return the services of the composition's containers of this status, by container id."""
    label = "com.docker.compose"
    form = f'{{{{.ID}}}} {{{{.Label "{label}.service"}}}}'
    lines = docker(
        "ps", "-a", "--format", form, "--filter", f"label={label}.project={PROJECT}", "--filter", f"status={status}"
    )
    return dict(line.split() for line in sorted(lines.splitlines()))


def _faults(composition: Composition, name: str, report: EvaluationReport, token: str) -> list[str]:
    """Return what is wrong: the poisoned cases fail, each for its own reason, and no other."""
    poisoned = {*RAISES, *KILLS}
    faults = [
        f"{entrant.entrant}: {entrant.failed_cases} of {entrant.planned_cases} cases failed"
        for entrant in report.entrants
        if (entrant.planned_cases, entrant.failed_cases) != (CASES, len(poisoned))
    ]
    with Client(composition.address, token=token) as client:
        rows = b"".join(client.report_file(name, "csv")).decode()
    failed = failures_by_case(rows)
    if failed.keys() != poisoned:
        faults.append(f"failed cases are {sorted(failed)}")
    faults += [
        f"{case}: {reason}"
        for case, reasons in failed.items()
        for reason in reasons
        if not (f"told to raise for {case}" in reason if case in RAISES else "killed the process" in reason)
    ]
    return faults

"""The manifests are valid, and agree with the code and with each other."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from bakeoff.contract import subjects
from bakeoff.runtime.settings import PORTS, Settings, unknown_variables
from tests.conftest import ROOT

BIN = Path(sys.executable).parent
OVERLAYS = sorted(path.name for path in (ROOT / "deploy/kustomize/overlays").iterdir())
SERVICES = sorted(PORTS)
Manifest = dict[str, Any]


@cache
def rendered(overlay: str) -> str:
    folder = ROOT / "deploy/kustomize/overlays" / overlay
    done = subprocess.run([BIN / "kubectl", "kustomize", folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def manifests(overlay: str, kind: str) -> list[Manifest]:
    return [each for each in yaml.safe_load_all(rendered(overlay)) if each["kind"] == kind]


def pods(overlay: str) -> list[tuple[str, Manifest]]:
    kinds = ("Deployment", "StatefulSet", "Job")
    return [
        (each["metadata"]["name"], each["spec"]["template"]["spec"])
        for kind in kinds
        for each in manifests(overlay, kind)
    ]


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_manifest_is_what_kubernetes_takes(overlay: str, tmp_path: Path) -> None:
    known = [each for each in yaml.safe_load_all(rendered(overlay)) if not each["apiVersion"].startswith("keda.sh")]
    file = tmp_path / "all.yaml"
    file.write_text(yaml.safe_dump_all(known))

    done = subprocess.run([BIN / "kubernetes-validate", "--strict", file], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARN" not in done.stdout + done.stderr


def test_every_scaled_object_is_what_keda_takes() -> None:
    schema = json.loads((Path(__file__).parent / "scaled_object.schema.json").read_text())
    scaled = manifests("prod", "ScaledObject")

    for each in scaled:
        jsonschema.validate(each, schema)

    assert sorted(each["spec"]["scaleTargetRef"]["name"] for each in scaled) == sorted(set(SERVICES) - {"control"})


def test_scalers_look_at_consumers_that_the_job_makes() -> None:
    durables = {(spec.stream, spec.durable) for spec in subjects.consumers(30.0)}
    triggers = [each["spec"]["triggers"][0]["metadata"] for each in manifests("prod", "ScaledObject")]

    assert {(each["stream"], each["consumer"]) for each in triggers} <= durables
    assert "streams" in {job["metadata"]["name"] for job in manifests("prod", "Job")}


def test_what_the_scaler_counts_is_not_also_counted_in_the_deployment() -> None:
    scaled = {each["spec"]["scaleTargetRef"]["name"] for each in manifests("prod", "ScaledObject")}

    counted = {each["metadata"]["name"] for each in manifests("prod", "Deployment") if "replicas" in each["spec"]}

    assert counted == set(SERVICES) - scaled


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_service_is_there_with_all_that_belongs_to_it(overlay: str) -> None:
    for kind in ("Deployment", "Service", "ServiceAccount", "PodDisruptionBudget"):
        names = {each["metadata"]["name"] for each in manifests(overlay, kind)}
        assert set(SERVICES) <= names, kind


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_no_pod_is_root_or_may_become_it(overlay: str) -> None:
    for name, pod in pods(overlay):
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert pod["automountServiceAccountToken"] is False, name
        for container in pod["containers"]:
            context = container["securityContext"]
            assert context["allowPrivilegeEscalation"] is False, name
            assert context["capabilities"] == {"drop": ["ALL"]}, name
            assert {"requests", "limits"} <= container["resources"].keys(), name


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_a_pod_is_given_longer_to_end_than_the_service_takes(overlay: str) -> None:
    for name, pod in pods(overlay):
        if name in SERVICES:
            variables = {each["name"]: each["value"] for each in pod["containers"][0]["env"]}
            assert pod["terminationGracePeriodSeconds"] > float(variables["BAKEOFF_STOP_GRACE_S"]) + 5, name


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_setting_is_one_that_services_know(overlay: str) -> None:
    settings = next(each for each in manifests(overlay, "ConfigMap") if each["metadata"]["name"] == "bakeoff-settings")

    assert unknown_variables(settings["data"]) == []
    # Files of secrets are not on this machine; everything else can be read.
    Settings.from_environment({name: text for name, text in settings["data"].items() if not name.endswith("_FILE")})


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_images_are_those_of_the_one_list(overlay: str) -> None:
    listed = set(images().values()) | {"bakeoff:0.1.0"}

    used = {container["image"] for _, pod in pods(overlay) for container in pod["containers"]}

    assert used <= listed


def test_every_image_of_every_file_stands_in_the_one_list() -> None:
    values = yaml.safe_load((ROOT / "deploy/nats/values.yaml").read_text())["container"]["image"]
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    named = {service["image"] for service in compose["services"].values()}

    assert f"{values['repository']}:{values['tag']}" == images()["NATS_IMAGE"]
    assert {name for name in named if not re.fullmatch(r"\$\{[A-Z0-9_]+_IMAGE\}", name)} == set()
    assert {name.strip("${}") for name in named} <= images().keys()


def test_compose_says_nothing_that_services_do_not_know() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())

    for name in SERVICES:
        assert unknown_variables(compose["services"][name]["environment"]) == [], name


def test_compose_publishes_ports_on_this_machine_alone_and_bounds_what_runs() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())

    for name, service in compose["services"].items():
        for port in service.get("ports", ()):
            assert port.startswith(("127.0.0.1:", "${BAKEOFF_BIND:-127.0.0.1}:")), name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert name == "credentials" or "mem_limit" in service, name


def test_in_compose_no_service_is_the_first_process_which_nothing_inside_can_kill() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())

    assert {name for name in SERVICES if compose["services"][name].get("init") is not True} == set()


def test_compose_holds_no_password() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())

    for name, service in compose["services"].items():
        secret = {key for key in service.get("environment", {}) if re.search("PASSWORD|SECRET|TOKEN|ACCESS_KEY", key)}
        assert {key for key in secret if not re.search("_FILES?$", key)} == set(), name


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npx") is None, reason="needs npx")
def test_the_composition_keeps_the_specification_of_compose() -> None:
    # Three rules are off: they do not look into variables, which the image tags and the port's interface are.
    command = ["npx", "--yes", "dclint@3.1.0", "-q", "-c", "deploy/dclint.json", "docker-compose.yml"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=110)

    assert done.returncode == 0, done.stdout + done.stderr


def images() -> dict[str, str]:
    lines = (ROOT / ".env").read_text().splitlines()
    return {name: value for name, _, value in (line.partition("=") for line in lines) if name.endswith("_IMAGE")}

"""Each component, taken into an overlay, is valid and does there what it says."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bakeoff.runtime.credentials import make_credentials
from tests.conftest import ROOT
from tests.unit.deploy.test_manifests import BIN, OVERLAYS, SERVICES, manifests

KUSTOMIZE = ROOT / "deploy/kustomize"
IN_OVERLAYS = {
    overlay: {
        Path(each).name
        for each in yaml.safe_load((KUSTOMIZE / "overlays" / overlay / "kustomization.yaml").read_text())["components"]
    }
    for overlay in OVERLAYS
}
"""Components that an overlay has."""
ADDED = [
    (overlay, component.name)
    for overlay in OVERLAYS
    for component in sorted((KUSTOMIZE / "components").iterdir())
    # Those that bring or name servers exclude each other, and an overlay has chosen.
    if component.name not in IN_OVERLAYS[overlay] | {"nats", "external-nats", "object-store", "external-s3"}
]
Manifest = dict[str, Any]


def taken(tmp_path: Path, overlay: str, *components: str) -> list[Manifest]:
    """Return what an overlay with further components renders to; Kubernetes takes all of it."""
    place = Path(os.path.relpath(KUSTOMIZE, tmp_path.resolve()))
    overlaid = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [str(place / "overlays" / overlay)],
        "components": [str(place / "components" / each) for each in components],
    }
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(overlaid))
    done = subprocess.run([BIN / "kubectl", "kustomize", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[Manifest] = list(yaml.safe_load_all(done.stdout))
    known = [each for each in found if not each["apiVersion"].startswith("keda.sh")]
    (tmp_path / "all.yaml").write_text(yaml.safe_dump_all(known))
    checked = subprocess.run(
        [BIN / "kubernetes-validate", "--strict", tmp_path / "all.yaml"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    return found


def pod_of(found: list[Manifest], name: str) -> Manifest:
    (pod,) = (
        each["spec"]["template"]["spec"]
        for each in found
        if each["kind"] == "Deployment" and each["metadata"]["name"] == name
    )
    return dict(pod)


def secrets_of(pod: Manifest) -> dict[str, str]:
    """Return which secret lies at which path of a service's credentials."""
    (items,) = (
        volume["secret"]["items"]
        for volume in pod["volumes"]
        if volume.get("secret", {}).get("secretName") == "bakeoff-credentials"
    )
    return {item["path"]: item["key"] for item in items}


@pytest.mark.parametrize(("overlay", "component"), ADDED)
def test_every_component_can_be_added_to_every_overlay(overlay: str, component: str, tmp_path: Path) -> None:
    assert taken(tmp_path, overlay, component)


def test_all_of_them_can_be_taken_together(tmp_path: Path) -> None:
    found = taken(tmp_path, "prod", "tls", "postgres", "dashboard")
    for name in SERVICES:
        assert pod_of(found, name)["containers"][0]["readinessProbe"].keys() >= {"exec"}


@pytest.mark.parametrize("name", SERVICES)
def test_in_production_each_service_has_its_own_key_to_the_objects(name: str, tmp_path: Path) -> None:
    make_credentials(tmp_path / "credentials")
    (deployment,) = (each for each in manifests("prod", "Deployment") if each["metadata"]["name"] == name)
    secrets = secrets_of(deployment["spec"]["template"]["spec"])
    assert secrets["s3_access_key"] == f"s3_access_key_{name}"
    assert secrets["s3_secret_key"] == f"s3_secret_key_{name}"
    assert all((tmp_path / "credentials" / key).exists() for key in secrets.values())


def test_postgres_is_for_knowledge_alone(tmp_path: Path) -> None:
    found = taken(tmp_path, "prod", "postgres")
    (policy,) = (each for each in found if each["metadata"]["name"] == "postgres")
    assert policy["spec"]["podSelector"]["matchLabels"] == {"app.kubernetes.io/name": "knowledge"}
    told = {name for name in SERVICES if "postgres_url" in secrets_of(pod_of(found, name))}
    assert told == {"knowledge"}
    variables = {each["name"]: each["value"] for each in pod_of(found, "knowledge")["containers"][0]["env"]}
    assert variables["BAKEOFF_POSTGRES_URL_FILE"] == "/run/bakeoff/postgres_url"


def test_the_dashboard_is_reached_by_nobody_who_may_not_forward_a_port(tmp_path: Path) -> None:
    found = taken(tmp_path, "prod", "dashboard")
    pod = pod_of(found, "dashboard")
    (container,) = pod["containers"]
    assert container["args"][-1] == "127.0.0.1:7608"
    (policy,) = (each for each in found if each["kind"] == "NetworkPolicy" and each["metadata"]["name"] == "dashboard")
    assert "ingress" not in policy["spec"]
    assert not [each for each in found if each["kind"] == "Service" and each["metadata"]["name"] == "dashboard"]
    mounted = [volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume]
    assert mounted == ["bakeoff-dashboard", "bakeoff-tls"]


def test_scalers_can_be_left_out_until_their_consumers_are_there() -> None:
    scalers = manifests("prod", "ScaledObject")
    assert all(each["metadata"]["labels"]["bakeoff.dev/scaler"] == "true" for each in scalers)
    others = [each for kind in ("Deployment", "Job") for each in manifests("prod", kind)]
    assert not any("bakeoff.dev/scaler" in each["metadata"]["labels"] for each in others)

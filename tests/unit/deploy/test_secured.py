"""What the manifests give each service: its own user of the bus, its own secrets, and TLS where it is asked for."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bakeoff.contract.bus_permissions import ACCOUNT
from bakeoff.runtime.credentials import make_credentials
from bakeoff.runtime.settings import Settings, unknown_variables
from tests.conftest import ROOT
from tests.unit.deploy.test_manifests import BIN, OVERLAYS, SERVICES, pods


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_each_service_is_its_own_user_and_is_given_no_other_password(overlay: str, tmp_path: Path) -> None:
    make_credentials(tmp_path)
    made = {path.name for path in tmp_path.iterdir()}
    for name, pod in pods(overlay):
        mounted = {
            item["key"]
            for volume in pod["volumes"]
            if volume.get("secret", {}).get("secretName") == "bakeoff-credentials"
            for item in volume["secret"]["items"]
        }
        assert mounted <= made, name
        if name in SERVICES:
            variables = {each["name"]: each["value"] for each in pod["containers"][0]["env"]}
            assert variables["BAKEOFF_NATS_USER"] == name
            assert variables["BAKEOFF_NATS_PASSWORD_FILE"] == f"/run/bakeoff/nats_password_{name}"
            assert {key for key in mounted if key.startswith("nats_")} == {f"nats_password_{name}"}
            assert "operator_token" not in mounted, name


def test_compose_gives_each_service_its_user_and_asks_for_tokens() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    for name in SERVICES:
        variables = services[name]["environment"]
        assert variables["BAKEOFF_NATS_USER"] == name
        assert variables["BAKEOFF_NATS_PASSWORD_FILE"] == f"/run/bakeoff/nats_password_{name}"
        assert {"BAKEOFF_TOKENS_FILE", "BAKEOFF_SERVICE_TOKEN_FILE", "BAKEOFF_LOCAL_PATHS"} <= variables.keys()


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_component_tls_is_taken_and_reaches_every_service(overlay: str, tmp_path: Path) -> None:
    kustomize = Path(os.path.relpath(ROOT / "deploy/kustomize", tmp_path.resolve()))
    overlaid = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [str(kustomize / "overlays" / overlay)],
        "components": [str(kustomize / "components/tls")],
    }
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(overlaid))
    done = subprocess.run([BIN / "kubectl", "kustomize", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = [each for each in yaml.safe_load_all(done.stdout) if not each["apiVersion"].startswith("keda.sh")]
    (tmp_path / "all.yaml").write_text(yaml.safe_dump_all(found))
    valid = subprocess.run(
        [BIN / "kubernetes-validate", "--strict", tmp_path / "all.yaml"], capture_output=True, text=True, check=False
    )
    assert valid.returncode == 0, valid.stdout + valid.stderr

    settings = next(each["data"] for each in found if each["metadata"]["name"] == "bakeoff-settings")
    assert unknown_variables(settings) == []
    known = Settings.from_environment({name: text for name, text in settings.items() if not name.endswith("_FILE")})
    assert known.tls_clients
    assert known.tls_ca
    deployments = {each["metadata"]["name"]: each for each in found if each["kind"] == "Deployment"}
    for name in SERVICES:
        container: dict[str, Any] = deployments[name]["spec"]["template"]["spec"]["containers"][0]
        assert {"name": "tls", "mountPath": "/run/bakeoff-tls", "readOnly": True} in container["volumeMounts"]
        assert not any("grpc" in container[probe] for probe in ("startupProbe", "readinessProbe", "livenessProbe"))


def test_scalers_look_for_consumers_in_the_account_that_has_the_streams(tmp_path: Path) -> None:
    make_credentials(tmp_path)
    text = (ROOT / "deploy/kustomize/components/autoscaling/scaled-objects.yaml").read_text()
    triggers = [trigger for each in yaml.safe_load_all(text) for trigger in each["spec"]["triggers"]]

    assert {trigger["metadata"]["account"] for trigger in triggers} == {ACCOUNT}
    assert f"\n  {ACCOUNT} {{\n    jetstream: enabled\n" in (tmp_path / "nats_authorization.conf").read_text()

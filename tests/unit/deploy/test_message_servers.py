"""The message servers of production: their users, who reaches them, and what is on disk when they say yes."""

from __future__ import annotations

import posixpath
import subprocess
from pathlib import Path
from typing import Any

import yaml

from bakeoff.runtime.credentials import make_credentials
from bakeoff.runtime.nats_server import find_program
from tests.conftest import ROOT
from tests.unit.deploy.test_manifests import BIN, manifests

NATS = ROOT / "deploy/nats"
CHART_CONFIG = "/etc/nats-config"
"""Where the official chart keeps nats.conf, and what its includes are relative to."""


def values() -> dict[str, Any]:
    return dict(yaml.safe_load((NATS / "values.yaml").read_text()))


def test_the_users_are_read_from_where_their_secret_lies() -> None:
    (mount,) = (each["value"] for each in values()["container"]["patch"])
    (volume,) = (each["value"] for each in values()["podTemplate"]["patch"])
    included = posixpath.normpath(f"{CHART_CONFIG}/{values()['config']['merge']['$include']}")

    assert included == f"{mount['mountPath']}/nats_authorization.conf"
    assert mount["mountPath"].startswith("/etc/"), "the chart's reloader looks nowhere else"
    assert mount["name"] == volume["name"]
    assert f"create secret generic {volume['secret']['secretName']} " in (NATS / "values.yaml").read_text()


def test_a_server_takes_what_the_chart_makes_of_the_values(tmp_path: Path) -> None:
    # As the chart's own tests show: `$include` becomes an include, `<< >>` loses its quotes.
    merged = values()["config"]["merge"]
    stream = values()["config"]["jetstream"]["merge"]
    (tmp_path / "nats-config").mkdir()
    make_credentials(tmp_path / "bakeoff-bus")
    config = tmp_path / "nats-config/nats.conf"
    config.write_text(
        f'include "{merged["$include"]}"\nmax_payload: {merged["max_payload"].strip("<> ")}\n'
        f'jetstream {{ store_dir: "{tmp_path}", sync_interval: {stream["sync_interval"]} }}\n'
    )

    done = subprocess.run([find_program(), "-t", "-c", config], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert stream["sync_interval"] == "always"


def test_nobody_but_services_and_the_scaler_reaches_them(tmp_path: Path) -> None:
    file = NATS / "network-policy.yaml"
    done = subprocess.run([BIN / "kubernetes-validate", "--strict", file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rules = {rule["ports"][0]["port"]: rule["from"] for rule in yaml.safe_load(file.read_text())["spec"]["ingress"]}

    assert sorted(rules) == [4222, 6222, 8222]
    namespace = {each["metadata"]["namespace"] for each in manifests("prod", "Deployment")}
    assert {rules[4222][0]["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"]} == namespace
    assert rules[8222][0]["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "keda"}
    asked = {
        each["spec"]["triggers"][0]["metadata"]["natsServerMonitoringEndpoint"]
        for each in manifests("prod", "ScaledObject")
    }
    # The headless service: the scaler asks the server that leads the consumer, since a follower's counts are stale.
    assert asked == {"nats-headless.nats.svc.cluster.local:8222"}

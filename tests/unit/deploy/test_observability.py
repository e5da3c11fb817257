"""What is watched is what the services tell, at the port where they tell it."""

from __future__ import annotations

import json
import re

import yaml

from bakeoff.runtime.settings import PORTS
from bakeoff.runtime.telemetry.names import METRICS, Kind
from tests.conftest import ROOT
from tests.unit.deploy.test_manifests import manifests

PORT = 9464
COMPONENT = ROOT / "deploy/kustomize/components/observability"


def test_the_board_asks_for_nothing_but_metrics_of_the_list_and_for_each_of_them() -> None:
    board = json.loads((COMPONENT / "board.json").read_text())
    asked = {
        name
        for panel in board["panels"]
        for target in panel["targets"]
        for name in re.findall(r"bakeoff_\w+", target["expr"])
    }
    assert asked == {metric.name + ("_bucket" if metric.kind is Kind.HISTOGRAM else "") for metric in METRICS}


def test_every_service_shows_its_metrics_where_they_are_looked_for() -> None:
    (settings,) = (each for each in manifests("prod", "ConfigMap") if each["metadata"]["name"] == "bakeoff-settings")
    assert settings["data"]["BAKEOFF_METRICS_LISTEN"] == f"0.0.0.0:{PORT}"
    services = {each["metadata"]["name"]: each["spec"]["template"] for each in manifests("prod", "Deployment")}
    for name in PORTS:
        assert services[name]["metadata"]["annotations"]["prometheus.io/port"] == str(PORT), name
        ports = services[name]["spec"]["containers"][0]["ports"]
        assert {"name": "metrics", "containerPort": PORT} in ports, name


def test_the_composition_looks_at_every_service_and_at_no_other_port() -> None:
    scrape = yaml.safe_load((ROOT / "deploy/observability/prometheus.yml").read_text())
    (found,) = scrape["scrape_configs"][0]["dns_sd_configs"]
    assert set(found["names"]) == set(PORTS)
    assert found["port"] == PORT
    assert f"BAKEOFF_METRICS_LISTEN=0.0.0.0:{PORT}" in (ROOT / ".env").read_text()


def test_nothing_is_told_unless_asked_for() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    told = compose["services"]["control"]["environment"]
    assert (told["BAKEOFF_METRICS_LISTEN"], told["BAKEOFF_TRACES_ENDPOINT"]) == (
        "${BAKEOFF_METRICS_LISTEN:-}",
        "${BAKEOFF_TRACES_ENDPOINT:-}",
    )
    for name in ("prometheus", "grafana", "collector"):
        assert compose["services"][name]["profiles"] == ["observability"]

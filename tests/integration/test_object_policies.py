"""The bucket's policies: what services really do is allowed, and a real store refuses the rest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from bakeoff.contract import object_keys
from bakeoff.contract.object_policies import ACCESS, may, policy_of
from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.credentials import make_credentials, object_keys_of
from bakeoff.runtime.objects import ObjectStore
from bakeoff.runtime.s3_objects import S3Objects
from bakeoff.runtime.s3_server import S3Server
from tests.conftest import ROOT

POLICIES = ROOT / "deploy/object-store/policies"
PROBES = (
    "raw/benchmarks/b/test/d/f.txt",
    "prepared/f/manifest.json",
    "prepared/f/ingested/part-000000.json",
    "stages/parse/k",
    "kb/k/manifest.json",
    "responses/aa/k",
    "evaluations/e/request.json",
    "evaluations/e/plan.json",
    "evaluations/e/prepared/i.json",
    "evaluations/e/answers/i.json",
    "evaluations/e/scores/i.json",
    "evaluations/e/plans/0.json",
    "evaluations/e/report/report.json",
    "evaluations/e/report-2/report.json",
    "tenants/t/benchmarks/b/test/f",
    "inputs/rows.csv",
)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, ObjectStore]]:
    """A real store, opened with the keys of each service, and with those that may do everything."""
    folder = tmp_path_factory.mktemp("policies")
    make_credentials(folder / "credentials")
    keys = object_keys_of(folder / "credentials")
    with S3Server(folder / "s3", services=keys) as server:
        opened: dict[str, ObjectStore] = {
            name: S3Objects.connect(server.endpoint, *keys[name], server.bucket, server.region) for name in keys
        }
        yield {**opened, "admin": server.connect()}


def test_the_files_are_what_the_code_says() -> None:
    assert {path.stem for path in POLICIES.glob("*.json")} == set(ACCESS)
    for service in ACCESS:
        assert json.loads((POLICIES / f"{service}.json").read_text()) == policy_of(service, "bakeoff"), service


def test_each_kind_of_object_is_written_by_one_service_but_what_several_share() -> None:
    shared = {"prepared/f/ingested/part-000000.json", "responses/aa/k", "inputs/rows.csv"}
    for key in PROBES:
        writers = [service for service in ACCESS if may(service, "write", key)]
        assert key in shared or len(writers) == 1, (key, writers)
    assert [service for service in ACCESS if may(service, "write", "raw/benchmarks/b/test/d/f")] == ["ingestion"]


def test_every_key_of_the_map_is_written_by_the_service_that_makes_it() -> None:
    of = object_keys
    made = {
        "control": [
            of.request("e"),
            of.plan("e"),
            of.later_plan("e", "0" * 64),
            of.tenant_benchmark("t", "b", "s", "f"),
        ],
        "preparation": [
            of.prepared_manifest("f"),
            of.prepared_part("f", "cases", 0),
            of.prepared_file("f", "units.json"),
            of.blob("0" * 64),
            of.prepare_result("e", "i"),
        ],
        "ingestion": [of.raw("b", "s", "d", "n"), of.raw_other("b", "s", "d", "n", "0" * 64), of.ingested_part("f", 0)],
        "knowledge": [
            of.stage_artefact("parse", "k"),
            of.kb_manifest("k"),
            of.kb_file("k", "n"),
            of.response("0" * 64),
        ],
        "inference": [of.answers("e", "i"), of.response("0" * 64)],
        "scoring": [of.scores("e", "i"), of.response("0" * 64)],
        "reporting": [of.report("e", of.REPORT_FILE), of.report("e", of.REPORT_FILE, "report-2")],
    }
    assert [(service, key) for service, keys in made.items() for key in keys if not may(service, "write", key)] == []


@pytest.mark.parametrize("service", ACCESS)
def test_a_store_lets_a_service_do_what_its_policy_says_and_nothing_else(
    stores: dict[str, ObjectStore], service: str
) -> None:
    store = stores[service]
    store.check()
    for key in PROBES:
        mine, there = f"{key}.{service}", f"{key}.{service}.there"
        stores["admin"].create(there, b"x")
        assert allowed(partial(store.create, mine, b"x")) == may(service, "write", mine), f"write {mine}"
        assert allowed(partial(store.read_key, there)) == may(service, "read", there), f"read {there}"
        assert allowed(partial(store.delete, there)) == may(service, "delete", there), f"delete {there}"


def allowed(act: Callable[[], object]) -> bool:
    try:
        act()
    except InvalidInputError as error:
        if "refuses access" not in str(error):
            raise
        return False
    return True


def test_credentials_are_made_once_for_their_owner_alone(tmp_path: Path) -> None:
    made = make_credentials(tmp_path / "made")
    before = {path.name: path.read_text() for path in (tmp_path / "made").iterdir()}

    assert set(made) == set(before)
    assert make_credentials(tmp_path / "made") == ()
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "made").iterdir())
    assert {path.name: path.read_text() for path in (tmp_path / "made").iterdir()} == before
    secrets = [text for name, text in before.items() if name not in ("tokens.json", "nats_authorization.conf")]
    assert len(set(secrets)) == len(secrets)
    assert before["operator_token"] not in before["tokens.json"]

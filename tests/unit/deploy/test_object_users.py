"""The script that makes the users of the object store: what it asks of `mc`, which is not here."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from bakeoff.contract.object_policies import ACCESS, policy_of
from bakeoff.runtime.credentials import make_credentials
from tests.conftest import ROOT

APPLY = ROOT / "deploy/object-store/apply"
MC = """#!/bin/sh
# Takes down what it is asked, and the policies and keys that it is given.
echo "$*" >> "$TOLD/calls"
case "$2 $3" in
  "policy create") cp "$6" "$TOLD/$5.json" ;;
  "user add") cat >> "$TOLD/keys" ;;
  "policy attach") [ -z "${REFUSES-}" ] || { echo "mc: <ERROR> $REFUSES"; exit 1; } ;;
esac
"""


@pytest.fixture
def credentials(tmp_path: Path) -> Path:
    make_credentials(tmp_path / "credentials")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin/mc"
    command.write_text(MC)
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "told").mkdir()
    return tmp_path / "credentials"


def apply(credentials: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    here = credentials.parent
    environment = {
        **os.environ,
        "PATH": f"{here / 'bin'}:{os.environ['PATH']}",
        "TOLD": str(here / "told"),
        **variables,
    }
    return subprocess.run([APPLY, *arguments], capture_output=True, text=True, check=False, env=environment)


def test_each_service_gets_a_user_with_its_keys_and_its_policy(credentials: Path) -> None:
    done = apply(credentials, "store", str(credentials))

    assert done.returncode == 0, done.stderr
    told = credentials.parent / "told"
    calls = (told / "calls").read_text().splitlines()
    assert calls[0] == "mb --ignore-existing store/bakeoff"
    keys = [
        (credentials / f"s3_{kind}_key_{each}").read_text() for each in sorted(ACCESS) for kind in ("access", "secret")
    ]
    assert (told / "keys").read_text().split() == keys
    for service in ACCESS:
        user = (credentials / f"s3_access_key_{service}").read_text()
        assert f"admin policy attach store bakeoff-{service} --user {user}" in calls
        assert json.loads((told / f"bakeoff-{service}.json").read_text()) == policy_of(service, "bakeoff")


def test_secrets_stand_in_no_argument_and_no_output(credentials: Path) -> None:
    done = apply(credentials, "store", str(credentials))
    tried = apply(credentials, "--dry-run", "store", str(credentials))

    shown = done.stdout + done.stderr + tried.stdout + tried.stderr + (credentials.parent / "told/calls").read_text()
    assert not [each for each in ACCESS if (credentials / f"s3_secret_key_{each}").read_text() in shown]


def test_another_bucket_is_that_of_the_policies_too(credentials: Path) -> None:
    assert apply(credentials, "store", str(credentials), "other").returncode == 0

    for service in ACCESS:
        written = json.loads((credentials.parent / f"told/bakeoff-{service}.json").read_text())
        assert written == policy_of(service, "other")


def test_a_dry_run_asks_nothing_and_says_what_it_would(credentials: Path) -> None:
    done = apply(credentials, "--dry-run", "store", str(credentials))

    assert done.returncode == 0, done.stderr
    assert not (credentials.parent / "told/calls").exists()
    assert done.stdout.count("mc admin policy create store bakeoff-") == len(ACCESS)
    assert done.stdout.count("mc admin user add store") == len(ACCESS)


def test_running_it_again_does_no_harm(credentials: Path) -> None:
    said = "Unable to make user/group policy association. The specified policy change is already in effect."
    assert apply(credentials, "store", str(credentials), REFUSES=said).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "variables", "said"),
    [
        (["store"], {}, "usage: apply"),
        (["store", "nowhere"], {}, "bakeoff credentials nowhere"),
        (["store", "CREDENTIALS"], {"REFUSES": "Access Denied."}, "Access Denied."),
    ],
)
def test_what_goes_wrong_ends_it(arguments: list[str], variables: dict[str, str], said: str, credentials: Path) -> None:
    given = [str(credentials) if each == "CREDENTIALS" else each for each in arguments]
    done = apply(credentials, *given, **variables)
    assert done.returncode != 0
    assert said in done.stderr

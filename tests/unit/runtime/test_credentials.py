"""Users of the bus from outside: made beside the services', each in an account of its own, and kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli.main import main
from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.credentials import make_credentials, outsiders_of


def test_an_outsider_has_a_password_and_an_account_of_its_own(tmp_path: Path) -> None:
    make_credentials(tmp_path)
    assert set(make_credentials(tmp_path, {"ann": "acme"})) == {"nats_outsiders.json", "nats_authorization.conf"}
    password, tenant = outsiders_of(tmp_path)["ann"]
    config = (tmp_path / "nats_authorization.conf").read_text()

    assert tenant == "acme"
    assert len(password) == 48
    assert config.count(password) == 1
    own = config[config.index('"outside-ann"') :]
    assert 'imports = [ { service: { account: BAKEOFF, subject: "bakeoff.v1.request.acme" } } ]' in own
    assert "jetstream" not in own
    for name in ("nats_outsiders.json", "nats_authorization.conf"):
        assert (tmp_path / name).stat().st_mode & 0o077 == 0


def test_those_that_were_made_stay_with_their_passwords(tmp_path: Path) -> None:
    make_credentials(tmp_path, {"ann": "acme"})
    before = outsiders_of(tmp_path)
    make_credentials(tmp_path, {"ann": "acme", "bob": "Globex Inc."})

    assert make_credentials(tmp_path) == ()
    assert outsiders_of(tmp_path)["ann"] == before["ann"]
    assert '"outside-bob"' in (tmp_path / "nats_authorization.conf").read_text()


@pytest.mark.parametrize(
    ("name", "tenant", "words"),
    [
        ("control", "acme", "not as a service"),
        ("Ann", "acme", "a-z"),
        ('x" }', "acme", "a-z"),
        ("bob", "*", "must have a tenant"),
        ("bob", "", "must have a tenant"),
        ("ann", "globex", "already, of the tenant 'acme'"),
    ],
)
def test_one_that_cannot_be_is_refused_and_nothing_is_made(tmp_path: Path, name: str, tenant: str, words: str) -> None:
    make_credentials(tmp_path, {"ann": "acme"})
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InvalidInputError, match=words.replace("*", r"\*")):
        make_credentials(tmp_path, {name: tenant})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_command_makes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["credentials", str(tmp_path), "--bus-user", "ann=acme"]) == 0
    assert json.loads((tmp_path / "nats_outsiders.json").read_text())["ann"]["tenant"] == "acme"
    assert main(["credentials", str(tmp_path), "--bus-user", "ann"]) == 2
    assert "NAME=TENANT" in capsys.readouterr().err

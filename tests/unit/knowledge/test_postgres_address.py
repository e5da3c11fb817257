"""Addresses of PostgreSQL servers, as operators write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.postgres_address import postgres_address
from bakeoff.knowledge.postgres_server import PostgresServer, schema_of


def test_an_address_is_taken_apart() -> None:
    address = postgres_address("postgresql://ada:p%40ss@db.example:6432/bake%20off")

    assert (address.host, address.port, address.database) == ("db.example", 6432, "bake off")
    assert (address.user, address.password) == ("ada", "p@ss")
    assert str(address) == "db.example:6432/bake off"
    assert "p@ss" not in repr(address)
    assert "p%40ss" not in repr(PostgresServer("postgresql://ada:p%40ss@db.example/x"))


@pytest.mark.parametrize(
    ("url", "mode"),
    [
        ("postgresql://u@db.example/x", "verify-full"),
        ("postgresql://u@db.example/x?sslmode=disable", "disable"),
        ("postgres://u@127.0.0.1/x", "disable"),
        ("postgres://u@localhost/x?sslmode=require", "require"),
        ("postgresql://u@/x?host=/var/run/postgresql", "disable"),
    ],
)
def test_whoever_is_elsewhere_shows_a_certificate_unless_said_otherwise(url: str, mode: str) -> None:
    assert postgres_address(url).mode == mode


def test_a_socket_is_named_by_its_folder() -> None:
    assert postgres_address("postgresql://u@:6432/x?host=/var/run").socket == "/var/run/.s.PGSQL.6432"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://u:secret@h/x", "must begin with postgresql://, not 'mysql'"),
        ("postgresql://u:secret@h:port/x", "its port no number"),
        ("postgresql://u:secret@h", "names no database"),
        ("postgresql://h/x", "names no user"),
        ("postgresql://u:secret@/x", "names no host"),
        ("postgresql://u:secret@h/x?sslmode=prefer", "sslmode must be disable, require, verify-full, not 'prefer'"),
        ("postgresql://u:secret@h/x?pool=3", "has the option 'pool'; known: host, sslmode, sslrootcert"),
        ("postgresql://u:secret@h/x?sslrootcert=/nowhere.pem", "there is no file '/nowhere.pem'"),
        ("postgresql://u:secret@/x?host=here", "must be the folder of a socket, not 'here'"),
    ],
)
def test_what_is_no_address_is_refused_without_its_password(url: str, message: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        postgres_address(url)

    assert message in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_file_without_certificates_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("none")
    with pytest.raises(InvalidInputError, match="holds no certificates"):
        postgres_address(f"postgresql://u@h/x?sslrootcert={tmp_path / 'ca.pem'}").tls()


@pytest.mark.parametrize("name", ["", 'kb"; DROP', "k" * 49, "kb\n"])
def test_a_schema_has_a_plain_name(name: str) -> None:
    with pytest.raises(InvalidInputError, match="cannot be named"):
        schema_of(name)

"""Certificates made on the spot: an authority, and what it vouches for."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Pair:
    """A certificate and its key, as PEM files."""

    certificate: Path
    key: Path


def an_authority(folder: Path, name: str = "authority") -> Pair:
    """Make an authority."""
    return _made(folder, name, ["-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:TRUE"])


def vouched_for(folder: Path, name: str, authority: Pair) -> Pair:
    """Make a certificate for this machine that an authority vouches for."""
    extensions = ["subjectAltName=IP:127.0.0.1,DNS:localhost", "basicConstraints=critical,CA:FALSE"]
    more = ["-subj", f"/CN={name}", "-CA", str(authority.certificate), "-CAkey", str(authority.key)]
    for extension in extensions:
        more += ["-addext", extension]
    return _made(folder, name, more)


def _made(folder: Path, name: str, more: list[str]) -> Pair:
    folder.mkdir(parents=True, exist_ok=True)
    pair = Pair(folder / f"{name}.pem", folder / f"{name}.key")
    command = ["openssl", "req", "-x509", "-nodes", "-days", "2", "-newkey", "ec"]
    command += ["-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", str(pair.key), "-out", str(pair.certificate)]
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder)}
    subprocess.run([*command, *more], check=True, capture_output=True, env=environment)
    return pair

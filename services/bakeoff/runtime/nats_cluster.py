"""A bus of several NATS servers on one machine: any minority of them may go away, with its disk."""

from __future__ import annotations

import secrets
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

from bakeoff.domain.errors import OutOfReachError
from bakeoff.runtime.nats_server import ClusterPart, NatsServer
from bakeoff.runtime.ports import LOOPBACK, free_ports

READY_S = 60.0  # an election takes a second or two; all of them on a busy machine take longer
POLL_S = 0.05

ROUTES = """\
cluster {{
  name: bakeoff
  listen: "{host}:{port}"
  authorization {{ user: route, password: "{password}", timeout: 5 }}
  routes: [{routes}]
}}"""


class NatsCluster:
    """Servers that keep copies of everything; a context manager. Where one server is asked for, it stands in."""

    def __init__(self, folder: Path, servers: int = 3, *, authorization: str = "") -> None:
        """Choose ports; nothing is started yet.

        Args:
            folder: For the data, configuration and log of each server.
            servers: How many; an odd number, as more than half of them must be there.
            authorization: Part of the configuration that says who may do what, instead of a token.
        """
        self.token = secrets.token_hex(24)
        self.folders = tuple(folder / f"server-{number}" for number in range(servers))
        """One for each server."""
        ports = free_ports(2 * servers)
        password = secrets.token_hex(24)
        routes = ", ".join(f'"nats://route:{password}@{LOOPBACK}:{port}"' for port in ports[:servers])
        self.servers = tuple(
            NatsServer(
                each,
                port=client,
                token=self.token,
                authorization=authorization,
                cluster=ClusterPart(
                    each.name, ROUTES.format(host=LOOPBACK, port=route, password=password, routes=routes)
                ),
            )
            for each, route, client in zip(self.folders, ports, ports[servers:], strict=False)
        )

    @property
    def url(self) -> str:
        """The addresses of all servers, without the token, separated by commas."""
        return ",".join(server.url for server in self.servers)

    @property
    def pid(self) -> int | None:
        """Process id of the first server; None while it is not started."""
        return self.servers[0].pid

    def start(self) -> NatsCluster:
        """Start all that do not run, and wait until they have elected who leads.

        Raises:
            OutOfReachError: one did not come up, or they did not agree in time.
        """
        with ThreadPoolExecutor(len(self.servers)) as pool:
            list(pool.map(lambda server: server.start(), self.servers))
        self.wait()
        return self

    def wait(self) -> None:
        """Wait until every server that runs has caught up with the others.

        Raises:
            OutOfReachError: it took longer than a minute.
        """
        deadline = time.monotonic() + READY_S
        while not all(server.healthy for server in self.servers if server.running):
            if time.monotonic() > deadline:
                raise OutOfReachError(f"the NATS servers at {self.url} did not agree in {READY_S:g} s")
            time.sleep(POLL_S)

    def wipe(self, number: int) -> None:
        """Kill a server, and take its disk away; `start` brings it back with nothing.

        Args:
            number: Which, from 0.
        """
        self.servers[number].kill()
        shutil.rmtree(self.folders[number] / "data")

    def stop(self) -> None:
        """Ask all to end; no error when they are not there."""
        with ThreadPoolExecutor(len(self.servers)) as pool:
            list(pool.map(lambda server: server.stop(), self.servers))

    def kill(self) -> None:
        """End all at once, as a power failure would."""
        for server in self.servers:
            server.kill()

    def __enter__(self) -> NatsCluster:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

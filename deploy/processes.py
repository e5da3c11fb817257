"""Bakeoff as separate processes on one machine: one NATS server, one object store, one process a service or more.

    .venv/bin/python deploy/processes.py --inference 2 --scoring 2

It prints the settings that other commands need, and stops everything at Ctrl-C or SIGTERM.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from bakeoff.embedded import SERVICES
from bakeoff.runtime.child_process import ChildProcess, start_child
from bakeoff.runtime.credentials import make_credentials, object_keys_of
from bakeoff.runtime.nats_cluster import NatsCluster
from bakeoff.runtime.nats_server import NatsServer
from bakeoff.runtime.ports import LOOPBACK, free_ports
from bakeoff.runtime.s3_server import S3Server

BUCKET = "bakeoff"
STOP_S = 25.0
REPLICAS = 3  # more copies cost more than the loss of a third server is likely


@dataclass
class Replica:
    """One process of a service."""

    service: str
    number: int
    """From 0."""
    port: int
    child: ChildProcess | None = None

    @property
    def name(self) -> str:
        """Such as `inference-1`."""
        return f"{self.service}-{self.number}"


@dataclass
class Processes:
    """The whole platform in processes; a context manager that stops them whatever happens."""

    directory: Path
    replicas: Mapping[str, int] = field(default_factory=dict)
    """Processes of a service; one of each that is not named."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """More `BAKEOFF_*` variables for all of them."""
    guarded: bool = False
    """Whether every service is a user of its own on the bus, and callers must show tokens, as in a cluster."""
    bus_servers: int = 1
    """NATS servers, an odd number; from three on each stream has three copies."""

    def __post_init__(self) -> None:
        """Choose ports; nothing is started yet."""
        self.directory = self.directory.absolute()
        self.credentials = self.directory / "credentials"
        authorization = ""
        if self.guarded:
            make_credentials(self.credentials)
            authorization = (self.credentials / "nats_authorization.conf").read_text(encoding="utf-8")
        self.nats: NatsServer | NatsCluster
        if self.bus_servers > 1:
            self.nats = NatsCluster(self.directory / "nats", self.bus_servers, authorization=authorization)
        else:
            self.nats = NatsServer(self.directory / "nats", authorization=authorization)
        services = object_keys_of(self.credentials) if self.guarded else None
        self.s3 = S3Server(self.directory / "s3", bucket=BUCKET, services=services)
        counts = {service: self.replicas.get(service, 1) for service in SERVICES}
        ports = iter(free_ports(sum(counts.values())))
        self.all = [Replica(service, n, next(ports)) for service, count in counts.items() for n in range(count)]

    @property
    def address(self) -> str:
        """host:port of the control service."""
        return self._address("control")

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs to find everything; holds secrets."""
        return {
            "BAKEOFF_NATS_URL": self.nats.url,
            "BAKEOFF_REPLICAS": str(min(self.bus_servers, REPLICAS)),
            "BAKEOFF_S3_ENDPOINT": self.s3.endpoint,
            **({} if self.guarded else self._one_for_all()),
            "BAKEOFF_S3_BUCKET": BUCKET,
            **{f"BAKEOFF_{name.upper()}_ADDRESS": self._address(name) for name in SERVICES if name != "control"},
            **(self._guard() if self.guarded else {}),
            **self.settings,
        }

    def own(self, service: str) -> dict[str, str]:
        """Return what only the processes of one service are told."""
        if not self.guarded:
            return {}
        return {
            "BAKEOFF_NATS_USER": service,
            "BAKEOFF_NATS_PASSWORD_FILE": str(self.credentials / f"nats_password_{service}"),
            "BAKEOFF_S3_ACCESS_KEY_FILE": str(self.credentials / f"s3_access_key_{service}"),
            "BAKEOFF_S3_SECRET_KEY_FILE": str(self.credentials / f"s3_secret_key_{service}"),
        }

    def _one_for_all(self) -> dict[str, str]:
        return {
            "BAKEOFF_NATS_TOKEN": self.nats.token,
            "BAKEOFF_S3_ACCESS_KEY": self.s3.access_key,
            "BAKEOFF_S3_SECRET_KEY": self.s3.secret_key,
        }

    def _guard(self) -> dict[str, str]:
        return {
            "BAKEOFF_TOKENS_FILE": str(self.credentials / "tokens.json"),
            "BAKEOFF_SERVICE_TOKEN_FILE": str(self.credentials / "service_token"),
        }

    def __enter__(self) -> Processes:
        """Start the servers, then every process."""
        self.directory.mkdir(parents=True, exist_ok=True)
        try:
            self.nats.start()
            self.s3.start()
            for replica in self.all:
                self.start(replica)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop everything."""
        self.stop()

    def start(self, replica: Replica) -> None:
        """Start a process, or start it again."""
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("BAKEOFF_")},
            **self.environment,
            **self.own(replica.service),
            "BAKEOFF_LISTEN": f"{LOOPBACK}:{replica.port}",
            "BAKEOFF_CACHE_DIR": str(self.directory / "cache" / replica.name),
        }
        argv = [sys.executable, "-m", "bakeoff", "serve", replica.service]
        log = self.directory / f"{replica.name}.log"
        replica.child = start_child(argv, environment, log, self.directory)

    def mend(self) -> None:
        """Start again whatever has ended, as a supervisor does."""
        for replica in self.all:
            if replica.child is None or not replica.child.running:
                self.start(replica)

    def stop(self) -> None:
        """Stop the services gracefully, then the servers."""
        children = [replica.child for replica in self.all if replica.child is not None]
        threads = [threading.Thread(target=child.terminate, args=(STOP_S,)) for child in children]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.nats.stop()
        self.s3.stop()

    def _address(self, service: str) -> str:
        port = next(replica.port for replica in self.all if replica.service == service)
        return f"{LOOPBACK}:{port}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the platform until told to stop."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", type=Path, default=Path(".bakeoff/processes"), help="folder of all data and logs")
    for service in SERVICES:
        if service != "control":
            parser.add_argument(f"--{service}", type=int, default=1, metavar="N", help=f"processes of {service}")
    parser.add_argument("--bus-servers", type=int, default=1, metavar="N", help="NATS servers: 1, or 3 with copies")
    options = parser.parse_args(arguments)
    counts = {service: getattr(options, service, 1) for service in SERVICES}
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with Processes(options.dir, counts, bus_servers=options.bus_servers) as processes:
        print(f"# {len(processes.all)} processes; logs in {processes.directory}")
        print(f"export BAKEOFF_SERVER={processes.address}", flush=True)
        while not stop.wait(1.0):
            processes.mend()
    return 0


if __name__ == "__main__":
    sys.exit(main())

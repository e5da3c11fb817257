"""All services in one process, with a NATS server and an object store of their own as children."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import importlib
import json
import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.item_handling import WorkerCounts
from bakeoff.runtime.lifecycle import Host, open_host
from bakeoff.runtime.nats_server import NatsServer
from bakeoff.runtime.private_files import write_private
from bakeoff.runtime.s3_server import S3Server
from bakeoff.runtime.service import Service
from bakeoff.runtime.settings import Settings

SERVICES = ("control", "preparation", "ingestion", "knowledge", "inference", "scoring", "reporting")
STOP_S = 30.0
ACK_WAIT_S = 5.0
"""Longest ack wait: what a killed run had in hand comes back to the next one so soon. In one process, signs of life
come far more often."""


def find_services(names: Sequence[str]) -> list[Service]:
    """Return services by name; `all` gives every one.

    Raises:
        InvalidInputError: there is no service of that name.
    """
    wanted = SERVICES if "all" in names else names
    for name in wanted:
        if name not in SERVICES:
            raise InvalidInputError(f"no service is named {name!r}; known: {', '.join(SERVICES)}, all")
    return [importlib.import_module(f"bakeoff.{name}.service").service for name in wanted]


class Embedded:
    """The whole platform in a folder: what is done there is done, and a later start goes on from it.

    A context manager: children and services are stopped whatever happens.
    """

    def __init__(self, directory: Path, settings: Settings | None = None) -> None:
        """Say where it lives; nothing is started yet.

        Args:
            directory: Folder of everything it keeps; made when it is not there.
            settings: What the operator set; addresses, keys and the cache are replaced, and a long ack wait is
                shortened. None means the defaults.
        """
        self._directory = directory.absolute()
        self._settings = settings or Settings()
        self._nats = NatsServer(self._directory / "nats")
        self._s3 = S3Server(self._directory / "s3", bucket=self._settings.s3_bucket)
        self._lock: IO[str] | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="platform", daemon=True)
        self._host: Host | None = None

    @property
    def address(self) -> str:
        """host:port of the gRPC server of all services.

        Raises:
            RuntimeError: it is not started.
        """
        if self._host is None:
            raise RuntimeError("the platform is not started")
        return self._host.address

    @property
    def settings(self) -> Settings:
        """The settings that its services run with, the children's addresses and keys among them."""
        return self._settings

    @property
    def metrics_address(self) -> str:
        """host:port where metrics are read; empty when nowhere."""
        return self._host.metrics_address if self._host else ""

    def children(self) -> dict[str, int]:
        """Return the process ids of its servers, by name."""
        pids = {"nats": self._nats.pid, "s3": self._s3.pid}
        return {name: pid for name, pid in pids.items() if pid is not None}

    def counts(self) -> dict[str, WorkerCounts]:
        """Return what its workers have done since the start, by stage."""
        return self._host.counts() if self._host else {}

    def __enter__(self) -> Self:
        """Start the children, then the services.

        Raises:
            InvalidInputError: a platform runs in the folder already, or a server is not installed.
            OutOfReachError: a server did not come up.
        """
        self._take_folder()
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop services and children."""
        self._stop()

    def _start(self) -> None:
        with ThreadPoolExecutor(3) as pool:
            starts: list[Future[object]] = [pool.submit(self._nats.start), pool.submit(self._s3.start)]
            # The services' modules load while the servers start.
            services = find_services(["all"])
            for start in starts:
                start.result()
        self._settings = replace(
            self._settings,
            nats_url=self._nats.url,
            nats_token=self._nats.token,
            s3_endpoint=self._s3.endpoint,
            s3_access_key=self._s3.access_key,
            s3_secret_key=self._s3.secret_key,
            # It speaks over the loopback address alone, with whoever runs it.
            listen="127.0.0.1:0",
            nats_user="",
            nats_password="",
            nats_ca="",
            token="",
            service_token="",
            tokens_file="",
            tls=False,
            tls_certificate="",
            tls_key="",
            tls_ca="",
            tls_clients=False,
            cache_dir=self._directory / "cache",
            ack_wait_s=min(self._settings.ack_wait_s, ACK_WAIT_S),
            upgrade_s=0.0,  # it is the only one
        )
        self._thread.start()
        opening = asyncio.run_coroutine_threadsafe(open_host(services, self._settings), self._loop)
        self._host = opening.result()
        note = self._directory / "embedded.json"
        write_private(note, json.dumps({"address": self._host.address, "pid": os.getpid()}))

    def _stop(self) -> None:
        (self._directory / "embedded.json").unlink(missing_ok=True)
        if self._host is not None:
            stopping = asyncio.run_coroutine_threadsafe(self._host.stop(grace_s=5.0, hurry=True), self._loop)
            with contextlib.suppress(TimeoutError):
                stopping.result(STOP_S)
            self._host = None
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(STOP_S)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda stop: stop(), (self._nats.stop, self._s3.stop)))
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _take_folder(self) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        self._lock = (self._directory / "lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            self._lock = None
            raise InvalidInputError(
                f"a platform runs in {self._directory} already; wait for it, or name another folder with --dir"
            ) from None

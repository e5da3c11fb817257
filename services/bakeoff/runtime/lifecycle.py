"""The life of a process that runs services: connect, announce, serve, work, stop gracefully."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bakeoff.contract import subjects
from bakeoff.contract.stored import encode
from bakeoff.domain.component import ComponentCard
from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.runtime import logs
from bakeoff.runtime.backoff import until_reachable
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.cancellations import Cancellations
from bakeoff.runtime.connect import connect_bus, connect_objects
from bakeoff.runtime.gateway import Gateway
from bakeoff.runtime.isolation import ChildIsolation, Isolation
from bakeoff.runtime.item_handling import WorkerCounts
from bakeoff.runtime.known_keys import with_known_keys
from bakeoff.runtime.objects import ObjectStore
from bakeoff.runtime.openness import check_openness
from bakeoff.runtime.rpc import RunningServer, make_server, open_server
from bakeoff.runtime.service import Deps, Peers, Service
from bakeoff.runtime.settings import PORTS, Settings
from bakeoff.runtime.task_versions import TaskVersions
from bakeoff.runtime.telemetry import metrics, names
from bakeoff.runtime.telemetry.lag import watch_lag
from bakeoff.runtime.telemetry.switch import Telemetry
from bakeoff.runtime.tls import server_credentials
from bakeoff.runtime.tokens import Tokens
from bakeoff.runtime.worker import Worker

READY_CHECK_S = 1.0
SAY_WAITING_S = 30.0
log = logs.get("lifecycle")


@dataclass
class Host:
    """Runs services in this process, on the event loop that starts it."""

    services: Sequence[Service]
    settings: Settings
    bus: Bus
    objects: ObjectStore
    isolation: Callable[[Settings], Isolation] = ChildIsolation
    """Makes the way in which an item is run alone, of settings with the addresses that services really have."""
    address: str = ""
    """host:port of the gRPC server, once started."""
    _workers: list[Worker] = field(default_factory=list)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _working: list[asyncio.Task[None]] = field(default_factory=list)
    _server: RunningServer | None = None
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)
    _peers: Peers | None = None
    _gateway: Gateway | None = None
    _telemetry: Telemetry | None = None

    async def start(self) -> None:
        """Make streams and consumers, announce components, open the server, take work.

        Raises:
            InvalidInputError: the address cannot be listened on, or a plug-in cannot be loaded.
        """
        settings = self.settings
        tokens = Tokens(settings.tokens_file, settings.service_token)
        check_openness(self._listen(), tokens, settings)
        self._telemetry = Telemetry(settings, [service.name for service in self.services])
        await until_reachable(
            lambda: self.bus.ensure(subjects.STREAMS, subjects.consumers(settings.ack_wait_s), subjects.BUCKETS)
        )
        addresses = settings.addresses
        self._peers = Peers(addresses, settings)
        deps = Deps(settings, self.objects, self.bus, self._peers)
        server = make_server(tokens)
        names: list[str] = []
        self.services = [service.assemble(deps) if service.assemble else service for service in self.services]
        for service in self.services:
            await self._announce(service.name, with_known_keys(service.cards(settings), settings))
            if service.serve is not None:
                names += service.serve(server, deps)
        here = {service.name for service in self.services}
        if "control" in here:
            self._gateway = Gateway(
                {name: address for name, address in addresses.items() if name not in here}, settings
            )
            server.add_generic_rpc_handlers((self._gateway,))
            names += self._gateway.services
        self._server = await open_server(server, self._listen(), names, server_credentials(settings))
        host = self._listen().rpartition(":")[0]
        self.address = f"{host}:{self._server.port}"
        # Peers open their channels when they are first asked, so this is in time.
        addresses.update(dict.fromkeys(here & addresses.keys(), self.address))
        self._start_work(deps, self.isolation(settings.with_addresses(addresses)))
        log.info("started", services=[service.name for service in self.services], address=self.address)

    async def stop(self, grace_s: float = 20.0, *, hurry: bool = False) -> None:
        """Take no more work, finish what is in hand within the grace, close everything.

        Args:
            grace_s: Time for the items in hand.
            hurry: Do not wait for a fetch that is under way either: what it brings comes again after the ack wait.
        """
        self._stopping.set()
        if hurry:
            for worker, working in zip(self._workers, self._working, strict=True):
                if worker.idle:
                    working.cancel()
        if self._server is not None:
            await self._server.set_ready(False)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._working:
            _, late = await asyncio.wait(self._working, timeout=grace_s)
            for task in late:
                task.cancel()
            if late:
                log.warning("items left in the queue", stages=len(late))
        if self._server is not None:
            await self._server.stop(1.0)
        if self._peers is not None:
            self._peers.close()
        if self._gateway is not None:
            await self._gateway.close()
        await self.bus.close()
        if self._telemetry is not None:
            await asyncio.to_thread(self._telemetry.close)

    @property
    def metrics_address(self) -> str:
        """host:port where metrics are read; empty when nowhere."""
        return self._telemetry.address if self._telemetry else ""

    def counts(self) -> dict[str, WorkerCounts]:
        """Return what the workers of this process have done, by stage."""
        return {worker.stage.value: worker.counts for worker in self._workers}

    def _listen(self) -> str:
        return self.settings.listen or f"127.0.0.1:{PORTS[self.services[0].name]}"

    def _start_work(self, deps: Deps, isolation: Isolation) -> None:
        cancellations = Cancellations(self.bus)
        for service in self.services:
            if service.handler is not None:
                module = f"bakeoff.{service.name}.service"
                cards = service.cards(self.settings)
                versions = TaskVersions(self.bus, service.name, cards, self.settings.upgrade_s)
                worker = Worker(deps, service.handler(deps), module, isolation, cancellations, versions)
                self._workers.append(worker)
                self._working.append(asyncio.create_task(worker.run(self._stopping)))
            if service.background is not None:
                self._tasks.append(asyncio.create_task(_forever(service, deps)))
        self._tasks.append(asyncio.create_task(self._watch_readiness()))
        if any(service.name == "control" for service in self.services) and self.metrics_address:
            self._tasks.append(asyncio.create_task(watch_lag(self.bus)))

    async def _announce(self, name: str, cards: Sequence[ComponentCard]) -> None:
        value = encode(tuple(cards))
        await until_reachable(lambda: self.bus.kv_put(subjects.COMPONENTS_BUCKET, name, value))

    async def _watch_readiness(self) -> None:
        ready = True
        metrics.level(names.READY, 1.0)  # connected, and nothing in hand
        while True:
            await asyncio.sleep(READY_CHECK_S)
            now_ready = self.bus.connected and all(worker.ready for worker in self._workers)
            metrics.level(names.READY, float(now_ready))
            if now_ready != ready and self._server is not None:
                ready = now_ready
                await self._server.set_ready(ready)
                log.info("ready" if ready else "not ready")


async def _forever(service: Service, deps: Deps) -> None:
    """Keep a service's background work going: what it raises is logged, and it starts again."""
    assert service.background is not None  # noqa: S101  # asked before
    while True:
        try:
            await service.background(deps)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("background work raised", service=service.name)
        await asyncio.sleep(0.5)


async def open_host(services: Sequence[Service], settings: Settings) -> Host:
    """Connect to what the settings name and start services there.

    Raises:
        OutOfReachError: the bus or the object store does not answer.
        InvalidInputError: they answer, but refuse the credentials or the bucket, or it cannot be written.
    """
    objects = await asyncio.to_thread(connect_objects, settings)
    await asyncio.to_thread(objects.check)  # a bucket that is only readable must not be found out by the first item
    bus = await connect_bus(settings, "-".join(service.name for service in services))
    host = Host(services, settings, bus, objects)
    try:
        await host.start()
    except BaseException:
        await bus.close()
        raise
    return host


def serve(services: Sequence[Service], settings: Settings) -> int:
    """Run services until SIGTERM or SIGINT; return the exit code 0.

    Raises:
        InvalidInputError: settings or credentials are wrong, or a plug-in cannot be loaded.
    """
    if not services:
        raise InvalidInputError(f"no service to serve; known: {', '.join(PORTS)}, all")
    # What is wrong with the settings is told now, not after the bus was waited for.
    check_openness(settings.listen or "127.0.0.1:0", Tokens(settings.tokens_file, settings.service_token), settings)
    server_credentials(settings)
    for service in services:
        service.cards(settings)  # a plug-in that cannot be loaded is told now, not after the bus was waited for
    logs.configure(settings)
    asyncio.run(_serve(services, settings))
    return 0


async def _serve(services: Sequence[Service], settings: Settings) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signal_number, stop.set)
    starting = asyncio.create_task(until_reachable(lambda: open_host(services, settings), _Waiting()))
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait({starting, stopped}, return_when=asyncio.FIRST_COMPLETED)
    if not starting.done():
        starting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await starting
        return
    host = starting.result()
    await stopped
    log.info("stopping")
    await host.stop(settings.stop_grace_s)
    log.info("stopped")


class _Waiting:
    """Says what is waited for: at once, and then now and again."""

    def __init__(self) -> None:
        self._said_at = float("-inf")

    def __call__(self, error: OutOfReachError) -> None:
        if time.monotonic() - self._said_at >= SAY_WAITING_S:
            self._said_at = time.monotonic()
            log.warning("waiting for the bus and the object store", reason=str(error))

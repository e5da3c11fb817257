"""A platform that asks for tokens, as two processes would be: control, and everything else, on memory twins."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bakeoff.cli.requests import read_request
from bakeoff.client import Client
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.embedded import SERVICES, find_services
from bakeoff.runtime.lifecycle import Host
from bakeoff.runtime.memory_bus import MemoryBus
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.settings import Settings
from bakeoff.runtime.tokens import digest_of_token, entry_of, new_token
from tests.conftest import ROOT

QUICKSTART = ROOT / "examples/quickstart/quickstart.yaml"
TENANTS = ("acme", "globex")


@dataclass
class GuardedPlatform:
    """Its two addresses, and the tokens that it knows."""

    address: str = ""
    """Of control, which passes calls on."""
    inner: str = ""
    """Of the other services."""
    tokens: dict[str, str] = field(default_factory=dict)
    """By name: `acme`, `globex`, `operator`, and `acme-reader`, which may only read."""
    tokens_file: Path = Path()
    settings: Settings = field(default_factory=Settings)
    bus: MemoryBus = field(default_factory=MemoryBus)
    objects: MemoryObjects = field(default_factory=MemoryObjects)

    def client(self, name: str, address: str = "") -> Client:
        """Return a client that shows a token; one without for the empty name."""
        shown = self.tokens.get(name, name)
        return Client(address or self.address, replace(self.settings, token=shown, service_token=""))

    def add_token(self, name: str, tenant: str, *roles: str) -> str:
        """Make a token and write it into the file."""
        self.tokens[name] = new_token()
        known = json.loads(self.tokens_file.read_text()) if self.tokens_file.exists() else {}
        known[digest_of_token(self.tokens[name])] = entry_of(tenant, roles, name)
        self.tokens_file.write_text(json.dumps(known))
        return self.tokens[name]


def quick_start(title: str) -> EvaluationRequest:
    """Return the request of the quick start under another title, so that it is an evaluation of its own."""
    return replace(read_request(QUICKSTART, Settings()).request, name=title, idempotency_key=title)


@contextmanager
def guarded_platform(folder: Path, settings: Settings | None = None) -> Iterator[GuardedPlatform]:
    """Run the platform in a thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    platform = GuardedPlatform(tokens_file=folder / "tokens.json")
    for tenant in TENANTS:
        platform.add_token(tenant, tenant, "submit", "read")
    platform.add_token("acme-reader", "acme", "read")
    platform.add_token("operator", "*", "operate")
    base = replace(
        settings or Settings(),
        tokens_file=str(platform.tokens_file),
        service_token=new_token(),
        listen="127.0.0.1:0",
        cache_dir=folder / "cache",
        local_paths=str(ROOT / "examples"),
        sweep_s=0.2,
    )
    platform.settings = base

    async def start() -> list[Host]:
        rest = Host(
            find_services([name for name in SERVICES if name != "control"]), base, platform.bus, platform.objects
        )
        await rest.start()
        addresses = dict.fromkeys((name for name in SERVICES if name != "control"), rest.address)
        control = Host(find_services(["control"]), base.with_addresses(addresses), platform.bus, platform.objects)
        # Inside, knowledge is asked at the address that all of them have.
        await control.start()
        platform.address, platform.inner = control.address, rest.address
        return [control, rest]

    hosts = asyncio.run_coroutine_threadsafe(start(), loop).result(60)
    try:
        yield platform
    finally:
        for host in hosts:
            asyncio.run_coroutine_threadsafe(host.stop(grace_s=2.0, hurry=True), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)

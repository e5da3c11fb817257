"""Who makes what: claims of several builders over one bus."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest

from bakeoff.contract import subjects
from bakeoff.contract.subjects import CLAIMS_BUCKET
from bakeoff.knowledge.claims import SharedClaims
from bakeoff.runtime.memory_bus import MemoryBus

LEASE_S = 0.3


class Ticking:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop that runs in another thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()


@pytest.fixture
def bus(loop: asyncio.AbstractEventLoop) -> MemoryBus:
    """A bus that lives in the loop."""

    async def open_it() -> MemoryBus:
        bus = MemoryBus()
        await bus.ensure((), (), subjects.BUCKETS)
        return bus

    return asyncio.run_coroutine_threadsafe(open_it(), loop).result(10)


def test_a_claim_is_one_builders_until_it_is_given_back(bus: MemoryBus, loop: asyncio.AbstractEventLoop) -> None:
    one, other = SharedClaims(bus, loop), SharedClaims(bus, loop)

    assert one.take("parse-k")
    assert not other.take("parse-k")
    assert not one.take("parse-k")  # another thread of the same process
    assert other.take("chunk-k")
    one.give_back("parse-k")
    assert other.take("parse-k")


def test_the_claim_of_a_dead_builder_is_free_after_a_lease(bus: MemoryBus, loop: asyncio.AbstractEventLoop) -> None:
    clock = Ticking()
    dead = SharedClaims(bus, loop, lease_s=1000)  # renews far too late
    living = SharedClaims(bus, loop, lease_s=10, clock=clock)
    assert dead.take("k")
    assert not living.take("k")

    clock.now = 9
    assert not living.take("k")
    clock.now = 11
    assert living.take("k")

    dead.give_back("k")  # it comes back to life, and must not end what is another's now
    assert not SharedClaims(bus, loop).take("k")


def test_a_claim_that_is_held_is_renewed(bus: MemoryBus, loop: asyncio.AbstractEventLoop) -> None:
    holder, waiter = SharedClaims(bus, loop, lease_s=LEASE_S), SharedClaims(bus, loop, lease_s=100 * LEASE_S)
    assert holder.take("k")
    first = entry(bus, loop)

    deadline = time.monotonic() + 30
    while entry(bus, loop) == first and time.monotonic() < deadline:
        time.sleep(LEASE_S / 10)

    assert entry(bus, loop) > first
    assert not waiter.take("k")


def entry(bus: MemoryBus, loop: asyncio.AbstractEventLoop) -> int:
    """The revision of the claim `k`."""
    found = asyncio.run_coroutine_threadsafe(bus.kv_get(CLAIMS_BUCKET, "k"), loop).result(10)
    assert found is not None
    return found.revision

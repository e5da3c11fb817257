"""What buckets promise, on both twins of the bus."""

from __future__ import annotations

import asyncio

import pytest

from bakeoff.contract.subjects import STATES_BUCKET
from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.bus import Bus
from tests.contract.bus_fixtures import OnBus


def test_a_key_is_created_once_and_changed_only_at_its_revision(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        assert await bus.kv_get(STATES_BUCKET, "ev") is None
        assert await bus.kv_update(STATES_BUCKET, "ev", b"0", 0) is None
        created = await bus.kv_create(STATES_BUCKET, "ev", b"1")
        assert created is not None
        assert await bus.kv_create(STATES_BUCKET, "ev", b"2") is None
        updated = await bus.kv_update(STATES_BUCKET, "ev", b"3", created)
        assert updated is not None
        assert updated > created
        assert await bus.kv_update(STATES_BUCKET, "ev", b"4", created) is None
        entry = await bus.kv_get(STATES_BUCKET, "ev")
        assert entry is not None
        assert (entry.key, entry.value, entry.revision) == ("ev", b"3", updated)
        put = await bus.kv_put(STATES_BUCKET, "ev", b"5")
        assert put > updated
        assert await bus.kv_update(STATES_BUCKET, "ev", b"6", updated) is None

    on_bus(scenario)


def test_a_deleted_key_has_no_value_and_can_be_created_again(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        first = await bus.kv_create(STATES_BUCKET, "ev", b"1")
        assert first is not None
        await bus.kv_put(STATES_BUCKET, "b", b"")
        await bus.kv_put(STATES_BUCKET, "a/x.y=z", b"1")
        assert await bus.kv_keys(STATES_BUCKET) == ["a/x.y=z", "b", "ev"]
        await bus.kv_delete(STATES_BUCKET, "ev")
        await bus.kv_delete(STATES_BUCKET, "never")
        assert await bus.kv_get(STATES_BUCKET, "ev") is None
        assert await bus.kv_keys(STATES_BUCKET) == ["a/x.y=z", "b"]
        assert await bus.kv_update(STATES_BUCKET, "ev", b"2", first) is None
        assert await bus.kv_create(STATES_BUCKET, "ev", b"2") is not None
        empty = await bus.kv_get(STATES_BUCKET, "b")
        assert empty is not None
        assert empty.value == b""

    on_bus(scenario)


def test_of_many_that_change_a_key_at_the_same_revision_one_wins(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        revision = await bus.kv_create(STATES_BUCKET, "n", b"0")
        assert revision is not None
        tries = [bus.kv_update(STATES_BUCKET, "n", b"%d" % each, revision) for each in range(10)]
        won = [each for each in await asyncio.gather(*tries) if each is not None]
        entry = await bus.kv_get(STATES_BUCKET, "n")
        assert entry is not None
        assert won == [entry.revision]

    on_bus(scenario)


def test_a_key_with_other_characters_is_refused(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        for key in ("", ".a", "a.", "a b", "a*", "ä"):
            with pytest.raises(InvalidInputError, match="key"):
                await bus.kv_get(STATES_BUCKET, key)
            with pytest.raises(InvalidInputError, match="key"):
                await bus.kv_put(STATES_BUCKET, key, b"x")

    on_bus(scenario)


def test_a_bucket_that_does_not_exist_is_refused(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        with pytest.raises(InvalidInputError, match="nowhere"):
            await bus.kv_get("nowhere", "a")
        with pytest.raises(InvalidInputError, match="nowhere"):
            await bus.kv_put("nowhere", "a", b"x")
        with pytest.raises(InvalidInputError, match="nowhere"):
            await bus.kv_keys("nowhere")

    on_bus(scenario)

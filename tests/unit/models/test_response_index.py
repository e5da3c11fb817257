"""What a process knows of the responses that are kept, and when it believes that."""

from __future__ import annotations

import asyncio

import pytest

from bakeoff.models import response_index
from bakeoff.models.response_index import ResponseIndex


class Store:
    """Counts what is listed."""

    def __init__(self, *keys: str) -> None:
        self.keys = set(keys)
        self.listed: list[str] = []

    async def list(self, prefix: str) -> list[str]:
        self.listed.append(prefix)
        await asyncio.sleep(0)
        return [key for key in self.keys if key.startswith(prefix)]

    @property
    def lists(self) -> int:
        return self.listed.count("responses/")


def an_index(store: Store, longest_s: float = 100.0) -> ResponseIndex:
    return ResponseIndex(store.list, longest_s)


def test_only_a_lookup_can_tell_before_anything_was_listed() -> None:
    assert an_index(Store("responses/00/a")).knows("responses/00/a") is None


def test_a_batch_knows_what_is_there_and_what_is_not() -> None:
    async def scenario() -> None:
        index = an_index(Store("responses/00/a"))
        await index.begin(100)
        assert index.knows("responses/00/a") is True
        assert index.knows("responses/00/b") is False
        index.add("responses/00/b")
        assert index.knows("responses/00/b") is True

    asyncio.run(scenario())


def test_who_asks_outside_of_a_batch_believes_no_list() -> None:
    async def scenario() -> None:
        index = an_index(Store())
        await index.begin(100)
        index.end()
        assert index.knows("responses/00/b") is None

    asyncio.run(scenario())


def test_a_list_is_made_once_lookups_would_cost_as_much() -> None:
    async def scenario() -> None:
        store = Store(*(f"responses/00/{number}" for number in range(10)))  # about 10 · 256, as it seems
        index = an_index(store)
        await index.begin(100)
        assert store.lists == 0  # 2560 > 100 · 10
        for number in range(100):
            assert index.knows(f"responses/01/{number}") is None
        await index.begin(100)
        assert store.lists == 0  # 2560 > 200 · 10
        for number in range(100):
            assert index.knows(f"responses/02/{number}") is None
        await index.begin(100)
        assert store.lists == 1  # 2560 ≤ 300 · 10
        assert index.knows("responses/00/3") is True

    asyncio.run(scenario())


def test_the_batches_of_one_scope_share_a_list_and_another_scope_gets_its_own() -> None:
    async def scenario() -> None:
        store = Store()
        index = an_index(store)
        await index.begin(100, "first")
        store.keys.add("responses/00/late")  # by another process
        await index.begin(100, "first")
        assert store.lists == 1
        assert index.knows("responses/00/late") is False
        await index.begin(100, "second")
        assert store.lists == 2
        assert index.knows("responses/00/late") is True
        await index.begin(100)
        assert store.lists == 3

    asyncio.run(scenario())


def test_an_old_list_is_not_believed() -> None:
    async def scenario() -> None:
        store = Store()
        now_s = 1000.0
        index = ResponseIndex(store.list, 5.0, clock=lambda: now_s)
        await index.begin(100, "scope")
        assert index.knows("responses/00/a") is False
        now_s += response_index.SHORTEST_S
        assert index.knows("responses/00/a") is None
        await index.begin(100, "scope")
        assert store.lists == 2

    asyncio.run(scenario())


def test_those_who_begin_together_wait_for_one_list() -> None:
    async def scenario() -> None:
        store = Store("responses/00/a")
        index = an_index(store)
        await asyncio.gather(*(index.begin(100, "scope") for _ in range(8)))
        assert store.lists == 1
        assert index.knows("responses/00/a") is True
        assert index.knows("responses/00/b") is False

    asyncio.run(scenario())


def test_what_is_stored_while_a_list_is_made_is_known_afterwards() -> None:
    async def scenario() -> None:
        store = Store()
        index = an_index(store)
        beginning = asyncio.create_task(index.begin(100))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        index.add("responses/00/meanwhile")
        await beginning
        assert index.knows("responses/00/meanwhile") is True

    asyncio.run(scenario())


def test_a_store_out_of_reach_leaves_the_index_as_it_was() -> None:
    async def scenario() -> None:
        async def broken(prefix: str) -> list[str]:
            raise ConnectionError(prefix)

        index = ResponseIndex(broken)
        with pytest.raises(ConnectionError):
            await index.begin(100)
        assert index.knows("responses/00/a") is None

    asyncio.run(scenario())

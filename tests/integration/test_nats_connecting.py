"""How the bus over NATS finds its server, or says why not."""

from __future__ import annotations

import asyncio
import socket
import time
from pathlib import Path

import pytest

from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.runtime.nats_bus import NatsBus
from bakeoff.runtime.nats_server import NatsServer
from bakeoff.runtime.ports import LOOPBACK, free_port


def test_a_server_that_is_not_there_is_out_of_reach_and_named() -> None:
    port = free_port()
    begun = time.monotonic()
    with pytest.raises(OutOfReachError, match=f"127.0.0.1:{port}"):
        asyncio.run(NatsBus.connect(f"nats://127.0.0.1:{port}", "token", patience_s=1.0))
    assert 0.8 < time.monotonic() - begun < 30


def test_something_that_is_no_bus_is_out_of_reach() -> None:
    with socket.create_server((LOOPBACK, 0)) as silent:
        port = silent.getsockname()[1]
        begun = time.monotonic()
        with pytest.raises(OutOfReachError, match=f"127.0.0.1:{port}"):
            asyncio.run(NatsBus.connect(f"nats://127.0.0.1:{port}", patience_s=1.0))
        assert time.monotonic() - begun < 30


def test_connecting_waits_for_a_server_that_comes_up(tmp_path: Path) -> None:
    async def scenario() -> None:
        server = NatsServer(tmp_path / "nats", port=free_port())
        connecting = asyncio.create_task(NatsBus.connect(server.url, server.token, patience_s=10))
        await asyncio.sleep(0.5)
        try:
            await asyncio.to_thread(server.start)
            bus = await connecting
            assert bus.connected
            await bus.close()
        finally:
            server.stop()

    asyncio.run(scenario())


@pytest.mark.parametrize("token", ["wrong-and-secret", ""])
def test_a_wrong_token_is_refused_at_once(server: NatsServer, token: str) -> None:
    begun = time.monotonic()
    with pytest.raises(InvalidInputError, match="token") as caught:
        asyncio.run(NatsBus.connect(server.url, token, patience_s=10))
    assert time.monotonic() - begun < 9
    assert "wrong-and-secret" not in str(caught.value)
    assert server.token not in str(caught.value)


@pytest.mark.parametrize("url", ["nats://", "nats://host:port", "nats://127.0.0.1:1,ws://127.0.0.1:2"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidInputError, match="address"):
        asyncio.run(NatsBus.connect(url, patience_s=2))

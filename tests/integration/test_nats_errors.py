"""The bus over NATS when the server sends an error at which nats-py gives up for good."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from bakeoff.contract import subjects
from bakeoff.runtime.nats_bus import NatsBus
from bakeoff.runtime.nats_server import NatsServer
from bakeoff.runtime.ports import LOOPBACK
from tests.integration.nats_fixtures import ACK_WAIT_S, SCORE, done, task


class Middleman:
    """Passes bytes between clients and a server, and can say something in the server's name."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._clients: list[asyncio.StreamWriter] = []

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection(LOOPBACK, self._port)
        self._clients.append(writer)
        await asyncio.gather(self.carry(reader, server_writer), self.carry(server_reader, writer))

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    def say(self, line: bytes) -> None:
        for client in self._clients:
            client.write(line)


@pytest.mark.parametrize("error", ["User Authentication Expired", "Authorization Violation", "Unknown Operation"])
def test_the_bus_connects_anew_and_everything_goes_on(server: NatsServer, error: str) -> None:
    async def scenario() -> None:
        middleman = Middleman(int(server.url.rsplit(":", 1)[1]))
        listening = await asyncio.start_server(middleman.meet, LOOPBACK, 0)
        port = listening.sockets[0].getsockname()[1]
        bus = await NatsBus.connect(f"nats://{LOOPBACK}:{port}", server.token)
        await bus.ensure(subjects.STREAMS, subjects.consumers(ACK_WAIT_S), subjects.BUCKETS)
        await bus.publish(task("i0"), b"x")
        [held] = await bus.fetch(SCORE, 1, 2)
        waiting = asyncio.create_task(bus.fetch(SCORE, 1, 10))
        follower = bus.follow(subjects.ALL_DONE, after=0)
        following = asyncio.ensure_future(anext(follower))
        await asyncio.sleep(0.2)

        middleman.say(f"-ERR '{error}'\r\n".encode())
        await asyncio.sleep(0.05)

        assert await bus.publish(done("i1"), b"x", first_only=True)
        assert (await asyncio.wait_for(following, 5)).subject == done("i1")
        await held.ack()
        await bus.publish(task("i1"), b"x")
        [delivery] = await asyncio.wait_for(waiting, 5)
        assert delivery.message.subject == task("i1")
        await bus.close()
        listening.close()

    asyncio.run(scenario())

"""Models inside private networks are asked only where that is allowed, however their hosts are written."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.models.model_settings import ModelSettings
from bakeoff.models.refusals import EndpointTroubleError
from bakeoff.models.transport import Transport


def ask(base_url: str, *, allow_private: bool) -> Any:
    async def fetch() -> bytes:
        transport = Transport(ModelSettings(base_url=base_url, model="m"), None, allow_private=allow_private)
        try:
            return await transport.fetch("/models")
        finally:
            await transport.close()

    return asyncio.run(fetch())


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:9",
        "10.0.0.1:9",
        "192.168.7.7:9",
        "169.254.169.254",
        "[::1]:9",
        "[::ffff:127.0.0.1]:9",
        "0.0.0.0:9",
        "100.64.0.1:9",
        "localhost:9",
        "0x7f000001:9",
    ],
)
def test_a_host_that_is_or_leads_to_a_private_address_is_refused(host: str) -> None:
    with pytest.raises(InvalidInputError, match="no public address; set BAKEOFF_ALLOW_PRIVATE_MODELS"):
        ask(f"http://{host}/v1", allow_private=False)


@pytest.mark.parametrize("host", ["2130706433:9", "127.1:9"])
def test_a_spelling_that_only_some_programs_take_for_an_address_is_not_asked_at_all(host: str) -> None:
    with pytest.raises(EndpointTroubleError, match="InvalidUrl"):
        ask(f"http://{host}/v1", allow_private=False)


def test_where_it_is_allowed_the_same_host_is_asked() -> None:
    with pytest.raises(Exception, match="cannot be reached"):
        ask("http://127.0.0.1:9/v1", allow_private=True)

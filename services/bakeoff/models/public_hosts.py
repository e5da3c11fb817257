"""Models at public addresses alone: what a request names must not open the private network to who sent it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.public_addresses import is_public

MODELS = "set BAKEOFF_ALLOW_PRIVATE_MODELS=true to allow models inside the network"


def check_model_host(url: str) -> None:
    """Refuse the address of a model whose host is an IP address that is not public; names are looked up later.

    Raises:
        InvalidInputError: so it is.
    """
    host = urlsplit(url).hostname or ""
    try:
        public = is_public(host)
    except ValueError:
        return
    if not public:
        raise _refusal(host, host)


class PublicResolver(AbstractResolver):
    """Looks names up, and gives no address that is not public: what it gives is what is connected to."""

    def __init__(self) -> None:
        """Look up as the system does."""
        self._resolver = ThreadedResolver()

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[ResolveResult]:
        """Return a host's addresses.

        Raises:
            InvalidInputError: one of them is not public.
            OSError: the host is not known.
        """
        found = await self._resolver.resolve(host, port, family)
        for each in found:
            if not is_public(each["host"]):
                raise _refusal(host, each["host"])
        return found

    async def close(self) -> None:
        """Close the resolver."""
        await self._resolver.close()


def connector_options(*, allow_private: bool) -> dict[str, Any]:
    """Return the options of an aiohttp connector that reaches public addresses alone, or any."""
    return {} if allow_private else {"resolver": PublicResolver(), "use_dns_cache": False}


def _refusal(host: str, address: str) -> InvalidInputError:
    return InvalidInputError(f"the model's host {host!r} is at {address}, which is no public address; {MODELS}")

"""A connection to a platform, to wait for and to await: how it is opened, closed and called."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar

from bakeoff.client.call import Call, Stream, domain_errors, messages
from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.channels import bearer, open_async_channel, open_channel
from bakeoff.runtime.envelope import TRACEPARENT
from bakeoff.runtime.rpc import OPTIONS
from bakeoff.runtime.settings import Settings
from bakeoff.runtime.telemetry import spans

T = TypeVar("T")
CALL_S = 30.0  # a submission waits for the bus; everything else answers at once
BUILD_S = 3600.0  # a call that builds a knowledge base, or asks a model, works for as long as that takes


class Access:
    """Where a platform is and what it is shown."""

    def __init__(
        self,
        address: str = "",
        settings: Settings | None = None,
        *,
        token: str = "",
        tls: bool = False,
        tls_ca: str = "",
        tls_certificate: str = "",
        tls_key: str = "",
        timeout_s: float = CALL_S,
    ) -> None:
        """Make a client; it connects when it is first used.

        Args:
            address: host:port of the platform's control service; empty takes the settings' `BAKEOFF_SERVER`.
            settings: What the environment says, `Settings.from_environment()`; None takes nothing from it. What is
                given below comes before it.
            token: Bearer token that is shown; empty when the platform asks for none.
            tls: Whether to speak TLS, with the system's authorities; also so when there is a `tls_ca`.
            tls_ca: PEM file of the authorities whose certificates are believed.
            tls_certificate: PEM file of the certificate that is shown where the platform asks for one.
            tls_key: PEM file of its key.
            timeout_s: Seconds after which a call that answers at once is given up; what streams, builds or asks a
                model may take longer.

        Raises:
            InvalidInputError: there is no address, or a file of TLS cannot be read.
        """
        base = settings or Settings()
        self.settings = replace(
            base,
            token=token or base.token,
            tls=tls or base.tls,
            tls_ca=tls_ca or base.tls_ca,
            tls_certificate=tls_certificate or base.tls_certificate,
            tls_key=tls_key or base.tls_key,
        )
        """What it was opened with; holds the token."""
        self.address = address or base.server
        """host:port of the platform."""
        if not self.address:
            raise InvalidInputError("no platform is named: give its address, host:port, or set BAKEOFF_SERVER")
        self._timeout_s = timeout_s
        self._stubs: dict[type[Any], Any] = {}
        self._channel: Any = self._open()

    @classmethod
    def from_environment(cls) -> Self:
        """Make a client of the platform that `BAKEOFF_SERVER` names, with the token and TLS of the environment.

        Raises:
            InvalidInputError: it names none, or a `BAKEOFF_*` variable cannot be read.
        """
        return cls(settings=Settings.from_environment())

    def _open(self) -> Any:
        raise NotImplementedError

    def _method(self, call: Call[Any] | Stream[Any]) -> Any:
        if call.stub not in self._stubs:
            self._stubs[call.stub] = call.stub(self._channel)
        return getattr(self._stubs[call.stub], call.method)


class Connection(Access):
    """A connection whose calls are waited for. A context manager; may be used from several threads."""

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()

    def _open(self) -> Any:
        return open_channel(self.address, self.settings, OPTIONS)

    def _call(self, call: Call[T], timeout_s: float | None = None) -> T:
        with domain_errors(self.address):
            return call.read(self._method(call)(messages(call.request), timeout=timeout_s or self._timeout_s))

    def _stream(self, call: Stream[T], timeout_s: float | None = None) -> Iterator[T]:
        with domain_errors(self.address):
            responses = self._method(call)(messages(call.request), timeout=timeout_s)
            try:
                for response in responses:
                    yield call.read(response)
            finally:
                responses.cancel()  # of a caller that has seen enough; does nothing to a call that ended


class AsyncConnection(Access):
    """A connection whose calls are awaited. An asynchronous context manager; made and used in one event loop."""

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        await self.close()

    async def close(self) -> None:
        """Close the connection."""
        await self._channel.close()

    def _open(self) -> Any:
        return open_async_channel(self.address, self.settings, OPTIONS)

    async def _call(self, call: Call[T], timeout_s: float | None = None) -> T:
        with domain_errors(self.address):
            response = await self._method(call)(
                messages(call.request), timeout=timeout_s or self._timeout_s, metadata=self._shown()
            )
            return call.read(response)

    async def _stream(self, call: Stream[T], timeout_s: float | None = None) -> AsyncGenerator[T, None]:
        with domain_errors(self.address):
            responses = self._method(call)(messages(call.request), timeout=timeout_s, metadata=self._shown())
            try:
                async for response in responses:
                    yield call.read(response)
            finally:
                responses.cancel()

    def _shown(self) -> list[tuple[str, Any]]:
        context = spans.current()
        return [
            *(bearer(self.settings.token) if self.settings.token else []),
            *([(TRACEPARENT, context)] if context else []),
        ]

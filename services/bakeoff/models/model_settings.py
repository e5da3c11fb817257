"""What there is to say about one model at one endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from urllib.parse import urlsplit

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.identity import canonical_json
from bakeoff.models.pricing import Prices
from bakeoff.runtime.written_secrets import suggests_secret

OURS = frozenset({"model", "messages", "prompt", "input", "stream", "stream_options", "n", "echo", "logprobs"})
"""Fields of a request that the client fills in itself."""


class Api(StrEnum):
    """Which of the endpoint's interfaces is used."""

    CHAT = "chat"
    COMPLETIONS = "completions"


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long one request may take, in seconds, > 0."""

    connect_s: float = 10.0
    silence_s: float = 120.0
    """Longest time without a byte; an answer that is not streamed comes whole after one such silence."""
    total_s: float = 600.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one question is asked again."""

    attempts: int = 5
    """Requests that may fail (5xx, dropped, truncated, malformed, timed out), from 1."""
    requests: int = 10
    """Requests in all, those that were refused with 429 among them, from 1."""
    total_s: float = 600.0
    """Seconds from the first failure after which no request is made; a longer `Retry-After` gives up at once."""
    first_wait_s: float = 0.5
    """Longest first wait; doubles with each further one."""
    longest_wait_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """What all workers together may ask of the endpoint."""

    most_at_once: int = 256
    """Requests in flight, from 1."""
    most_per_s: float = 5_000.0
    """Requests a second, > 0."""
    start_at_once: int = 8
    """Requests in flight to begin with, from 1."""
    start_per_s: float = 25.0
    """Requests a second to begin with, > 0; doubles every 0.3 s while the endpoint is happy."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """One model at one endpoint. Holds no secret, so it may be printed and stored.

    Raises:
        InvalidInputError: the address, the name or a parameter cannot be; all faults at once.
    """

    base_url: str
    """Such as `http://127.0.0.1:8080/v1`: what `/chat/completions` is appended to."""
    model: str
    """Name under which the endpoint knows it."""
    api: Api = Api.CHAT
    parameters: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """Sent as they are, such as `{"temperature": 0, "max_tokens": 256}`; JSON values."""
    stream: bool = True
    """Whether the time of each token is measured; an endpoint that cannot stream is asked without."""
    prices: Prices | None = None
    """None when cost is not known."""
    timeouts: Timeouts = field(default_factory=Timeouts)
    patience: Patience = field(default_factory=Patience)
    bounds: Bounds = field(default_factory=Bounds)

    def __post_init__(self) -> None:
        """Check everything, and bring the address into its one form."""
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))
        violations = [*_address_faults(self.base_url), *_parameter_faults(self.parameters), *self._number_faults()]
        if not self.model:
            violations.append(Violation("model", "must be the name of a model, not empty"))
        if self.api not in tuple(Api):
            violations.append(Violation("api", f"must be one of {', '.join(Api)}, not {self.api!r}"))
        if violations:
            raise InvalidInputError("the model cannot be asked like this", violations)

    def _number_faults(self) -> list[Violation]:
        least = {
            "timeouts": {"connect_s": 0.001, "silence_s": 0.001, "total_s": 0.001},
            "patience": {"attempts": 1, "requests": 1, "total_s": 0, "first_wait_s": 0.001, "longest_wait_s": 0.001},
            "bounds": {"most_at_once": 1, "most_per_s": 0.001, "start_at_once": 1, "start_per_s": 0.001},
        }
        return [
            Violation(f"{part}.{name}", f"must be at least {minimum}, not {getattr(getattr(self, part), name)!r}")
            for part, names in least.items()
            for name, minimum in names.items()
            if not getattr(getattr(self, part), name) >= minimum
        ]


def _address_faults(base_url: str) -> list[Violation]:
    try:
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError as error:
        return [Violation("base_url", f"is no address: {error}")]
    if parts.username is not None or parts.query or parts.fragment:
        # The address itself is kept back: what stands there may be the secret.
        return [Violation("base_url", "must have no user, password, query or fragment; give a key by its place")]
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        return [Violation("base_url", f"must be an http or https address, not {base_url!r}")]
    return []


def _parameter_faults(parameters: Mapping[str, object]) -> list[Violation]:
    violations = []
    for name, value in parameters.items():
        place = f"parameters.{name}"
        if name in OURS:
            violations.append(Violation(place, "is filled in by the client and cannot be set"))
        elif suggests_secret(name):
            violations.append(Violation(place, "looks like a secret, which has no place in a recipe"))
        else:
            try:
                canonical_json(value)
            except (TypeError, ValueError) as error:
                violations.append(Violation(place, f"is no JSON value: {error}"))
    return violations

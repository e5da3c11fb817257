"""Where keys of models may be sent: who asks names the endpoint, so the operator says which endpoint a key is for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import unquote, urlsplit

from bakeoff.domain.errors import InvalidInputError, Violation

ANY = "*"
"""As a name: every key. As an address: anywhere."""
VARIABLE = "BAKEOFF_KEYS_SENT_TO"
PORTS = {"http": 80, "https": 443}


def read_key_addresses(text: str) -> dict[str, tuple[str, ...]]:
    """Return the addresses that keys may be sent to, by the key's name in lower case.

    Args:
        text: `name=address` separated by commas; a name may come several times.

    Raises:
        InvalidInputError: it is nothing of the kind; all faults at once.
    """
    found: dict[str, tuple[str, ...]] = {}
    violations = []
    for pair in filter(None, (each.strip() for each in text.split(","))):
        name, equals, address = (part.strip() for part in pair.partition("="))
        if not name or not equals or not (address == ANY or _origin(address)):
            problem = f"must be name=address separated by commas, such as house=https://models.example/v1, not {pair!r}"
            violations.append(Violation(VARIABLE, problem))
            continue
        found[name.lower()] = (*found.get(name.lower(), ()), address)
    if violations:
        raise InvalidInputError("the settings cannot be read", violations)
    return found


def refusal(key: str, address: str, allowed: Mapping[str, Sequence[str]] | None) -> str | None:
    """Return why a key may not be sent to an address; None when it may.

    Args:
        key: Its name.
        address: Of a model's endpoint.
        allowed: As `read_key_addresses` gives them; None means anywhere.
    """
    if allowed is None:
        return None
    own = (*allowed.get(key.lower(), ()), *allowed.get(ANY, ()))
    if any(_leads_there(address, each) for each in own):
        return None
    where = ", ".join(own) or "nowhere"
    return (
        f"the key {key!r} may be sent to {where}, not to {address!r}: the operator says where each key may be sent "
        f"({VARIABLE})"
    )


def as_facts(names: Iterable[str], allowed: Mapping[str, Sequence[str]] | None) -> dict[str, list[str]] | None:
    """Return, for a card, the addresses that each key may be sent to; None when it is anywhere."""
    if allowed is None:
        return None
    return {name: [*allowed.get(name.lower(), ()), *allowed.get(ANY, ())] for name in names}


def _leads_there(address: str, allowed: str) -> bool:
    if allowed == ANY:
        return True
    origin = _origin(address)
    if origin is None or origin != _origin(allowed):
        return False
    path, wanted = (unquote(urlsplit(each).path).strip("/").split("/") for each in (address, allowed))
    if any(part in (".", "..") for part in path) or any("\\" in part for part in path):
        return False  # the client would tidy them away, and end elsewhere
    return wanted == [""] or path[: len(wanted)] == wanted


def _origin(address: str) -> tuple[str, str, int] | None:
    """Return scheme, host and port of an http or https address; None when it is none."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in PORTS or not parts.hostname or parts.username is not None or parts.query or parts.fragment:
        return None
    return scheme, parts.hostname, port if port is not None else PORTS[scheme]

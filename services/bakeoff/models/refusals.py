"""What an endpoint's errors mean: wait, ask again, or give up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import msgspec

from bakeoff.domain.errors import BakeoffError, InvalidInputError, NotFoundError, UnavailableError

LONGEST_SAID = 300
"""Characters of an endpoint's words that are passed on."""
EXHAUSTED = ("insufficient_quota", "billing_hard_limit_reached")
"""Codes with which 429 means that the account is empty: waiting does not help."""
PASSING = frozenset({408, 409, 425})
"""Client errors that another attempt can cure."""


class RateLimitedError(UnavailableError):
    """The endpoint refuses for now (429)."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        """Carry the seconds that the endpoint wants to be left alone; None when it does not say."""
        super().__init__(message)
        self.retry_after_s = retry_after_s


class EndpointTroubleError(UnavailableError):
    """The endpoint failed (5xx), was not reached, or broke off in the middle of an answer."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        """Carry the seconds that the endpoint wants to be left alone; None when it does not say."""
        super().__init__(message)
        self.retry_after_s = retry_after_s


class UnreachedEndpointError(EndpointTroubleError):
    """No connection could be made: nobody listens there, the name is unknown, or the way is barred."""


class SilentEndpointError(EndpointTroubleError):
    """The endpoint did not answer in time, as one that is asked too much at once."""


class RefusedRequestError(InvalidInputError):
    """The endpoint refuses what was asked, such as a prompt that is too long for the model."""

    def __init__(self, message: str, said: str) -> None:
        """Carry the endpoint's own words."""
        super().__init__(message)
        self.said = said


class RefusedKeyError(InvalidInputError):
    """The endpoint does not accept the key, or its account is empty: no request will succeed."""


class UnknownModelError(NotFoundError):
    """The endpoint knows no such model: no request will succeed."""


class UnsupportedError(InvalidInputError):
    """The endpoint cannot do what was asked, though it can do other things."""


@dataclass(frozen=True, slots=True)
class Said:
    """What an error's body says."""

    message: str = ""
    code: str = ""

    @classmethod
    def of(cls, body: bytes) -> Said:
        """Read the error shapes of the usual servers; any other body is taken as text."""
        try:
            found = msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return cls(_line(body.decode(errors="replace")))
        error = found.get("error", found) if isinstance(found, dict) else found
        if not isinstance(error, dict):
            return cls(_line(str(error)))
        message = error.get("message") or error.get("detail") or error.get("msg") or ""
        return cls(_line(str(message)), str(error.get("code") or error.get("type") or ""))


def error_for(
    status: int, said: Said, *, place: str, model: str, key: str, retry_after_s: float | None
) -> BakeoffError:
    """Return the error that a status other than 200 stands for.

    Args:
        status: HTTP status, 300 to 599.
        said: What the body says; without secrets.
        place: Address that was asked.
        model: Name of the model.
        key: Where the key came from; empty when none was sent.
        retry_after_s: What the header says; None when it says nothing.
    """
    told = f"{place} answers {status}" + (f": {said.message}" if said.message else "")
    if status == 429 and said.code in EXHAUSTED:
        return RefusedKeyError(f"{told} (the account of the {key or 'endpoint'} has nothing left)")
    if status == 429:
        return RateLimitedError(told, retry_after_s)
    if status in (401, 403):
        whose = f"the key in the {key}" if key else "a request without a key"
        return RefusedKeyError(f"{told} (it does not accept {whose})")
    if status == 404:
        return UnknownModelError(f"{told} (it knows no model {model!r}, or has nothing at that address)")
    if status in (405, 501):
        return UnsupportedError(f"{told} (it does not offer this)")
    if status >= 500 or status in PASSING:
        return EndpointTroubleError(told, retry_after_s)
    if status < 400:
        return InvalidInputError(f"{told} (it points elsewhere; name the address that answers itself)")
    return RefusedRequestError(told, said.message)


def status_within(body: bytes) -> int:
    """Return the status that an error stands for which came with status 200: its own code, else 500."""
    try:
        code = int(msgspec.json.decode(body)["error"]["code"])
    except (msgspec.DecodeError, KeyError, TypeError, ValueError):
        return 500
    return code if 400 <= code <= 599 else 500


def retry_after_s(header: str | None, now: datetime, milliseconds: str | None = None) -> float | None:
    """Return how many seconds an endpoint wants to be left alone; None when it does not say so.

    Args:
        header: `Retry-After`: seconds, or an HTTP date; None when absent.
        now: The time, to subtract from a date; the endpoint's own `Date` where it sends one, so that clocks that
            differ do no harm.
        milliseconds: `retry-after-ms`, which goes first; None when absent.

    Returns:
        At least 0; a date that has passed gives 0.

    Source: RFC 9110, 10.2.3; fractions of a second, which it does not know, are taken as they are meant.
    """
    if (exact := _number(milliseconds)) is not None:
        return exact / 1000
    if (seconds := _number(header)) is not None:
        return seconds
    moment = http_date(header)
    return None if moment is None else max(0.0, (moment - now).total_seconds())


def http_date(text: str | None) -> datetime | None:
    """Return the moment of an HTTP date; None when it is none."""
    if not text:
        return None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_SAID else line[: LONGEST_SAID - 1] + "…"

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bakeoff.domain.errors import BakeoffError, InvalidInputError, NotFoundError, UnavailableError
from bakeoff.models.refusals import (
    EndpointTroubleError,
    RateLimitedError,
    RefusedKeyError,
    Said,
    UnsupportedError,
    error_for,
    retry_after_s,
    status_within,
)

NOW = datetime(2032, 2, 29, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        ("0", 0.0),
        ("1.5", 1.5),
        (" 3 ", 3.0),
        ("Sun, 29 Feb 2032 12:00:30 GMT", 30.0),
        ("Sunday, 29-Feb-32 12:00:30 GMT", 30.0),  # the obsolete form of RFC 850
        ("Sun Feb 29 12:00:30 2032", 30.0),  # that of asctime
        ("Sun, 29 Feb 2032 11:00:00 GMT", 0.0),  # has passed
        ("Sun, 29 Feb 2032 14:00:00 +0200", 0.0),
        ("-5", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, NOW) == seconds


def test_milliseconds_go_first() -> None:
    assert retry_after_s("9", NOW, "250") == 0.25
    assert retry_after_s("9", NOW, "soon") == 9.0


CLASSES = {
    301: InvalidInputError,
    400: InvalidInputError,
    401: RefusedKeyError,
    402: InvalidInputError,
    403: RefusedKeyError,
    404: NotFoundError,
    405: UnsupportedError,
    408: EndpointTroubleError,
    413: InvalidInputError,
    422: InvalidInputError,
    429: RateLimitedError,
    500: EndpointTroubleError,
    501: UnsupportedError,
    502: EndpointTroubleError,
    503: EndpointTroubleError,
    529: EndpointTroubleError,
}


@pytest.mark.parametrize(("status", "kind"), CLASSES.items())
def test_each_status_has_its_class(status: int, kind: type[BakeoffError]) -> None:
    error = error_for(status, Said("why"), place="http://h/v1/x", model="m", key="", retry_after_s=None)

    assert isinstance(error, kind)
    assert f"http://h/v1/x answers {status}: why" in str(error)
    assert isinstance(error, UnavailableError) == (kind in (RateLimitedError, EndpointTroubleError))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"message": "too  long\\n", "code": "context_length"}}', Said("too long", "context_length")),
        (b'{"error": {"message": "m", "type": "t", "code": null}}', Said("m", "t")),
        (b'{"error": "plain"}', Said("plain")),
        (b'{"object": "error", "message": "old vLLM", "code": 40303}', Said("old vLLM", "40303")),
        (b'{"detail": "of FastAPI"}', Said("of FastAPI")),
        (b"upstream connect error", Said("upstream connect error")),
        (b"\xff\xfe", Said("\ufffd\ufffd")),
        (b"[1]", Said("[1]")),
        (b"", Said("")),
    ],
)
def test_the_error_bodies_of_the_usual_servers_are_read(body: bytes, said: Said) -> None:
    assert Said.of(body) == said


def test_what_an_endpoint_says_is_passed_on_shortened() -> None:
    assert len(Said.of(b"x" * 5000).message) == 300


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"error": {"code": 429}}', 429),
        (b'{"error": {"code": "503"}}', 503),
        (b'{"error": {"code": "x"}}', 500),
        (b'{"error": {"code": 7}}', 500),
        (b'{"error": "x"}', 500),
        (b"", 500),
    ],
)
def test_an_error_with_status_200_has_its_own_code(body: bytes, status: int) -> None:
    assert status_within(body) == status

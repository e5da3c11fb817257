"""What every bus holds to: which filters match, and what may be published under which key or subject."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.bus import MAX_PAYLOAD_BYTES

HEADER_NAME = re.compile(r"[!-9;-~]+")
KEY = re.compile(r"(?![.])[-/_=.a-zA-Z0-9]+(?<![.])")
SERVER_HEADERS = "nats-"
"""Prefix, in lower case, of headers that belong to the server and are shown to nobody."""


def matches(filter: str, subject: str) -> bool:
    """Say whether a subject lies under a filter, in which `*` is any one token and a last `>` any number from one."""
    wanted, given = filter.split("."), subject.split(".")
    for position, token in enumerate(wanted):
        if token == ">":
            return len(given) > position
        if position >= len(given) or token not in ("*", given[position]):
            return False
    return len(wanted) == len(given)


def overlap(left: str, right: str) -> bool:
    """Say whether some subject lies under both of two filters."""
    first, second = left.split("."), right.split(".")
    for one, other in zip(first, second, strict=False):
        if ">" in (one, other):
            return True
        if one != other and "*" not in (one, other):
            return False
    return len(first) == len(second)


def stream_for(filter: str, streams: Iterable[tuple[str, tuple[str, ...]]]) -> str | None:
    """Return the one stream that a filter reads from; None when there is none.

    Args:
        filter: A subject, with or without wildcards.
        streams: Name and subjects of each stream.

    Raises:
        InvalidInputError: more than one stream has subjects under the filter.
    """
    found = [name for name, subjects in streams if any(overlap(filter, subject) for subject in subjects)]
    if len(found) > 1:
        raise InvalidInputError(f"the filter {filter!r} reaches into several streams: {', '.join(sorted(found))}")
    return found[0] if found else None


def check_message(subject: str, data: bytes, headers: Mapping[str, str]) -> None:
    """Check what is about to be published.

    Raises:
        InvalidInputError: the subject has wildcards, empty tokens or spaces, the payload is too large, or a header
            has a name that cannot be sent, that belongs to the server, or a value of several lines.
    """
    if not all(subject.split(".")) or re.search(r"[\s*>]", subject):
        raise InvalidInputError(f"{subject!r} is no subject to publish on: no wildcards, spaces or empty tokens")
    if len(data) > MAX_PAYLOAD_BYTES:
        raise InvalidInputError(
            f"a message on {subject} has {len(data):,} bytes, more than {MAX_PAYLOAD_BYTES:,}: send a reference instead"
        )
    for name, value in headers.items():
        if not HEADER_NAME.fullmatch(name) or name.lower().startswith(SERVER_HEADERS):
            raise InvalidInputError(f"a message on {subject} has a header that cannot be sent: {name!r}")
        if "\n" in value or "\r" in value:
            raise InvalidInputError(f"header {name} of a message on {subject} has several lines: {value!r}")


def check_key(bucket: str, key: str) -> None:
    """Check a key of a bucket.

    Raises:
        InvalidInputError: it is empty, starts or ends with a dot, or has more than letters, digits and `-/_=.`.
    """
    if not KEY.fullmatch(key):
        raise InvalidInputError(f"{key!r} is no key for the bucket {bucket}: letters, digits and -/_=. are allowed")

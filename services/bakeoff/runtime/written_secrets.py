"""Secrets that somebody has written among a component's settings: told without being repeated, and never kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from bakeoff.domain.errors import Violation

SECRETS = ("key", "token", "secret", "password", "authorization", "apikey")
"""Parts of a parameter's name that suggest a secret, which has no place among what is stored and reported."""
PARAMETERS = "parameters"
"""The setting whose content is sent to an endpoint as it is."""
KEY = "key"
"""The setting that names one of the operator's keys."""
NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""What keys are called: by variables, or by files."""
LIKE_A_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}")
"""A name that is surely none of a key itself: these are longer, or have signs that no variable has."""


def written_secrets(settings: Mapping[str, object], field: str) -> Iterator[Violation]:
    """Yield what among settings looks like a secret, by the names and the form of things; no message repeats one.

    Args:
        settings: Of any component.
        field: Where it stands, for the messages.
    """
    for name, value in settings.items():
        if name == PARAMETERS and isinstance(value, Mapping):
            for parameter in value:
                if suggests_secret(str(parameter)):
                    yield Violation(
                        f"{field}.{name}.{parameter}", "looks like a secret, which has no place in a recipe"
                    )
        elif isinstance(value, str) and has_user(value):
            yield Violation(f"{field}.{name}", "is an address with a user or a password, which have no place in it")


def suggests_secret(parameter: str) -> bool:
    """Return whether a parameter is named like a secret, such as `api_key` or `X-Auth-Token`."""
    return any(part in SECRETS for part in re.split(r"[^a-z0-9]+", parameter.lower()))


def has_user(text: str) -> bool:
    """Return whether a text is an address that names a user or a password."""
    if "://" not in text:
        return False
    try:
        return urlsplit(text).username is not None
    except ValueError:  # no address after all, which others tell
        return False


def shown_name(name: str) -> str:
    """Return the name of a key for a message; not repeated when it may be the key itself."""
    return f"named {name!r}" if LIKE_A_NAME.fullmatch(name) else "of the name that stands there"

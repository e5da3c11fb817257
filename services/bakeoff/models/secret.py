"""A key that shows itself to nobody but the endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from bakeoff.domain.errors import InvalidInputError

SHOWN = "[key]"


class Secret:
    """A key and the place it came from. Prints as its place, and is neither compared, pickled nor stored."""

    __slots__ = ("_value", "place")

    def __init__(self, value: str, place: str) -> None:
        """Keep a key.

        Args:
            value: The key; space around it is dropped.
            place: Where it stands, for messages, such as `environment variable EXAMPLE_KEY`.

        Raises:
            InvalidInputError: it is empty or cannot be sent in a header; the message has the place alone.
        """
        value = value.strip()
        if not value:
            raise InvalidInputError(f"the {place} holds no key")
        if not value.isascii() or not value.isprintable():
            raise InvalidInputError(f"the {place} holds what cannot be sent: keys are printable ASCII of one line")
        self._value = value
        self.place = place

    @classmethod
    def from_variable(cls, name: str, environment: Mapping[str, str]) -> Secret:
        """Take the key from a variable of an environment that somebody else has read.

        Raises:
            InvalidInputError: there is no such variable, or it holds no key.
        """
        if name not in environment:
            raise InvalidInputError(f"the environment variable {name}, which should hold the key, is not set")
        return cls(environment[name], f"environment variable {name}")

    @classmethod
    def from_file(cls, path: Path) -> Secret:
        """Take the key from a file that holds nothing else.

        Raises:
            InvalidInputError: the file cannot be read, or holds no key.
        """
        try:
            text = path.read_text()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no text"
            raise InvalidInputError(f"the key file {path} cannot be read: {reason}") from None
        return cls(text, f"key file {path}")

    def header(self) -> dict[str, str]:
        """Return the header that carries it. The only way out."""
        return {"Authorization": f"Bearer {self._value}"}

    def scrub(self, text: str) -> str:
        """Return a text with the key replaced, should an endpoint have repeated it."""
        return text.replace(self._value, SHOWN) if self._value in text else text

    def __repr__(self) -> str:
        return f"Secret({self.place})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"the key of the {self.place} is not to be stored")

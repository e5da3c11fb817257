"""Values and references on the wire: enums, times, JSON values, spans, object references."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from google.protobuf import json_format, struct_pb2
from google.protobuf.timestamp_pb2 import Timestamp

from bakeoff.domain.answer import Span
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import (
    ObjectRef,
)
from bakeoff.v1 import object_pb2

E = TypeVar("E", bound=StrEnum)


def enum_to_wire(value: StrEnum, prefix: str, kind: object) -> int:
    """Return the number of a domain enum's value in the wire's enum, whose names are the prefix and the value."""
    return int(kind.Value(f"{prefix}_{value.name}"))  # type: ignore[attr-defined]  # generated wrapper


def enum_from_wire(number: int, prefix: str, kind: object, domain: type[E]) -> E:
    """Return the domain enum's value of a wire number.

    Raises:
        InvalidInputError: the number is unspecified or unknown.
    """
    try:
        name = kind.Name(number)  # type: ignore[attr-defined]  # generated wrapper
        return domain[name.removeprefix(f"{prefix}_")]
    except (ValueError, KeyError):
        allowed = ", ".join(member.name for member in domain)
        raise InvalidInputError(f"{prefix.lower()} {number} is not known; allowed: {allowed}") from None


def time_to_wire(text: str) -> Timestamp | None:
    """Return an RFC 3339 time as a timestamp; None when it is empty."""
    if not text:
        return None
    stamp = Timestamp()
    stamp.FromJsonString(text)
    return stamp


def time_from_wire(stamp: Timestamp) -> str:
    """Return a timestamp as RFC 3339 in UTC; empty for the zero time, which means absent."""
    return stamp.ToJsonString() if stamp.seconds or stamp.nanos else ""


def now() -> str:
    """Return the time now as RFC 3339 in UTC, with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def struct_to_wire(value: Mapping[str, object]) -> struct_pb2.Struct:
    """Return JSON values as a Struct. Whole numbers come back as whole numbers, up to 2^53."""
    return json_format.ParseDict(dict(value), struct_pb2.Struct())


def struct_from_wire(struct: struct_pb2.Struct) -> dict[str, object]:
    """Return a Struct as JSON values."""
    return {key: value_from_wire(item) for key, item in struct.fields.items()}


def value_to_wire(value: Any) -> struct_pb2.Value:
    """Return one JSON value."""
    return json_format.ParseDict(value, struct_pb2.Value())


def value_from_wire(value: struct_pb2.Value) -> object:
    """Return one JSON value; a number without a fraction becomes an int."""
    match value.WhichOneof("kind"):
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() and abs(number) < 2**53 else number
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "struct_value":
            return struct_from_wire(value.struct_value)
        case "list_value":
            return [value_from_wire(item) for item in value.list_value.values]
        case _:
            return None


def object_ref_to_wire(ref: ObjectRef) -> object_pb2.ObjectRef:
    """Return the message of an object reference."""
    return object_pb2.ObjectRef(key=ref.key, sha256=ref.sha256, size_bytes=ref.size_bytes)


def object_ref_from_wire(message: object_pb2.ObjectRef) -> ObjectRef:
    """Return the object reference of a message.

    Raises:
        InvalidInputError: it names no key or no digest.
    """
    if not message.key or len(message.sha256) != 64:
        raise InvalidInputError(
            f"an object reference needs a key and 64 digits of SHA-256, not {message.key!r}, {message.sha256!r}"
        )
    return ObjectRef(message.key, message.sha256, message.size_bytes)


def span_to_wire(span: Span | None) -> object_pb2.Span | None:
    """Return the message of a span; None stays None."""
    return None if span is None else object_pb2.Span(start=span.start, stop=span.stop)


def span_from_wire(message: object_pb2.Span) -> Span:
    """Return the span of a message."""
    return Span(message.start, message.stop)

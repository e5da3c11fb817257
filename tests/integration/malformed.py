"""Messages that no sane client sends, made from the definitions of the contract: seeded, and the same every time."""

from __future__ import annotations

import random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

TEXTS = (
    "",
    "\x00",
    "..",
    "../../etc/passwd",
    "ev-000000000000000000000000",
    "kb-" + "0" * 32,
    "0" * 64,
    "raw/benchmarks/a/b/c/d",
    "raw/benchmarks/../../evaluations",
    "exact_match",
    "exact_match(",
    "ndcg@10",
    "folder",
    "jsonl",
    "bm25",
    "a(b=c)" * 3,
    "{{7*7}}",
    "$(id)",
    "'; DROP TABLE x; --",
    "\u202e\U0001f600",
    "x" * 5000,
    "s3://bakeoff/evaluations/x",
    "http://127.0.0.1:1/x",
    "file:///etc/passwd",
)
NUMBERS = (0, 1, 2, 7, 2**31 - 1, 2**32 - 1, 2**63 - 1, 2**64 - 1, -1, -(2**31), -(2**63))
FLOATS = (0.0, -1.0, 0.95, 1e308, float("inf"), float("-inf"), float("nan"))
DEPTH = 6


def fill(message: Message, chance: random.Random, depth: int = 0) -> Message:
    """Set some fields of a message to values of their types, sane or not."""
    field: Any
    for field in message.DESCRIPTOR.fields:
        if chance.random() < 0.35 or depth > DEPTH:
            continue
        if field.message_type and field.message_type.GetOptions().map_entry:
            _fill_map(message, field, chance, depth)
        elif field.is_repeated:
            for _ in range(chance.randrange(3)):
                if field.type == FieldDescriptor.TYPE_MESSAGE:
                    fill(getattr(message, field.name).add(), chance, depth + 1)
                else:
                    getattr(message, field.name).append(_value(field, chance))
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            inner = getattr(message, field.name)
            inner.SetInParent()
            fill(inner, chance, depth + 1)
        else:
            setattr(message, field.name, _value(field, chance))
    return message


def spoil(data: bytes, chance: random.Random) -> bytes:
    """Cut, flip or lengthen bytes, or leave them as they are."""
    kind = chance.randrange(4)
    if kind == 1:
        return data[: chance.randrange(len(data) + 1)]
    if kind == 2 and data:
        place = chance.randrange(len(data))
        return data[:place] + bytes([data[place] ^ (1 << chance.randrange(8))]) + data[place + 1 :]
    return data + chance.randbytes(chance.randrange(1, 40)) if kind == 3 else data


def _fill_map(message: Message, field: Any, chance: random.Random, depth: int) -> None:
    key, value = field.message_type.fields_by_name["key"], field.message_type.fields_by_name["value"]
    there: Any = getattr(message, field.name)
    for _ in range(chance.randrange(3)):
        if value.type == FieldDescriptor.TYPE_MESSAGE:
            fill(there[_value(key, chance)], chance, depth + 1)
        else:
            there[_value(key, chance)] = _value(value, chance)


def _value(field: Any, chance: random.Random) -> Any:
    kind = field.cpp_type
    if kind == FieldDescriptor.CPPTYPE_STRING:
        text = chance.choice(TEXTS)
        return text.encode() if field.type == FieldDescriptor.TYPE_BYTES else text
    if kind == FieldDescriptor.CPPTYPE_BOOL:
        return chance.random() < 0.5
    if kind == FieldDescriptor.CPPTYPE_ENUM:
        return chance.choice([value.number for value in field.enum_type.values] + [999])
    if kind in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
        return chance.choice(FLOATS)
    bits = 32 if kind in (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_UINT32) else 64
    unsigned = kind in (FieldDescriptor.CPPTYPE_UINT32, FieldDescriptor.CPPTYPE_UINT64)
    least, most = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return chance.choice([number for number in NUMBERS if least <= number <= most])

"""What the previous version of the platform wrote, and how it reads: kept in `tests/data/previous`.

It is all of a small evaluation of three documents and three questions: `objects` as they lay in the object store,
`messages.jsonl` as they lay in the bus and as its tasks were sent, and `contract.binpb`, its wire contract.
"""

from __future__ import annotations

import base64
import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from bakeoff.runtime.memory_objects import MemoryObjects

FOLDER = Path(__file__).resolve().parents[1] / "data" / "previous"
EVALUATION = "ev-2088b1b0c25e12c7303dfada"
PACKAGE = "bakeoff.v1."


@dataclass(frozen=True, slots=True)
class Sent:
    """A message of the previous version."""

    subject: str
    headers: Mapping[str, str]
    data: bytes


def sent(begin: str) -> list[Sent]:
    """Return the messages whose subjects begin so; there are some."""
    lines = (json.loads(line) for line in (FOLDER / "messages.jsonl").read_text().splitlines())
    found = [Sent(line["subject"], line["headers"], base64.b64decode(line["data"])) for line in lines]
    wanted = [message for message in found if message.subject.startswith(begin)]
    assert wanted, f"no message of the previous version begins with {begin}"
    return wanted


def stored() -> MemoryObjects:
    """Return a store with the objects."""
    objects = MemoryObjects()
    root = FOLDER / "objects"
    for path in sorted(root.rglob("*")):
        if path.is_file():
            objects.create(path.relative_to(root).as_posix(), path.read_bytes())
    return objects


@functools.cache
def wire() -> Mapping[str, type[Message]]:
    """Return the previous version's messages by name, such as `Task`."""
    files = descriptor_pb2.FileDescriptorSet.FromString((FOLDER / "contract.binpb").read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    classes = message_factory.GetMessageClassesForFiles([file.name for file in files.file], pool)
    return {name.removeprefix(PACKAGE): kind for name, kind in classes.items() if name.startswith(PACKAGE)}


def filled(kind: type[Message]) -> Iterator[Message]:
    """Yield messages of a kind with every field set, one for each way to choose among alternatives."""
    oneofs = [oneof for oneof in kind.DESCRIPTOR.oneofs if len(oneof.fields) > 1]
    for choice in range(max((len(oneof.fields) for oneof in oneofs), default=1)):
        message = kind()
        _fill(message, choice, depth=0)
        yield message


def _fill(message: Message, choice: int, depth: int) -> None:
    for field in cast(list[FieldDescriptor], message.DESCRIPTOR.fields):
        oneof = field.containing_oneof
        if oneof is not None and oneof.fields[choice % len(oneof.fields)] is not field:
            continue
        _set(message, field, choice, depth)


def _set(message: Message, field: FieldDescriptor, choice: int, depth: int) -> None:
    if field.message_type is not None:
        if depth > 8:  # messages may hold themselves
            return
        if field.message_type.GetOptions().map_entry:
            _set_entry(message, field, choice, depth)
            return
        value = getattr(message, field.name)
        inner = value.add() if field.is_repeated else value
        inner.SetInParent()
        _fill(inner, choice, depth + 1)
    elif field.is_repeated:
        getattr(message, field.name).append(_scalar(field))
    else:
        setattr(message, field.name, _scalar(field))


def _set_entry(message: Message, field: FieldDescriptor, choice: int, depth: int) -> None:
    assert field.message_type is not None
    key, value = field.message_type.fields_by_name["key"], field.message_type.fields_by_name["value"]
    entries = getattr(message, field.name)
    if value.message_type is not None:
        _fill(entries[_scalar(key)], choice, depth + 1)
    else:
        entries[_scalar(key)] = _scalar(value)


def _scalar(field: FieldDescriptor) -> object:
    if field.enum_type is not None:
        return field.enum_type.values[-1].number
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return b"bytes" if field.type == FieldDescriptor.TYPE_BYTES else f"the {field.name}"
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return True
    return field.number + 1

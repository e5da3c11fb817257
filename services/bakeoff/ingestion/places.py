"""Where an original goes: its published key, or one with its digest when other bytes are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bakeoff.contract import object_keys
from bakeoff.domain.errors import DigestMismatchError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.runtime.objects import Created, ObjectStore


@dataclass(frozen=True, slots=True)
class Place:
    """What names an original in raw storage."""

    benchmark: str
    split: str
    document_id: str
    name: str


def settle(
    place: Place, sha256: str, size_bytes: int, objects: ObjectStore, write: Callable[[str], Created]
) -> Created:
    """Have an original's bytes in raw storage and return where. What is there already is left as it is.

    Args:
        place: Whose bytes they are.
        sha256: Their digest.
        size_bytes: How many they are.
        objects: Raw storage.
        write: Creates them under a key unless it is taken; called only when they are not there.

    Raises:
        DigestMismatchError: both keys hold other bytes, which only somebody else's writing can cause.
    """
    names = (place.benchmark, place.split, place.document_id, place.name)
    for key in (object_keys.raw(*names), object_keys.raw_other(*names, sha256)):
        there = objects.stat(key)
        if there is None or there.sha256 is None:
            created = write(key)
            if created.ref.sha256 == sha256:
                return created
        elif there.sha256 == sha256:
            return Created(ObjectRef(key, sha256, size_bytes), created=False)
    raise DigestMismatchError(f"{key} holds other bytes than its name says, not those of SHA-256 {sha256}")

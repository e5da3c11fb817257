"""Artefacts of the stages of a build: parsed, chunked and embedded lots, each made once and used by all that agree."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import Protocol

from bakeoff.contract import object_keys
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import NotFoundError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.identity import digest_of
from bakeoff.knowledge.claims import Claims
from bakeoff.knowledge.lots import Content
from bakeoff.runtime.object_integrity import digest_of_file
from bakeoff.runtime.objects import ObjectStore

FORMAT = "1"
"""Of all artefacts. Another format needs another number."""
FIRST_PAUSE_S = 0.02
LONGEST_PAUSE_S = 1.0
"""Between two looks for what another builder is making."""


class Step(Enum):
    """A stage of a build whose results are kept."""

    PARSE = "parse"
    CHUNK = "chunk"
    EMBED = "embed"


class ClaimedElsewhereError(Exception):
    """Another builder is making the artefact, and who asked does not want to wait."""


class Stages(Protocol):
    """Where artefacts are kept; thread-safe."""

    @property
    def shared(self) -> bool:
        """Whether others may use what is kept, so that keeping what is parsed is worth its while."""

    def obtain(self, step: Step, key: str, path: Path, make: Callable[[Path], None], *, wait: bool = True) -> bool:
        """Have an artefact in a file, made or found.

        Args:
            step: Which stage.
            key: A hash over everything that decides the artefact.
            path: A file that does not exist yet.
            make: Writes the artefact to a file; called only when nobody has made it.
            wait: Whether to wait for another builder that is making it.

        Returns:
            Whether it was made here.

        Raises:
            ClaimedElsewhereError: another builder is making it, and `wait` is false.
        """


class OwnStages:
    """Keeps nothing: every build makes its own."""

    shared = False

    def obtain(self, step: Step, key: str, path: Path, make: Callable[[Path], None], *, wait: bool = True) -> bool:
        """Make the artefact."""
        make(path)
        return True


class SharedStages:
    """Artefacts in the object store; claims keep two builders from making the same one."""

    shared = True

    def __init__(self, objects: ObjectStore, claims: Claims) -> None:
        """Keep artefacts.

        Args:
            objects: Where.
            claims: What all builders agree by on who makes what. Only how often something is made depends on them.
        """
        self._objects = objects
        self._claims = claims

    def obtain(self, step: Step, key: str, path: Path, make: Callable[[Path], None], *, wait: bool = True) -> bool:
        """Fetch the artefact, or make and store it, or wait for who is making it."""
        place = object_keys.stage_artefact(step.value, key)
        if self._fetched(place, path):
            return False
        name = f"{step.value}-{key}"
        pause_s = FIRST_PAUSE_S
        while not self._claims.take(name):
            if not wait:
                raise ClaimedElsewhereError(name)
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
            if self._fetched(place, path):
                return False
        try:
            if self._fetched(place, path):  # stored between the look and the claim
                return False
            make(path)
            self._store(place, path)
            return True
        finally:
            self._claims.give_back(name)

    def _fetched(self, place: str, path: Path) -> bool:
        info = self._objects.stat(place)
        if info is None or info.sha256 is None:
            return False
        try:
            self._objects.download(ObjectRef(place, info.sha256, info.size_bytes), path)
        except NotFoundError:  # somebody is making room
            return False
        return True

    def _store(self, place: str, path: Path) -> None:
        """Store what was made; who was first is right, though the last bits may differ."""
        created = self._objects.create_from_file(place, path)
        if not created.created and created.ref.sha256 != digest_of_file(path)[0]:
            self._objects.download(created.ref, path)


class Tally:
    """Documents that went through each stage, made here or found; thread-safe."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    def add(self, step: Step, documents: int, *, made: bool) -> None:
        """Count documents of a lot."""
        with self._lock:
            self._counts[f"{step.value}_{'computed' if made else 'reused'}"] += documents

    def add_texts(self, texts: int) -> None:
        """Count texts that an embedder was given."""
        with self._lock:
            self._counts["texts_embedded"] += texts

    @property
    def counts(self) -> dict[str, int]:
        """Documents by `parse_computed`, `parse_reused`, … `embed_reused`, and `texts_embedded`; no zeros."""
        with self._lock:
            return {name: count for name, count in sorted(self._counts.items()) if count}


def parse_key(contents: Sequence[Content], parser: ComponentSpec, version: str) -> str:
    """Return the key of parsed documents: of what they are and what parses them, whosever they are."""
    documents = [[content.sha256, content.media_type, content.name] for content in contents]
    return digest_of({"format": FORMAT, "documents": documents, "parser": str(parser), "version": version})


def chunk_key(parsed: str, chunker: ComponentSpec, version: str) -> str:
    """Return the key of chunked documents: of the parsed ones and what chunks them."""
    return digest_of({"format": FORMAT, "parsed": parsed, "chunker": str(chunker), "version": version})


def embed_key(chunked: str, embedder: ComponentSpec, version: str) -> str:
    """Return the key of embedded documents: of the chunked ones and what embeds them."""
    return digest_of({"format": FORMAT, "chunked": chunked, "embedder": str(embedder), "version": version})

"""Indexes whose data lie outside of a knowledge base's files: where, and how a kind of index is told so."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bakeoff.contract import object_keys
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge.indexing import Arrays, IndexKind
from bakeoff.knowledge.lance_store import LanceStore
from bakeoff.knowledge.postgres_address import SETTING
from bakeoff.knowledge.postgres_server import PostgresServer

PGVECTOR = "pgvector"
"""The index whose data do not lie under the knowledge base's prefix."""
NAME = "name"
SHAPE = "shape"
"""Arrays of what lies in the knowledge base's own file: under which name the data are, and how many there are."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where the data of one knowledge base may lie; nothing of another is there."""

    name: str
    """Id of the knowledge base, or what a notebook calls it."""
    lance: LanceStore | None = None
    """A folder of the knowledge base's own; None when there is no object store that Lance reaches."""
    postgres: PostgresServer | None = None
    """A server that knowledge bases share, each with a schema of its own; None when there is none."""


@dataclass(frozen=True, slots=True)
class Outside:
    """Where the data of all knowledge bases of a platform may lie."""

    lance: LanceStore | None = None
    """The bucket."""
    postgres: PostgresServer | None = None

    def site(self, kb_id: str) -> Site:
        """Return the part of one knowledge base."""
        own = self.lance.within(object_keys.kb_prefix(kb_id).rstrip("/")) if self.lance else None
        return Site(kb_id, own, self.postgres)

    def require(self, build: BuildPart) -> None:
        """Check that everything can be removed that a knowledge base may have outside.

        Raises:
            InvalidInputError: it has an index on a server that is not configured here.
        """
        if self.postgres is None and any(index.name == PGVECTOR for index in build.indexes):
            raise InvalidInputError(
                f"the knowledge base has an index in PostgreSQL, and no server is configured here: set {SETTING}"
            )

    def forget(self, kb_id: str) -> None:
        """Remove what a knowledge base has on the server or in a folder; no error when there is nothing.

        What it has on the object store goes with everything else under its prefix.

        Raises:
            IndexUnavailableError: the server does not answer.
        """
        if (own := self.site(kb_id).lance) is not None:
            own.remove_folder()
        if self.postgres is not None:
            self.postgres.drop(kb_id)


@runtime_checkable
class OutsideKind(Protocol):
    """What a kind of index can do beside the rest when its data lie outside."""

    def at(self, site: Site) -> IndexKind:
        """Return the kind, building and opening there.

        Raises:
            InvalidInputError: the site has not what it needs; the message says what to set.
        """


def placed(kind: IndexKind, site: Site) -> IndexKind:
    """Return a kind of index that can be built and opened."""
    return kind.at(site) if isinstance(kind, OutsideKind) else kind


def own_site(folder: Path) -> Site:
    """Return the site of a knowledge base that lies in a folder, where nobody named another."""
    return Site(folder.name, LanceStore(str(folder.absolute())))


def pointer(name: str, rows: int, dimension: int) -> dict[str, NDArray[np.generic]]:
    """Return what the knowledge base's own file says of data that lie outside."""
    return {NAME: np.frombuffer(name.encode(), np.uint8), SHAPE: np.array([rows, dimension], np.int64)}


def pointed(arrays: Arrays, kind: str) -> tuple[str, int, int]:
    """Return name, rows and dimension of data that lie outside.

    Raises:
        InvalidInputError: the file does not say.
    """
    if NAME not in arrays or SHAPE not in arrays:
        raise InvalidInputError(f"the file of the index {kind} does not say where its data are; build it again")
    rows, dimension = np.asarray(arrays[SHAPE], np.int64).tolist()
    return bytes(np.asarray(arrays[NAME], np.uint8)).decode(), rows, dimension

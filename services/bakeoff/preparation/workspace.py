"""Where adapters get their resources from: local files as they are, web addresses by way of the cache, objects."""

from __future__ import annotations

from pathlib import Path

from bakeoff.domain.benchmark import BenchmarkResource
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.preparation.archives import unpack
from bakeoff.preparation.download import Downloads
from bakeoff.preparation.originals import hash_file
from bakeoff.preparation.sources import is_remote, is_stored, local_path, problem_of
from bakeoff.preparation.stored_files import fetch_stored
from bakeoff.runtime.objects import ObjectStore


class LocalWorkspace:
    """Fetches into a cache and unpacks into a folder of the item's own."""

    def __init__(
        self, scratch: Path, downloads: Downloads, objects: ObjectStore | None = None, bucket: str = ""
    ) -> None:
        """Start with nothing fetched.

        Args:
            scratch: A folder below which archives are unpacked.
            downloads: Fetches web addresses.
            objects: Where `s3` addresses are read from; None refuses them.
            bucket: Its name in these addresses.
        """
        self._scratch = scratch
        self._downloads = downloads
        self._objects = objects
        self._bucket = bucket
        self._unpacked = 0
        self._stored = 0

    def fetch(self, resource: BenchmarkResource) -> Path:
        """Return a local file or folder with a resource's bytes, downloaded if need be and verified."""
        if is_stored(resource.uri):
            if self._objects is None:
                raise InvalidInputError(f"{resource.uri!r}: there is no object store here")
            self._stored += 1
            return fetch_stored(resource, self._objects, self._bucket, self._scratch / f"stored-{self._stored - 1}")
        if is_remote(resource.uri):
            return self._downloads.fetch(resource)
        path = local_path(resource.uri)
        problem = problem_of(resource)
        if problem:
            raise InvalidInputError(problem) if path.exists() else NotFoundError(problem)
        if resource.sha256 is not None and path.is_file():
            found = hash_file(path).sha256
            if found != resource.sha256:
                raise InvalidInputError(f"{str(path)!r} should have SHA-256 {resource.sha256}, but has {found}")
        return path

    def unpack(self, archive: Path) -> Path:
        """Return a new folder with an archive's files."""
        folder = self._scratch / f"unpacked-{self._unpacked}"
        self._unpacked += 1
        unpack(archive, folder)
        return folder

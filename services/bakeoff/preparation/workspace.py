"""Where adapters get their resources from: local files as they are, addresses by way of the cache."""

from __future__ import annotations

from pathlib import Path

from bakeoff.domain.benchmark import BenchmarkResource
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.preparation.archives import unpack
from bakeoff.preparation.download import Downloads
from bakeoff.preparation.originals import hash_file
from bakeoff.preparation.sources import is_remote, local_path, problem_of


class LocalWorkspace:
    """Fetches into a cache and unpacks into a folder of the item's own."""

    def __init__(self, scratch: Path, downloads: Downloads) -> None:
        """Unpack below `scratch`, download with `downloads`."""
        self._scratch = scratch
        self._downloads = downloads
        self._unpacked = 0

    def fetch(self, resource: BenchmarkResource) -> Path:
        """Return a local file or folder with a resource's bytes, downloaded if need be and verified."""
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

"""Where adapters get their resources from: local files as they are, web addresses by way of the cache, objects."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bakeoff.domain.benchmark import BenchmarkResource, ResourceKind
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.preparation.archives import unpack
from bakeoff.preparation.beir_sets import ARCHIVES
from bakeoff.preparation.download import Downloads
from bakeoff.preparation.originals import hash_file
from bakeoff.preparation.other_buckets import OtherBuckets, bucket_of
from bakeoff.preparation.sources import is_remote, is_stored, local_path, problem_of
from bakeoff.preparation.stored_files import fetch_stored, stored_key
from bakeoff.runtime.local_paths import is_open, refusal
from bakeoff.runtime.objects import ObjectStore


class LocalWorkspace:
    """Fetches into a cache and unpacks into a folder of the item's own."""

    def __init__(
        self,
        scratch: Path,
        downloads: Downloads,
        objects: ObjectStore | None = None,
        bucket: str = "",
        *,
        folders: tuple[Path, ...] | None = None,
        may_read: Callable[[str], bool] = lambda key: True,
        others: OtherBuckets | None = None,
    ) -> None:
        """Start with nothing fetched.

        Args:
            scratch: A folder below which archives are unpacked.
            downloads: Fetches web addresses.
            objects: Where `s3` addresses are read from; None refuses them.
            bucket: Its name in these addresses.
            folders: Below which local files may lie; None means everywhere.
            may_read: Says whether an object of the bucket may be read, by its key.
            others: Reads the store's other buckets; None refuses them.
        """
        self._scratch = scratch
        self._downloads = downloads
        self._objects = objects
        self._bucket = bucket
        self._open_folders = folders
        self._may_read = may_read
        self._others = others
        self._unpacked = 0
        self._stored = 0
        self._folders = 0
        self._fetched: dict[Path, BenchmarkResource] = {}

    def fetch(self, resource: BenchmarkResource) -> Path:
        """Return a local file or folder with a resource's bytes, downloaded if need be and verified."""
        path = self._fetch(resource)
        if is_remote(resource.uri):
            self._fetched[path] = resource
        return path

    def _fetch(self, resource: BenchmarkResource) -> Path:
        if is_stored(resource.uri):
            return self._fetch_stored(resource)
        if is_remote(resource.uri):
            by_hand = resource.kind is ResourceKind.MANUAL
            if by_hand or (resource.kind is ResourceKind.REPOSITORY and not resource.uri.lower().endswith(ARCHIVES)):
                how = "must be got by hand" if by_hand else "is a repository; name an archive of it, or a folder"
                raise InvalidInputError(f"{resource.name} {how}: {resource.uri!r}")
            return self._downloads.fetch(resource)
        if not is_open(resource.uri, self._open_folders):
            raise InvalidInputError(refusal(resource.uri))
        path = local_path(resource.uri)
        problem = problem_of(resource)
        if problem:
            raise InvalidInputError(problem) if path.exists() else NotFoundError(problem)
        if resource.sha256 is not None and path.is_file():
            found = hash_file(path).sha256
            if found != resource.sha256:
                raise InvalidInputError(f"{str(path)!r} should have SHA-256 {resource.sha256}, but has {found}")
        return path

    def _fetch_stored(self, resource: BenchmarkResource) -> Path:
        folder = self._scratch / f"stored-{self._stored}"
        self._stored += 1
        if self._others is not None and bucket_of(resource.uri) != self._bucket:
            return self._others.fetch(resource, folder)
        if self._objects is None:
            raise InvalidInputError(f"{resource.uri!r}: there is no object store here")
        if not self._may_read(stored_key(resource.uri)):
            raise NotFoundError(f"{resource.uri!r}: there is no such object")
        return fetch_stored(resource, self._objects, self._bucket, folder)

    def unpack(self, archive: Path) -> Path:
        """Return a new folder with an archive's files; a download that is no sound archive is not kept."""
        folder = self._scratch / f"unpacked-{self._unpacked}"
        self._unpacked += 1
        resource = self._fetched.get(archive)
        try:
            unpack(archive, folder, shown=resource.uri if resource else "")
        except InvalidInputError:
            if resource is not None:  # what was wrong may have been put right where it comes from
                self._downloads.forget(resource)
            raise
        return folder

    def folder(self) -> Path:
        """Return a new, empty folder."""
        folder = self._scratch / f"made-{self._folders}"
        self._folders += 1
        folder.mkdir(parents=True)
        return folder

"""Resources in buckets beside the platform's own, at the same object store: only read, and only from those opened."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from bakeoff.domain.benchmark import BenchmarkResource
from bakeoff.domain.component import ComponentCard, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NoAccessError, NoBucketError, NotFoundError, Violation
from bakeoff.preparation.download import MAX_DOWNLOAD_BYTES, Progress
from bakeoff.preparation.originals import hash_file
from bakeoff.preparation.sources import is_stored
from bakeoff.preparation.stored_files import PIECE_BYTES, stored_key
from bakeoff.runtime.bucket_reading import BucketReading, StoredFile
from bakeoff.runtime.settings import Settings

BUCKET_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]|\.(?!\.)){1,61}[a-z0-9]")
"""Amazon's rule. Others, such as `..`, could lead a store that keeps buckets as folders to another bucket."""
SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class OtherBuckets:
    """Buckets that the operator's keys open at `BAKEOFF_S3_ENDPOINT`."""

    settings: Settings
    open_bucket: Callable[[str], BucketReading]
    """Opens one by its name."""
    progress: Progress = lambda resource, there, total: None
    """Called with the bytes that are there and those that there will be; may raise to end the work."""
    max_bytes: int = MAX_DOWNLOAD_BYTES

    def fetch(self, resource: BenchmarkResource, folder: Path) -> Path:
        """Return a local copy, in a folder made for it, of the object that an address such as `s3://bucket/key` names.

        Raises:
            NotFoundError: there is no such bucket, or no such object in it.
            InvalidInputError: the bucket may not be read, or the object is too large or not what was stated.
            UnavailableError: the store does not answer, or the object changed while it was read.
        """
        uri = resource.uri
        problem = _problem(uri, self.settings)
        if problem:
            raise InvalidInputError(problem)
        bucket, key = bucket_of(uri), stored_key(uri)
        with self._opened(uri, bucket) as store:
            info = store.stat(key)
            if info is None:
                raise NotFoundError(f"{uri!r}: there is no object {key!r} in the bucket {bucket!r}")
            if info.size_bytes > self.max_bytes:
                raise InvalidInputError(f"{uri!r} has {info.size_bytes:,} bytes; at most {self.max_bytes:,} are taken")
            folder.mkdir(parents=True)
            path = folder / PurePosixPath(key).name
            self._save(resource, store, info, path)
        self._verify(resource, info, path)
        return path

    @contextlib.contextmanager
    def _opened(self, uri: str, bucket: str) -> Iterator[BucketReading]:
        """Open a bucket; what the store says of it is told of the address, not of the platform's own bucket."""
        endpoint, store = self.settings.s3_endpoint, self.open_bucket(bucket)
        try:
            yield store
        except NoBucketError as error:
            raise NotFoundError(f"{uri!r}: the object store at {endpoint} has no bucket {bucket!r}") from error
        except NoAccessError as error:
            raise InvalidInputError(
                f"{uri!r}: the object store at {endpoint} refuses access ({error.code}); allow the platform's key, "
                f"BAKEOFF_S3_ACCESS_KEY, to read the bucket {bucket!r}"
            ) from error
        finally:
            store.close()

    def _save(self, resource: BenchmarkResource, store: BucketReading, info: StoredFile, path: Path) -> None:
        there = 0
        with path.open("wb") as file:
            for piece in store.pieces(info, PIECE_BYTES):
                file.write(piece)
                there += len(piece)
                self.progress(resource, there, info.size_bytes)

    def _verify(self, resource: BenchmarkResource, info: StoredFile, path: Path) -> None:
        stated = info.sha256 if info.sha256 and SHA256.fullmatch(info.sha256) else None
        wanted = [each for each in (stated, resource.sha256) if each is not None]
        found = hash_file(path).sha256 if wanted else ""
        for each in wanted:
            if each != found:
                raise InvalidInputError(f"{resource.uri!r} should have SHA-256 {each}, but has {found}")


def bucket_of(uri: str) -> str:
    """Return the bucket that an address such as `s3://bucket/key` names."""
    return urlsplit(uri).netloc


def foreign_buckets(card: ComponentCard, spec: ComponentSpec, settings: Settings, field: str) -> Iterator[Violation]:
    """Yield what is wrong with the addresses of buckets among a component's settings; says nothing of what is there.

    Args:
        card: Says which settings are paths.
        spec: The component as a request names it.
        settings: Name the buckets that may be read.
        field: Where it stands in the request.
    """
    for setting in card.settings:
        value = spec.settings.get(setting.name)
        if setting.type != "path" or not isinstance(value, str) or not is_stored(value):
            continue
        problem = None if bucket_of(value) == settings.s3_bucket else _problem(value, settings)
        if problem:
            yield Violation(f"{field}.{setting.name}", problem)


def _problem(uri: str, settings: Settings) -> str | None:
    parts, readable = urlsplit(uri), settings.readable_buckets
    if not BUCKET_NAME.fullmatch(parts.netloc):
        return f"{uri!r}: {parts.netloc!r} is no name of a bucket; write s3://BUCKET/KEY"
    if readable is not None and parts.netloc not in readable:
        return f"{uri!r}: the bucket {parts.netloc!r} is none that requests may read (BAKEOFF_S3_READABLE_BUCKETS)"
    if not stored_key(uri):
        return f"{uri!r} names no object; write s3://BUCKET/KEY"
    if parts.query or parts.fragment:
        return f"{uri!r}: of ? and # in a key write %3F and %23; versions cannot be asked for"
    return None

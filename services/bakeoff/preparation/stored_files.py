"""Resources that lie in the platform's own bucket, put there by its users."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from bakeoff.domain.benchmark import BenchmarkResource
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.preparation.originals import hash_file
from bakeoff.runtime.objects import ObjectStore

PIECE_BYTES = 8 << 20
KEPT_APART = ("evaluations/", "kb/", "prepared/", "responses/", "stages/", "tenants/")
"""What the platform writes itself: a benchmark must not be a way to read what others asked and were answered."""


def fetch_stored(resource: BenchmarkResource, objects: ObjectStore, bucket: str, folder: Path) -> Path:
    """Return a local copy, in a folder made for it, of the object that an address such as `s3://bucket/key` names.

    Raises:
        NotFoundError: there is no such object.
        InvalidInputError: it is in another bucket, among what the platform writes itself, or not what was stated.
    """
    parts = urlsplit(resource.uri)
    key = stored_key(resource.uri)
    if parts.netloc != bucket:
        raise InvalidInputError(f"{resource.uri!r}: only the bucket {bucket!r} can be read, not {parts.netloc!r}")
    if not key or key.startswith(KEPT_APART):
        raise InvalidInputError(f"{resource.uri!r}: keys below {', '.join(KEPT_APART)} are not read as benchmarks")
    info = objects.stat(key)
    if info is None:
        raise NotFoundError(f"{resource.uri!r}: there is no such object")
    folder.mkdir(parents=True)
    path = folder / PurePosixPath(key).name
    with path.open("wb") as file:
        for start in range(0, info.size_bytes, PIECE_BYTES):
            file.write(objects.read_range(key, start, min(start + PIECE_BYTES, info.size_bytes)))
    found = hash_file(path)
    for wanted in (info.sha256, resource.sha256):
        if wanted is not None and wanted != found.sha256:
            raise InvalidInputError(f"{resource.uri!r} should have SHA-256 {wanted}, but has {found.sha256}")
    return path


def stored_key(uri: str) -> str:
    """Return the key that an address such as `s3://bucket/key` names."""
    return unquote(urlsplit(uri).path).lstrip("/")

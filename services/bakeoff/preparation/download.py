"""Downloads: into a cache, with resume, checked for size and digest, never into a private network unless allowed."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from bakeoff.domain.benchmark import BenchmarkResource
from bakeoff.domain.errors import InvalidInputError, UnavailableError
from bakeoff.preparation.originals import hash_file
from bakeoff.preparation.web import Response, get
from bakeoff.runtime.settings import Settings

PIECE_BYTES = 1 << 20
ATTEMPTS = 3  # of a transfer that breaks off; each goes on where the one before ended
MAX_DOWNLOAD_BYTES = 64 << 30  # MS MARCO, the largest BEIR set, is 1 GB; a runaway server must not fill the disk

Progress = Callable[[BenchmarkResource, int, int | None], None]
"""Called with the bytes that are there and the bytes that there will be; None while the server does not say."""


@dataclass(frozen=True, slots=True)
class Downloads:
    """A cache of downloads, each under the digest of its address. May be deleted at any time; safe to share."""

    folder: Path
    allow_private: bool = False
    """Whether addresses inside private networks may be asked."""
    max_bytes: int = MAX_DOWNLOAD_BYTES
    progress: Progress | None = None
    mirror: Path | None = None
    """Folder with copies of what addresses lead to, each at `<host>/<path>`; None when there is none."""

    @classmethod
    def from_settings(cls, settings: Settings) -> Downloads:
        """Return the cache that an operator has set."""
        mirror = Path(settings.mirror_dir) if settings.mirror_dir else None
        return cls(settings.cache_dir / "downloads", settings.allow_private_addresses, mirror=mirror)

    def fetch(self, resource: BenchmarkResource) -> Path:
        """Return the file with the bytes of an http or https address; what is there and right is not fetched again.

        A copy in the mirror comes before anything else. What was downloaded from inside a private network while that
        was allowed is no more to be had once it is not.

        Raises:
            NotFoundError: the server has no such thing.
            InvalidInputError: it is too large, has another digest or size than stated, or may not be fetched.
            UnavailableError: the server does not answer now, or breaks off again and again.
        """
        mirrored = self._mirrored(resource)
        if mirrored is not None:
            return mirrored
        place = self._place(resource)
        place.mkdir(parents=True, exist_ok=True)
        complete, part = place / "data", _Part(place / "part", place / "validator", place / "private")
        with _alone(place / "lock"):
            if complete.exists() and _fault(resource, complete) is None:
                self._check_private(resource, part)
                return complete
            self._transfer(resource, part)
            fault = _fault(resource, part.path)
            if fault:
                part.discard()
                if not complete.exists():
                    part.private.unlink(missing_ok=True)
                raise InvalidInputError(fault)
            part.path.replace(complete)
            part.discard()
        return complete

    def forget(self, resource: BenchmarkResource) -> None:
        """Drop what was downloaded from an address, if anything was; the next time it is fetched again."""
        place = self._place(resource)
        if place.exists():
            with _alone(place / "lock"):
                (place / "data").unlink(missing_ok=True)

    def _place(self, resource: BenchmarkResource) -> Path:
        return self.folder / hashlib.sha256(resource.uri.encode()).hexdigest()

    def _mirrored(self, resource: BenchmarkResource) -> Path | None:
        """Return the mirror's copy; None when there is none.

        Raises:
            InvalidInputError: its copy is not what was stated.
        """
        parts = urlsplit(resource.uri)
        path = PurePosixPath(unquote(parts.path).lstrip("/"))
        if self.mirror is None or not parts.hostname or ".." in path.parts:
            return None
        copy = self.mirror / parts.hostname / path
        if not copy.is_file():
            return None
        fault = _fault(resource, copy)
        if fault:
            raise InvalidInputError(f"the mirror's {str(copy)!r}: {fault}")
        return copy

    def _check_private(self, resource: BenchmarkResource, part: _Part) -> None:
        if part.private.exists() and not self.allow_private:
            raise InvalidInputError(
                f"{resource.uri!r} was downloaded from inside a private network, which is not allowed any more; "
                "set BAKEOFF_ALLOW_PRIVATE_ADDRESSES=true to allow it"
            )

    def _transfer(self, resource: BenchmarkResource, part: _Part) -> None:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                self._receive(resource, part)
                return
            except UnavailableError:
                if attempt == ATTEMPTS:
                    raise

    def _receive(self, resource: BenchmarkResource, part: _Part) -> None:
        headers = part.resume_headers()
        with get(resource.uri, headers=headers, allow_private=self.allow_private) as response:
            if response.status == 416 and part.is_complete(response):  # nothing was left to send
                return
            if response.status != 200 and not part.continues(response):
                part.discard()
                raise UnavailableError(f"{response.url!r} does not go on after {headers.get('Range', 'nothing')}")
            if response.private:
                part.private.touch()
            elif response.status == 200:
                part.private.unlink(missing_ok=True)
            there = part.size_bytes if response.status == 206 else 0
            length = response.headers.get("Content-Length", "")
            total = there + int(length) if length.isdigit() else None
            self._check_size(resource, total or 0)
            with part.path.open("r+b" if there else "wb") as file:
                if not there:
                    part.note(response)  # not before the bytes of another version are gone
                file.seek(there)
                for piece in response.pieces(PIECE_BYTES):
                    file.write(piece)
                    there += len(piece)
                    self._check_size(resource, there)
                    self._tell(resource, there, total)
                file.truncate()
            if total is None:
                self._tell(resource, there, there)
            elif there < total:
                raise UnavailableError(f"{response.url!r}: the transfer broke off after {there:,} of {total:,} bytes")

    def _tell(self, resource: BenchmarkResource, there: int, total: int | None) -> None:
        if self.progress:
            self.progress(resource, there, total)

    def _check_size(self, resource: BenchmarkResource, size_bytes: int) -> None:
        limit = min(self.max_bytes, resource.size_bytes or self.max_bytes)
        if size_bytes > limit:
            raise InvalidInputError(f"{resource.uri!r} has {size_bytes:,} bytes or more; at most {limit:,} are taken")


@dataclass(frozen=True, slots=True)
class _Part:
    """A download that is not complete, and what the server calls the version that it is of."""

    path: Path
    validator: Path
    private: Path
    """There when some of it came from inside a private network."""

    @property
    def size_bytes(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def resume_headers(self) -> dict[str, str]:
        """Return the headers that ask for the rest, if it is known of which version there is a beginning."""
        if not self.size_bytes or not self.validator.exists():
            return {}
        return {"Range": f"bytes={self.size_bytes}-", "If-Range": self.validator.read_text()}

    def continues(self, response: Response) -> bool:
        wanted = f"bytes {self.size_bytes}-"
        return response.status == 206 and response.headers.get("Content-Range", "").startswith(wanted)

    def is_complete(self, response: Response) -> bool:
        return response.headers.get("Content-Range", "") == f"bytes */{self.size_bytes}"

    def note(self, response: Response) -> None:
        """Remember the version of what comes now; without a strong name of it nothing can be resumed."""
        tag = response.headers.get("ETag", "")
        name = tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified", "")
        if name:
            self.validator.write_text(name)
        else:
            self.validator.unlink(missing_ok=True)

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self.validator.unlink(missing_ok=True)


def _fault(resource: BenchmarkResource, path: Path) -> str | None:
    """Return what is wrong with a download; None when it is as stated."""
    size = path.stat().st_size
    if resource.size_bytes is not None and size != resource.size_bytes:
        return f"{resource.uri!r} should have {resource.size_bytes:,} bytes, but has {size:,}"
    if resource.sha256 is not None:
        found = hash_file(path).sha256
        if found != resource.sha256.lower():
            return f"{resource.uri!r} should have SHA-256 {resource.sha256}, but has {found}"
    return None


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Wait until no other process or thread is at the same download."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # let go of when the file is closed, whatever happens
        yield

"""Large files to S3 in parts: bounded memory, create-if-absent, nothing left behind."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from bakeoff.domain.errors import BakeoffError
from bakeoff.runtime.object_integrity import changed
from bakeoff.runtime.s3_requests import S3Requests

PART_BYTES = 8 << 20
"""Files up to this size go in one request; S3 wants parts of at least 5 MiB."""
MAX_PARTS = 10_000


def upload_parts(
    requests: S3Requests,
    key: str,
    path: Path,
    *,
    sha256: str,
    size_bytes: int,
    headers: Mapping[str, str],
    condition: Mapping[str, str],
) -> None:
    """Upload a file in parts, one in memory at a time; the object appears with the last request or not at all.

    Args:
        requests: Where to.
        key: Key of the object.
        path: The file.
        sha256: Its digest, which its bytes must still have.
        size_bytes: Its size.
        headers: What is stored of the object: its media type and its digest.
        condition: Headers under which the last request makes the object. A store that ignores them on that request
            (Amazon's, MinIO and SeaweedFS do not) would let the last of several writers win.

    Raises:
        InvalidInputError: the file changed meanwhile.
    """
    upload = requests.start_upload(key, headers)
    try:
        digest = hashlib.sha256()
        tags = []
        with path.open("rb") as file:
            for number, part in enumerate(_parts(file, size_bytes), start=1):
                digest.update(part)
                tags.append(requests.put_part(key, upload, number, part))
        if digest.hexdigest() != sha256:
            raise changed(key)
        requests.complete_upload(key, upload, tags, condition)
    except BaseException:
        with contextlib.suppress(BakeoffError):
            requests.abort_upload(key, upload)
        raise


def _parts(file: BinaryIO, size_bytes: int) -> Iterator[bytes]:
    part_bytes = max(PART_BYTES, -(-size_bytes // MAX_PARTS))
    return iter(lambda: file.read(part_bytes), b"")

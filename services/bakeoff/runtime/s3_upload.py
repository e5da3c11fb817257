"""Files to S3 with bounded memory: in one request, or in parts when they are too large for one."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from pathlib import Path

from bakeoff.domain.errors import BakeoffError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.runtime.object_integrity import changed
from bakeoff.runtime.s3_http import FileBody
from bakeoff.runtime.s3_requests import S3Requests

LARGEST_REQUEST_BYTES = 5 << 30
"""What S3 takes in one request. It is also the limit up to which every store keeps who was first."""
PART_BYTES = 16 << 20
MAX_PARTS = 10_000


def upload(
    requests: S3Requests, path: Path, ref: ObjectRef, headers: Mapping[str, str], condition: Mapping[str, str]
) -> None:
    """Upload a file; the object appears whole or not at all.

    Args:
        requests: Where to.
        path: The file.
        ref: Key of the object, and the digest and size that the file must still have.
        headers: What is stored of the object: its media type and its digest.
        condition: Headers that say when it is made.

    Raises:
        TakenError: the condition does not hold.
        InvalidInputError: the file changed meanwhile.
    """
    if ref.size_bytes > LARGEST_REQUEST_BYTES:
        upload_parts(requests, path, ref, headers, condition)
        return
    with path.open("rb") as file:
        requests.put(ref.key, FileBody(file, ref), {**headers, **condition})


def upload_parts(
    requests: S3Requests, path: Path, ref: ObjectRef, headers: Mapping[str, str], condition: Mapping[str, str]
) -> None:
    """Upload a file in parts, one in memory at a time, as `upload` does.

    The condition goes with the last request. SeaweedFS tests it and then makes the object: of several writers in the
    same instant the last wins, and all believe they have.
    """
    part_bytes = max(PART_BYTES, -(-ref.size_bytes // MAX_PARTS))
    upload_id = requests.start_upload(ref.key, headers)
    try:
        digest = hashlib.sha256()
        tags: list[str] = []
        with path.open("rb") as file:
            while part := file.read(part_bytes):
                digest.update(part)
                tags.append(requests.put_part(ref.key, upload_id, len(tags) + 1, part))
        if digest.hexdigest() != ref.sha256:
            raise changed(ref.key)
        requests.complete_upload(ref.key, upload_id, tags, condition)
    except BaseException:
        with contextlib.suppress(BakeoffError):
            requests.abort_upload(ref.key, upload_id)
        raise

"""Objects in any S3 store that honours conditional writes: Amazon's, MinIO, SeaweedFS and their like."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from uuid import uuid4

from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.identity import sha256_hex
from bakeoff.runtime.object_integrity import (
    PIECE_BYTES,
    check_key,
    check_range,
    digest_of_file,
    save_verified,
    verified,
)
from bakeoff.runtime.objects import OCTETS, Created, ObjectInfo
from bakeoff.runtime.s3_errors import PastEndError, TakenError
from bakeoff.runtime.s3_requests import DIGEST_HEADER, IF_ABSENT, S3Address, S3Requests
from bakeoff.runtime.s3_upload import upload

OK = 200
SMALL_BYTES = 1 << 20
"""Files up to this size are read whole."""
CREATE_ATTEMPTS = 3
"""A key that is taken and yet has no object was freed in between: it is tried again."""

Write = Callable[[Mapping[str, str]], None]
"""Writes an object under headers that say when."""


class S3Objects:
    """An `ObjectStore` in one bucket. The digest of an object's bytes stands in its metadata, `x-amz-meta-sha256`."""

    def __init__(self, requests: S3Requests) -> None:
        """Use a bucket that is there."""
        self._requests = requests

    @classmethod
    def connect(
        cls,
        endpoint: str,
        access_key: str,
        secret_key: str,
        bucket: str,
        region: str,
        *,
        create_bucket: bool = True,
    ) -> S3Objects:
        """Open the store.

        Args:
            endpoint: Address of the store, http or https.
            access_key: Empty when the store asks for none.
            secret_key: Empty when the store asks for none.
            bucket: Name of the bucket.
            region: Region of the bucket.
            create_bucket: Whether to make the bucket when it is not there; False sends nothing yet.

        Raises:
            OutOfReachError: the store does not answer.
            InvalidInputError: address, credentials, bucket or region are wrong; says which setting to change.
        """
        requests = S3Requests(endpoint, access_key, secret_key, bucket, region)
        if create_bucket:
            requests.ensure_bucket()
        return cls(requests)

    @property
    def address(self) -> S3Address:
        """Where the bucket is, and what opens it; holds secrets."""
        return self._requests.address

    def create(self, key: str, data: bytes, *, media_type: str = OCTETS) -> Created:
        """Write an object unless its key is taken."""
        check_key(key)
        ref = ObjectRef(key, sha256_hex(data), len(data))
        headers = _headers(ref, media_type)
        return self._create(ref, lambda condition: self._requests.put(key, data, {**headers, **condition}))

    def create_from_file(self, key: str, path: Path, *, media_type: str = OCTETS) -> Created:
        """Write a file's bytes unless the key is taken, with bounded memory."""
        check_key(key)
        if path.stat().st_size <= SMALL_BYTES:
            return self.create(key, path.read_bytes(), media_type=media_type)
        taken = self.stat(key)
        if taken:
            return Created(self._ref(taken), created=False)
        ref = ObjectRef(key, *digest_of_file(path))
        headers = _headers(ref, media_type)
        return self._create(ref, lambda condition: upload(self._requests, path, ref, headers, condition))

    def read(self, ref: ObjectRef) -> bytes:
        """Return an object's bytes, verified."""
        check_key(ref.key)
        return verified(self._requests.get(ref.key).data, ref.key, ref.sha256)

    def read_key(self, key: str) -> bytes:
        """Return an object's bytes, verified against the digest that its writer stated, if any."""
        check_key(key)
        response = self._requests.get(key)
        return verified(response.data, key, response.headers.get(DIGEST_HEADER))

    def read_range(self, key: str, start: int, stop: int) -> bytes:
        """Return the bytes `[start, stop)` of an object; fewer when it is shorter."""
        check_key(key)
        check_range(key, start, stop)
        if start == stop:  # which HTTP cannot ask for
            self._requests.head(key)
            return b""
        try:
            response = self._requests.get(key, f"bytes={start}-{stop - 1}")
        except PastEndError:
            return b""
        whole = response.status == OK  # from a store that ignores ranges
        return response.data[start:stop] if whole else response.data

    def download(self, ref: ObjectRef, path: Path) -> None:
        """Write an object's bytes to a file with bounded memory; the file appears only when the digest is right."""
        check_key(ref.key)
        save_verified(ref, self._requests.pieces(ref.key, PIECE_BYTES), path)

    def stat(self, key: str) -> ObjectInfo | None:
        """Return what is known of an object; None when there is none."""
        check_key(key)
        try:
            headers = self._requests.head(key)
        except NotFoundError:
            return None
        size = int(headers.get("content-length", 0))
        return ObjectInfo(key, size, headers.get(DIGEST_HEADER), headers.get("content-type", OCTETS))

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[ObjectInfo]:
        """Yield the objects whose keys start with a prefix, by key in byte order.

        All are fetched before the first: SeaweedFS lists folder by folder (`a/b` before `a-b`), and where it starts
        after a key it leaves out what is in the folder of that name.
        """
        for info in sorted(self._requests.list(prefix), key=lambda info: info.key.encode()):
            if info.key.encode() > start_after.encode():
                yield info

    def delete(self, key: str) -> None:
        """Remove an object; no error when there is none."""
        check_key(key)
        self._requests.delete(key)

    def check(self) -> None:
        """Prove that the store can be written and read, and that it keeps who was first, by doing it."""
        key = f"checks/{uuid4().hex}"
        ref = self.create(key, b"first").ref
        try:
            if self.create(key, b"second").created:
                raise InvalidInputError(
                    f"the object store at {self._requests.endpoint} overwrites objects in spite of If-None-Match; "
                    "set BAKEOFF_S3_ENDPOINT to one that honours conditional writes"
                )
            self.read(ref)
        finally:
            self.delete(key)

    def close(self) -> None:
        """Close all connections."""
        self._requests.close()

    def _create(self, ref: ObjectRef, write: Write) -> Created:
        for _ in range(CREATE_ATTEMPTS):
            try:
                write(IF_ABSENT)
                return Created(ref, created=True)
            except TakenError:
                there = self.stat(ref.key)
                if there:
                    return Created(self._ref(there), created=False)
        # SeaweedFS takes the folder of other keys for an object: `a` is "taken" when there is `a/b`. Such a key is
        # written without a condition. Of two writers in the same instant, the later wins and both are told so.
        write({})
        there = self.stat(ref.key)
        stored = self._ref(there) if there else ref
        return Created(stored, created=stored == ref)

    def _ref(self, info: ObjectInfo) -> ObjectRef:
        if info.sha256:
            return ObjectRef(info.key, info.sha256, info.size_bytes)
        digest = hashlib.sha256()
        for piece in self._requests.pieces(info.key, PIECE_BYTES):
            digest.update(piece)
        return ObjectRef(info.key, digest.hexdigest(), info.size_bytes)


def _headers(ref: ObjectRef, media_type: str) -> dict[str, str]:
    return {"Content-Type": media_type, DIGEST_HEADER: ref.sha256}

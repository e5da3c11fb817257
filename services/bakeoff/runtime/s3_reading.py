"""Reading a bucket of an S3 store that is not the platform's own; it is never made or written."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.domain.errors import NoAccessError, NotFoundError, UnavailableError
from bakeoff.runtime.bucket_reading import StoredFile
from bakeoff.runtime.object_integrity import check_key
from bakeoff.runtime.s3_errors import PastEndError, TakenError
from bakeoff.runtime.s3_requests import DIGEST_HEADER, S3Requests

OK = 200


class S3Reading:
    """A `BucketReading` of a bucket in any S3 store. Sends no request but GET and HEAD."""

    def __init__(self, endpoint: str, access_key: str, secret_key: str, bucket: str, region: str) -> None:
        """Open a bucket; nothing is sent yet.

        Args:
            endpoint: Address of the store, http or https.
            access_key: Empty when the store asks for none.
            secret_key: Empty when the store asks for none.
            bucket: Name of the bucket.
            region: Region of the bucket.

        Raises:
            InvalidInputError: the endpoint is no such address, or the region no such name.
        """
        self._requests = S3Requests(endpoint, access_key, secret_key, bucket, region)

    def stat(self, key: str) -> StoredFile | None:
        """Return what is known of an object; None when there is none."""
        check_key(key)
        try:
            headers = self._requests.head(key)
        except NotFoundError:
            self._find_bucket()
            return None
        size = int(headers.get("content-length", 0))
        return StoredFile(key, size, headers.get("etag", ""), headers.get(DIGEST_HEADER))

    def pieces(self, file: StoredFile, size_bytes: int) -> Iterator[bytes]:
        """Yield an object's bytes, all of the version that was looked up, in pieces of at most so many."""
        same = {"If-Match": file.tag} if file.tag else {}
        for start in range(0, file.size_bytes, size_bytes):
            stop = min(start + size_bytes, file.size_bytes)
            try:
                response = self._requests.get(file.key, f"bytes={start}-{stop - 1}", same)
            except (TakenError, PastEndError, NotFoundError) as error:
                raise UnavailableError(f"object {file.key!r} was changed while it was read") from error
            piece = response.data[start:stop] if response.status == OK else response.data
            if len(piece) != stop - start:
                raise UnavailableError(f"object {file.key!r}: the store sent {len(piece)} bytes of {stop - start}")
            yield piece

    def close(self) -> None:
        """Close all connections."""
        self._requests.close()

    def _find_bucket(self) -> None:
        """Tell a bucket that is not there from an object that is not: the answer to HEAD has no words."""
        try:
            self._requests.find_bucket()
        except NoAccessError:
            return  # whoever may read objects need not be allowed to look at the bucket

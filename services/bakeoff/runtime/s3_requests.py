"""The few S3 requests that Bakeoff makes, through the `minio` SDK: all that touches the SDK is here.

The SDK's own `put_object` cannot write create-if-absent: it has no such argument, and would prefix a header given as
metadata. So requests go through its signing request method, `_execute`, which the contract suite of the object store
holds in place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

from minio import Minio
from minio.credentials.credentials import Credentials
from minio.error import S3Error
from minio.helpers import DictType
from urllib3 import BaseHTTPResponse
from urllib3.exceptions import ProtocolError

from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.objects import ObjectInfo
from bakeoff.runtime.s3_errors import translated
from bakeoff.runtime.s3_http import FileBody, patient_pool

IF_ABSENT = {"If-None-Match": "*"}
DIGEST_HEADER = "x-amz-meta-sha256"


@dataclass(frozen=True, slots=True)
class S3Address:
    """Where a bucket is, and what opens it."""

    endpoint: str
    """Address of the store, http or https, without a path."""
    access_key: str = field(repr=False)
    """Empty when the store asks for none."""
    secret_key: str = field(repr=False)
    bucket: str
    region: str


class _Client(Minio):
    """The SDK's client, which also takes a file with a known digest for a body."""

    def _build_headers(
        self,
        host: str,
        headers: DictType | None = None,
        body: bytes | FileBody | None = None,
        creds: Credentials | None = None,
    ) -> tuple[DictType, datetime]:
        if not isinstance(body, FileBody):
            return super()._build_headers(host, headers, body, creds)
        made, date = super()._build_headers(host, headers, None, creds)
        made |= {"Content-Length": str(body.ref.size_bytes), "x-amz-content-sha256": body.ref.sha256}
        return made, date


class S3Requests:
    """Signed requests to one bucket. Thread-safe; each raises as `translated` says."""

    def __init__(self, endpoint: str, access_key: str, secret_key: str, bucket: str, region: str) -> None:
        """Make a client; nothing is sent yet.

        Args:
            endpoint: Address of the store, http or https, without a path.
            access_key: Empty when the store asks for none.
            secret_key: Empty when the store asks for none.
            bucket: Name of the bucket.
            region: Sent with each request, which saves asking for it.

        Raises:
            InvalidInputError: the endpoint is no such address, or the region no such name.
        """
        self.endpoint = endpoint
        self.bucket = bucket
        self.address = S3Address(endpoint, access_key, secret_key, bucket, region)
        """What another client of the same bucket needs."""
        address = urlsplit(endpoint)
        if address.scheme not in ("http", "https") or not address.netloc or address.path not in ("", "/"):
            raise InvalidInputError(
                f"BAKEOFF_S3_ENDPOINT must be http://host:port or https://host:port, not {endpoint!r}"
            )
        self._pool = patient_pool()
        try:
            self._client = _Client(
                address.netloc,
                access_key or None,
                secret_key or None,
                secure=address.scheme == "https",
                region=region,
                http_client=self._pool,
            )
        except ValueError as error:
            raise InvalidInputError(
                f"BAKEOFF_S3_ENDPOINT {endpoint!r} or BAKEOFF_S3_REGION {region!r}: {error}"
            ) from error

    def put(self, key: str, data: bytes | FileBody, headers: Mapping[str, str]) -> None:
        """Write an object in one request."""
        self._send("PUT", key, data, headers)

    def get(self, key: str, span: str | None = None, headers: Mapping[str, str] | None = None) -> BaseHTTPResponse:
        """Return an object, read, or a span of it such as `bytes=0-9`; further headers may say under what condition."""
        return self._send("GET", key, headers={**({"Range": span} if span else {}), **(headers or {})})

    def pieces(self, key: str, size_bytes: int) -> Iterator[bytes]:
        """Yield an object's bytes in pieces of at most so many."""
        response = self._send("GET", key, preload=False)
        try:
            with translated(self.endpoint, self.bucket, key):
                yield from response.stream(size_bytes)
        finally:
            response.close()
            response.release_conn()

    def head(self, key: str) -> Mapping[str, str]:
        """Return the headers of an object."""
        return self._send("HEAD", key).headers

    def delete(self, key: str) -> None:
        """Remove an object; no error when there is none."""
        self._send("DELETE", key)

    def list(self, prefix: str) -> list[ObjectInfo]:
        """Return all objects under a prefix, in the store's order."""
        with translated(self.endpoint, self.bucket):
            found = self._client.list_objects(self.bucket, prefix=prefix, recursive=True)
            return [ObjectInfo(each.object_name or "", each.size or 0) for each in found]

    def start_upload(self, key: str, headers: Mapping[str, str]) -> str:
        """Begin a multipart upload and return its id."""
        response = self._send("POST", key, headers=headers, query={"uploads": ""})
        return fromstring(response.data).findtext("{*}UploadId") or ""

    def put_part(self, key: str, upload: str, number: int, data: bytes) -> str:
        """Send a part, numbered from 1, and return its tag."""
        response = self._send("PUT", key, data, query={"uploadId": upload, "partNumber": str(number)})
        return response.headers.get("etag", "").strip('"')

    def complete_upload(self, key: str, upload: str, tags: Sequence[str], headers: Mapping[str, str]) -> None:
        """Make the object of its parts."""
        body = Element("CompleteMultipartUpload")
        for number, tag in enumerate(tags, start=1):
            part = SubElement(body, "Part")
            SubElement(part, "PartNumber").text = str(number)
            SubElement(part, "ETag").text = f'"{tag}"'
        headers = {"Content-Type": "application/xml", **headers}
        response = self._send("POST", key, tostring(body), headers, {"uploadId": upload})
        if b"<Error>" in response.data:
            # An error after the store began to answer comes with status 200 (AWS, CompleteMultipartUpload).
            with translated(self.endpoint, self.bucket, key):
                raise S3Error.fromxml(response)

    def abort_upload(self, key: str, upload: str) -> None:
        """Throw the parts of an upload away."""
        self._send("DELETE", key, query={"uploadId": upload})

    def ensure_bucket(self) -> None:
        """Make the bucket when it is not there."""
        with translated(self.endpoint, self.bucket):
            try:
                if not self._client.bucket_exists(self.bucket):
                    self._client.make_bucket(self.bucket)
            except ValueError as error:
                raise InvalidInputError(f"BAKEOFF_S3_BUCKET {self.bucket!r} is no bucket name: {error}") from error
            except S3Error as error:
                if error.code != "BucketAlreadyOwnedByYou":  # made by somebody in the meantime
                    raise

    def find_bucket(self) -> None:
        """Raise NoBucketError when the bucket is not there; makes none."""
        with translated(self.endpoint, self.bucket):
            self._client._execute("HEAD", self.bucket)

    def close(self) -> None:
        """Close all connections."""
        self._pool.clear()

    def _send(
        self,
        method: str,
        key: str,
        data: bytes | FileBody | None = None,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
        preload: bool = True,
    ) -> BaseHTTPResponse:
        def send() -> BaseHTTPResponse:
            if isinstance(data, FileBody):
                data.rewind()
            return self._client._execute(
                method,
                self.bucket,
                key,
                body=cast(bytes | None, data),  # whatever `_Client` takes
                headers=dict(headers or {}),
                query_params=dict(query or {}),
                preload_content=preload,
            )

        with translated(self.endpoint, self.bucket, key):
            try:
                return send()
            except ProtocolError:
                # A kept connection that the store has just closed, most likely. Every request may be repeated.
                return send()

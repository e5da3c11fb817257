"""Small objects to and from S3 without threads: a third of the SDK's processor time for each."""

from __future__ import annotations

import time
from datetime import timedelta

import obstore
from obstore.exceptions import AlreadyExistsError, NotFoundError
from obstore.store import S3Store

from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.identity import sha256_hex
from bakeoff.runtime.async_objects import AsyncObjects
from bakeoff.runtime.object_integrity import absent, check_key, verified
from bakeoff.runtime.objects import OCTETS, Created
from bakeoff.runtime.s3_http import CONNECT_S, TRANSFER_S
from bakeoff.runtime.s3_requests import S3Address

DIGEST = "sha256"
"""Name of the metadata that holds an object's digest, without the header's prefix."""
IDLE_S = 10
"""Seconds for which a connection that is not used stays open."""
REST_S = 5.0
"""Seconds for which the careful way is taken after the quick one has failed."""


class AsyncS3:
    """An `AsyncObjects` in one bucket.

    Only the plain success is taken from the quick client. Whatever else it comes to, a key that is taken among it, is
    done again by the careful way, which knows how stores differ and says what is wrong in the platform's words; all
    that is done here may be done twice.
    """

    def __init__(self, address: S3Address, careful: AsyncObjects) -> None:
        """Open nothing yet.

        Args:
            address: Where the bucket is, and what opens it.
            careful: Another way to the same bucket.
        """
        self._careful = careful
        self._rests_until_s = 0.0
        self._store = S3Store(
            address.bucket,
            endpoint=address.endpoint,
            region=address.region,
            access_key_id=address.access_key,
            secret_access_key=address.secret_key,
            skip_signature=not address.access_key,
            virtual_hosted_style_request=False,
            client_options={
                "allow_http": True,
                "connect_timeout": timedelta(seconds=CONNECT_S),
                "timeout": timedelta(seconds=TRANSFER_S),
                "pool_idle_timeout": timedelta(seconds=IDLE_S),
            },
            retry_config={"max_retries": 0},
        )

    async def create(self, key: str, data: bytes, *, media_type: str = OCTETS) -> Created:
        """Write an object unless its key is taken."""
        check_key(key)
        if self._works:
            ref = ObjectRef(key, sha256_hex(data), len(data))
            words = {"Content-Type": media_type, DIGEST: ref.sha256}
            try:
                await obstore.put_async(self._store, key, data, mode="create", attributes=words, use_multipart=False)
            except AlreadyExistsError:
                pass
            except Exception:  # of any kind: the careful way tells what is wrong
                self._rest()
            else:
                return Created(ref, created=True)
        return await self._careful.create(key, data, media_type=media_type)

    async def read_key(self, key: str) -> bytes:
        """Return an object's bytes, verified against the digest that its writer stated, if any."""
        check_key(key)
        if not self._works:
            return await self._careful.read_key(key)
        try:
            found = await obstore.get_async(self._store, key)
            data = bytes(await found.bytes_async())
        except (NotFoundError, FileNotFoundError) as error:
            raise absent(key) from error
        except Exception:  # as above
            self._rest()
            return await self._careful.read_key(key)
        return verified(data, key, found.attributes.get(DIGEST))

    async def keys(self, prefix: str) -> list[str]:
        """Return the keys that start with a prefix, in no order."""
        if self._works:
            try:
                return [found["path"] async for some in obstore.list(self._store, prefix=prefix) for found in some]
            except Exception:  # as above
                self._rest()
        return await self._careful.keys(prefix)

    def close(self) -> None:
        """Let go of the careful way's threads."""
        self._careful.close()

    @property
    def _works(self) -> bool:
        return time.monotonic() >= self._rests_until_s

    def _rest(self) -> None:
        self._rests_until_s = time.monotonic() + REST_S

"""Reaching the bus and the object store that the settings name."""

from __future__ import annotations

from bakeoff.runtime.bucket_reading import BucketReading
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.nats_bus import NatsBus
from bakeoff.runtime.objects import ObjectStore
from bakeoff.runtime.s3_objects import S3Objects
from bakeoff.runtime.s3_reading import S3Reading
from bakeoff.runtime.settings import Settings


async def connect_bus(settings: Settings, name: str) -> Bus:
    """Return the bus.

    Args:
        settings: Its address, and what it wants to see.
        name: Who connects, for the server's own listing.

    Raises:
        OutOfReachError: it does not answer; the message has the address.
        InvalidInputError: it refuses the token, or the user and the password.
    """
    return await NatsBus.connect(
        settings.nats_url,
        settings.nats_token,
        replicas=settings.replicas,
        name=name,
        user=settings.nats_user,
        password=settings.nats_password,
        authorities=settings.nats_ca,
    )


def connect_objects(settings: Settings) -> ObjectStore:
    """Return the object store; makes the bucket when it is not there.

    Raises:
        OutOfReachError: it does not answer; the message has the address.
        InvalidInputError: it refuses the keys, or the bucket cannot be had.
    """
    return S3Objects.connect(
        settings.s3_endpoint, settings.s3_access_key, settings.s3_secret_key, settings.s3_bucket, settings.s3_region
    )


def open_bucket(settings: Settings, bucket: str) -> BucketReading:
    """Return another bucket of the object store, to read; it is not made, and nothing is sent yet.

    Raises:
        InvalidInputError: the settings have no address of a store.
    """
    return S3Reading(settings.s3_endpoint, settings.s3_access_key, settings.s3_secret_key, bucket, settings.s3_region)

"""The quickest way to many small objects of a store."""

from __future__ import annotations

from bakeoff.runtime.async_objects import AsyncObjects, ObjectsInThreads
from bakeoff.runtime.objects import ObjectStore
from bakeoff.runtime.s3_objects import S3Objects


def asynchronous(objects: ObjectStore) -> AsyncObjects:
    """Return the quickest way to many small objects of a store."""
    if not isinstance(objects, S3Objects):
        return ObjectsInThreads(objects)
    # Imported when it is needed: its client is some megabytes of machine code.
    from bakeoff.runtime.s3_async import AsyncS3

    return AsyncS3(objects.address, ObjectsInThreads(objects))

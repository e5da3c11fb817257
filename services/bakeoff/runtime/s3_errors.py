"""What an S3 store and the way to it can answer, as errors that say what to do."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import urllib3.exceptions
from minio.error import InvalidResponseError, S3Error, ServerError

from bakeoff.domain.errors import BakeoffError, InvalidInputError, NoAccessError, NoBucketError, OutOfReachError
from bakeoff.runtime.object_integrity import absent

NO_OBJECT = ("NoSuchKey", "NoSuchVersion")
NO_BUCKET = "NoSuchBucket"
NO_ACCESS = ("AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "AllAccessDisabled", "InvalidTokenId")
CLOCK = "RequestTimeTooSkewed"
WAIT = (
    "SlowDown",
    "SlowDownRead",
    "SlowDownWrite",
    "RequestTimeout",
    "InternalError",
    "ServiceUnavailable",
    # Amazon, to a conditional write beside another one: neither taken nor free yet.
    "ConditionalRequestConflict",
    "OperationAborted",
)


class TakenError(BakeoffError):
    """A write under the condition that there is no such object found one."""


class PastEndError(BakeoffError):
    """A range starts past the end of its object."""


@contextlib.contextmanager
def translated(endpoint: str, bucket: str, key: str = "") -> Iterator[None]:
    """Turn what the SDK and the network raise inside the block into the errors of `ObjectStore`.

    Args:
        endpoint: Address of the store, for messages.
        bucket: The bucket, for messages.
        key: The object that is asked for, for messages.

    Raises:
        NotFoundError: there is no such object.
        OutOfReachError: the store does not answer, or asks to wait.
        NoBucketError: it has no such bucket.
        NoAccessError: it refuses access.
        InvalidInputError: it answers that the request is wrong.
        TakenError: the condition of a write does not hold.
        PastEndError: a range starts past the end.
    """
    try:
        yield
    except S3Error as error:
        raise _of_code(error, endpoint, bucket, key) from error
    except (InvalidResponseError, ServerError) as error:
        status = error.status_code if isinstance(error, ServerError) else error._code
        raise _of_status(status, endpoint) from error
    except urllib3.exceptions.HTTPError as error:
        raise OutOfReachError(f"the object store at {endpoint} does not answer: {_cause(error)}") from error


def _of_code(error: S3Error, endpoint: str, bucket: str, key: str) -> BakeoffError:
    code = error.code or ""
    if code in NO_OBJECT:
        return absent(key)
    if code == "PreconditionFailed":
        return TakenError(f"object {key!r} is there already")
    if code == "InvalidRange":
        return PastEndError(f"object {key!r} is shorter")
    if code == NO_BUCKET:
        return NoBucketError(
            f"the object store at {endpoint} has no bucket {bucket!r}; create it, or set BAKEOFF_S3_BUCKET"
        )
    if code in NO_ACCESS:
        return NoAccessError(
            f"the object store at {endpoint} refuses access to bucket {bucket!r} ({code}); set BAKEOFF_S3_ACCESS_KEY "
            "and BAKEOFF_S3_SECRET_KEY to credentials that may read and write it",
            code,
        )
    if code == CLOCK:
        return InvalidInputError(f"the object store at {endpoint} has another time than this machine; set the clock")
    if code in WAIT or error.response.status >= 500 or error.response.status == 429:
        return OutOfReachError(f"the object store at {endpoint} asks to wait: {code}")
    return InvalidInputError(
        f"the object store at {endpoint} refuses the request for {key!r} in bucket {bucket!r}: {code}: {error.message}"
    )


def _of_status(status: int, endpoint: str) -> BakeoffError:
    if status >= 500 or status == 429:
        return OutOfReachError(f"the object store at {endpoint} answers with HTTP status {status}")
    return InvalidInputError(
        f"what answers at {endpoint} (HTTP status {status}) is no S3 store; set BAKEOFF_S3_ENDPOINT to one"
    )


def _cause(error: BaseException) -> str:
    """Return the reason at the root of a network error, without the addresses of objects in memory."""
    while isinstance(reason := getattr(error, "reason", None), BaseException):
        error = reason
    return f"{type(error).__name__}: {str(error).partition(': ')[2] or error}"

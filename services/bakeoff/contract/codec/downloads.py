"""How far downloads are, on the wire: part of what a follower sees, and what their workers tell the bus."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import Download
from bakeoff.v1 import evaluation_pb2


def download_to_wire(download: Download) -> evaluation_pb2.Download:
    """Return the message of how far a download is."""
    return evaluation_pb2.Download(
        benchmark=download.benchmark,
        address=download.address,
        received_bytes=download.received_bytes,
        total_bytes=download.total_bytes,
    )


def download_from_wire(message: evaluation_pb2.Download) -> Download:
    """Return how far the download of a message is."""
    total = message.total_bytes if message.HasField("total_bytes") else None
    return Download(message.benchmark, message.address, message.received_bytes, total)


def download_to_bytes(download: Download) -> bytes:
    """Return how far a download is as it travels."""
    return download_to_wire(download).SerializeToString(deterministic=True)


def download_from_bytes(data: bytes) -> Download:
    """Read how far a download is as it travelled.

    Raises:
        InvalidInputError: the bytes are no Download.
    """
    message = evaluation_pb2.Download()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        raise InvalidInputError(f"{len(data)} bytes are no Download: {error}") from error
    return download_from_wire(message)

"""A call of a platform before it is made: the same for those who wait for it and those who await it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import grpc

from bakeoff.domain.errors import BakeoffError
from bakeoff.runtime.rpc import error_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request, or a stream of them, and one response."""

    stub: type[Any]
    """Class that the contract's service is called by."""
    method: str
    request: Any
    """A message, or an iterable of them."""
    read: Callable[[Any], T]
    """Makes what the caller wants of the response."""


@dataclass(frozen=True, slots=True)
class Stream(Generic[T]):
    """One request, or a stream of them, and a stream of responses."""

    stub: type[Any]
    method: str
    request: Any
    read: Callable[[Any], T]
    """Makes what the caller wants of each response."""


@contextmanager
def domain_errors(address: str) -> Iterator[None]:
    """Raise the error of the domain that a failed call tells of.

    Args:
        address: Of the platform that is called, for the message.
    """
    try:
        yield
    except grpc.RpcError as error:
        domain = error_of(error, f"the platform at {address}")
        raise domain if isinstance(domain, BakeoffError) else BakeoffError(str(domain)) from error


def messages(request: Any) -> Any:
    """Return an iterator over the messages of a streamed request; a single message stays what it is."""
    return iter(request) if isinstance(request, Iterable) else request

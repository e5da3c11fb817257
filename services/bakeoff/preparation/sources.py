"""Where a resource is: a local path or an address, and what to say when a path does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bakeoff.domain.benchmark import BenchmarkResource, ResourceKind
from bakeoff.domain.errors import InvalidInputError, Violation

STORED = "s3"
REMOTE = ("http", "https", STORED)


def is_remote(uri: str) -> bool:
    """Return whether a resource is not on this machine and must be fetched."""
    return urlsplit(uri).scheme.lower() in REMOTE


def is_stored(uri: str) -> bool:
    """Return whether a resource is in an object store."""
    return urlsplit(uri).scheme.lower() == STORED


def local_path(uri: str) -> Path:
    """Return the local path that a path or a `file:` address means.

    Raises:
        InvalidInputError: it is an address of another kind, or a file on another machine.
    """
    parts = urlsplit(uri)
    if parts.scheme.lower() == "file":
        if parts.netloc not in ("", "localhost"):
            raise InvalidInputError(f"{uri!r} is on another machine: {parts.netloc!r}")
        return Path(unquote(parts.path))
    if "://" in uri:
        raise InvalidInputError(f"{uri!r}: cannot be fetched; write a path or a file, http, https or s3 address")
    return Path(uri).expanduser()


def missing(resources: Sequence[BenchmarkResource], field: str = "path") -> list[Violation]:
    """Return a violation for each required local resource that is not there, or is a folder instead of a file.

    Args:
        resources: An adapter's.
        field: The setting that named them.
    """
    needed = (resource for resource in resources if resource.required and not is_remote(resource.uri))
    problems = (problem_of(resource) for resource in needed)
    return [Violation(field, problem) for problem in problems if problem]


def problem_of(resource: BenchmarkResource) -> str | None:
    """Return what is wrong with where a local resource is; None when it is there and of the right kind."""
    path = local_path(resource.uri)
    if not path.exists():
        return does_not_exist(path)
    if resource.kind is ResourceKind.FILE and not path.is_file():
        return f"{str(path)!r} must be a file"
    if resource.kind is ResourceKind.DATASET and not path.is_dir():
        return f"{str(path)!r} must be a folder"
    return None


def does_not_exist(path: Path) -> str:
    """Return the words for a path that does not exist: how far it does, and the nearest name that stands there."""
    parent = path.parent
    while not parent.exists() and parent != parent.parent:
        parent = parent.parent
    if not parent.is_dir():
        return f"{str(path)!r} does not exist: {str(parent)!r} is no folder"
    wanted = path.relative_to(parent).parts[0]
    siblings = sorted(entry.name for entry in parent.iterdir())
    near = difflib.get_close_matches(wanted, siblings, n=1, cutoff=0.5)
    place = "" if parent == path.parent else f": {str(parent)!r} has no {wanted!r}"
    hint = f"; did you mean {str(parent / near[0])!r}?" if near else ""
    return f"{str(path)!r} does not exist{place}{hint}"

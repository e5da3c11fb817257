"""Where a resource is: a local path or an address, and what to say when a path does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bakeoff.domain.benchmark import BenchmarkResource
from bakeoff.domain.errors import InvalidInputError, Violation

REMOTE = ("http", "https")


def is_remote(uri: str) -> bool:
    """Return whether a resource must be downloaded."""
    return urlsplit(uri).scheme.lower() in REMOTE


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
        raise InvalidInputError(f"{uri!r}: cannot be fetched; write a path or a file, http or https address")
    return Path(uri).expanduser()


def missing(resources: Sequence[BenchmarkResource], field: str = "path") -> list[Violation]:
    """Return a violation for each required local resource that does not exist.

    Args:
        resources: An adapter's.
        field: The setting that named them.
    """
    paths = [local_path(resource.uri) for resource in resources if resource.required and not is_remote(resource.uri)]
    return [Violation(field, does_not_exist(path)) for path in paths if not path.exists()]


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

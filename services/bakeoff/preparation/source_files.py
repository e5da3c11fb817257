"""The files of a benchmark that is a folder, one file or an archive: found by patterns, each with a name to tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from bakeoff.domain.benchmark import BenchmarkResource, ResourceKind
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.archives import is_archive
from bakeoff.preparation.beir_sets import ARCHIVES
from bakeoff.preparation.protocol import Workspace
from bakeoff.preparation.sources import is_remote, local_path, missing

SHOWN = 10
"""Names that a message lists: enough to see what kind of folder it is."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to read."""

    name: str
    """Its name with its ending, from its folder if it has one; a download's comes from its address."""
    path: Path

    @property
    def stem(self) -> str:
        """The last part of its name without the ending."""
        return PurePosixPath(self.name).stem

    @property
    def ending(self) -> str:
        """Such as `.jsonl`, lower case; empty when it has none."""
        return PurePosixPath(self.name).suffix.lower()

    @property
    def shown(self) -> str:
        """What messages call it: its path, or its name when it was downloaded under another."""
        return str(self.path) if self.path.name == PurePosixPath(self.name).name else self.name


def resource_of(name: str, uri: str) -> BenchmarkResource:
    """Return the resource that a path or address means: a folder, a file, or an archive."""
    local = None if is_remote(uri) else local_path(uri)
    if local is not None and local.is_dir():
        return BenchmarkResource(name, uri, ResourceKind.DATASET)
    if file_name(uri).lower().endswith(ARCHIVES):
        return BenchmarkResource(name, uri, ResourceKind.ARCHIVE)
    return BenchmarkResource(name, uri)


def file_name(uri: str) -> str:
    """Return the last part of a path or address."""
    return PurePosixPath(urlsplit(uri).path if is_remote(uri) else local_path(uri).as_posix()).name


def folder_name(uri: str) -> str:
    """Return the name of the folder that a path or address is in; of an address without one, the host or bucket."""
    if not is_remote(uri):
        return local_path(uri).absolute().parent.name
    parts = urlsplit(uri)
    return PurePosixPath(unquote(parts.path)).parent.name or parts.hostname or ""


def check_resource(resource: BenchmarkResource, patterns: Sequence[str], field: str) -> list[Violation]:
    """Return what can be seen to be wrong without unpacking or downloading.

    Args:
        resource: A folder, a file or an archive.
        patterns: As of `find_files`.
        field: The setting that named it.
    """
    if is_remote(resource.uri):
        return []
    faults = missing([resource], field)
    path = local_path(resource.uri)
    if not faults and path.is_dir() and not matching(path, patterns):
        faults = [Violation(field, _nothing_found(path, patterns))]
    if not faults and path.is_file() and resource.kind is ResourceKind.ARCHIVE and not is_archive(path):
        faults = [Violation(field, f"{str(path)!r} is no zip or tar archive")]
    return faults


def open_resource(workspace: Workspace, resource: BenchmarkResource) -> SourceFile:
    """Return a resource's local folder or file; an archive is unpacked first.

    Raises:
        InvalidInputError: it is not what was stated, or no safe archive.
        NotFoundError: it is not there.
    """
    path = workspace.fetch(resource)
    if path.is_file() and (resource.kind is ResourceKind.ARCHIVE or is_archive(path)):
        path = workspace.unpack(path)
    return SourceFile(file_name(resource.uri), path)


def find_files(root: SourceFile, patterns: Sequence[str]) -> list[SourceFile]:
    """Return the files below a folder that match the first pattern that matches any, sorted; of a file, itself.

    Raises:
        InvalidInputError: there is none; says what was looked for, and what is there.
    """
    if root.path.is_file():
        return [root]
    found = matching(root.path, patterns)
    if not found:
        raise InvalidInputError(_nothing_found(root.path, patterns))
    return found


def matching(folder: Path, patterns: Sequence[str]) -> list[SourceFile]:
    """Return the files below a folder that match the first pattern that matches any, sorted; hidden ones are not."""
    for pattern in patterns:
        paths = sorted(path for path in folder.rglob(pattern) if path.is_file() and not _hidden(path, folder))
        if paths:
            return [SourceFile(path.relative_to(folder).as_posix(), path) for path in paths]
    return []


def _nothing_found(folder: Path, patterns: Sequence[str]) -> str:
    names = list(_some_names(folder))
    there = ", ".join(names) or "nothing"
    return f"{str(folder)!r} has no file {' or '.join(map(repr, patterns))}; there are: {there}"


def _some_names(folder: Path) -> Iterator[str]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    yield from (path.relative_to(folder).as_posix() for path in paths[:SHOWN])
    if len(paths) > SHOWN:
        yield f"… ({len(paths):,} files)"


def _hidden(path: Path, folder: Path) -> bool:
    # What macOS puts into archives beside the real files: `._name` and `__MACOSX`.
    return any(part.startswith((".", "__MACOSX")) for part in path.relative_to(folder).parts)

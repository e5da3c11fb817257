"""Files of an agent's workspace as JSON: text where they are text, Base64 where they are not."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from bakeoff.domain.errors import InvalidInputError

FILES = "files"
"""Where an answer's metadata has what its agent left."""
WORKSPACE = "workspace"
"""Where a case's metadata has the files that come with it, by folder: artifacts_in, artifacts_out, custom_python."""


def pack_files(files: Mapping[str, bytes]) -> dict[str, object]:
    """Return files by path as JSON values; `unpack_files` gives the same bytes back."""
    return {path: _packed(data) for path, data in sorted(files.items())}


def _packed(data: bytes) -> object:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def unpack_files(packed: object, place: str) -> dict[str, bytes]:
    """Return files by path.

    Args:
        packed: What `pack_files` gave.
        place: What holds them, for messages.

    Raises:
        InvalidInputError: it is something else, or a path leads out of the workspace.
    """
    if not isinstance(packed, Mapping):
        raise InvalidInputError(f"{place}: files must be a mapping of texts by path, not a {type(packed).__name__}")
    return {checked_path(path): _unpacked(path, value, place) for path, value in packed.items()}


def _unpacked(path: str, value: object, place: str) -> bytes:
    if isinstance(value, str):
        return value.encode()
    encoded = value.get("base64") if isinstance(value, Mapping) else None
    try:
        return base64.b64decode(encoded, validate=True) if isinstance(encoded, str) else _refuse(place, path, value)
    except binascii.Error as error:
        raise InvalidInputError(f"{place}: file {path!r} is no Base64: {error}") from error


def _refuse(place: str, path: str, value: object) -> bytes:
    kind = type(value).__name__
    raise InvalidInputError(f"{place}: file {path!r} must be text or a mapping with `base64`, not a {kind}")


def checked_path(path: object) -> str:
    """Return a path that stays inside of a workspace.

    Raises:
        InvalidInputError: it is empty, absolute, or leads out.
    """
    if not isinstance(path, str) or not path.strip() or "\0" in path or "\\" in path:
        raise InvalidInputError(f"{path!r} is no path in a workspace")
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts or not parts:
        raise InvalidInputError(f"{path!r} leads out of the workspace")
    return path


def matching(entry: str, paths: Sequence[str]) -> list[str]:
    """Return the paths that an entry names: an extension (`.csv`), a glob (`out/*.csv`), a path, or a file name."""
    if re.fullmatch(r"\.\w+", entry):
        extended = [path for path in paths if PurePosixPath(path).suffix == entry]
        return extended or [path for path in paths if PurePosixPath(path).name == entry]
    return [path for path in paths if fnmatchcase(path, entry) or fnmatchcase(PurePosixPath(path).name, entry)]

"""A folder of a case's own: filled before the agent begins, read when it has ended, and gone afterwards."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Keep:
    """How much of what an agent left is kept."""

    files: int = 200
    file_bytes: int = 1 << 20
    """Of one file."""
    total_bytes: int = 8 << 20
    """Of all files."""


@dataclass(slots=True)
class Left:
    """What was found in a workspace."""

    files: dict[str, bytes] = field(default_factory=dict)
    """By path from the workspace, with `/`, sorted."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Why a file was not kept, by path."""

    def take(self, path: str, size: int, keep: Keep) -> bool:
        """Say whether a file may still be kept, and note why when it may not."""
        kept = sum(map(len, self.files.values()))
        if len(self.files) >= keep.files:
            self.left_out[path] = f"there are more than {keep.files} files"
        elif size > keep.file_bytes:
            self.left_out[path] = f"it has {size:,} bytes, more than {keep.file_bytes:,}"
        elif kept + size > keep.total_bytes:
            self.left_out[path] = f"all files together have more than {keep.total_bytes:,} bytes"
        else:
            return True
        return False


@contextmanager
def fresh_workspace(files: Mapping[str, bytes]) -> Iterator[Path]:
    """Give a new folder with these files and nothing else, and remove it with whatever came to be in it."""
    outer = Path(tempfile.mkdtemp(prefix="bakeoff-agent-"))
    try:
        workspace = outer / "workspace"
        workspace.mkdir()
        write_files(workspace, files)
        yield workspace
    finally:
        shutil.rmtree(outer, onerror=_by_force)


def write_files(workspace: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a workspace; their paths stay inside of it."""
    for name, data in files.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def collect(workspace: Path, keep: Keep) -> Left:
    """Return the files of a workspace, none of them by way of a link: a link could name anybody's file."""
    left = Left()
    for folder, folders, names in os.walk(workspace, followlinks=False):
        folders[:] = sorted(name for name in folders if name not in ("__pycache__", ".git"))
        for name in sorted([*names, *(each for each in folders if (Path(folder) / each).is_symlink())]):
            path = Path(folder) / name
            _collect_one(path, path.relative_to(workspace).as_posix(), left, keep)
    left.files = dict(sorted(left.files.items()))
    return left


def _collect_one(path: Path, shown: str, left: Left, keep: Keep) -> None:
    shown = shown.encode(errors="replace").decode()
    try:
        # Not followed, and opened before it is looked at: nothing can be put in its place in between.
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        left.left_out[shown] = "it is a link" if path.is_symlink() else f"it cannot be read: {error.strerror}"
        return
    with os.fdopen(fd, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            left.left_out[shown] = "it is no file"
        elif about.st_nlink > 1:
            left.left_out[shown] = "it is a hard link"
        elif left.take(shown, about.st_size, keep):
            left.files[shown] = file.read(keep.file_bytes)


def _by_force(function: object, path: str, error: object) -> None:
    """Remove what an agent made unremovable by its mode."""
    parent = Path(path).parent
    try:
        parent.chmod(0o700)
        if Path(path).is_dir() and not Path(path).is_symlink():
            Path(path).chmod(0o700)
            shutil.rmtree(path, ignore_errors=True)
        else:
            Path(path).unlink(missing_ok=True)
    except OSError:
        return

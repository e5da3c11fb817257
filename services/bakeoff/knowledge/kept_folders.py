"""Folders of a cache on disk, bounded in size: those that were not used for longest go first."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
import time
from pathlib import Path


class KeptFolders:
    """The folders below one folder; thread-safe, and other processes may keep and remove folders there too.

    When a folder was last used is the time of its own change, so that it outlives the process and is the same for all.
    What a process has mapped stays readable for it when the folder is gone.
    """

    def __init__(self, folder: Path, most_bytes: int) -> None:
        """Keep folders.

        Args:
            folder: Holds them.
            most_bytes: What they may take together, from 0.
        """
        self._folder = folder
        self._most_bytes = most_bytes
        self._lock = threading.Lock()

    def touch(self, name: str) -> None:
        """Say that a folder is used now; no error when it is not there."""
        now = time.time_ns()
        with contextlib.suppress(FileNotFoundError):
            os.utime(self._folder / name, ns=(now, now))

    def trim(self, *, in_use: str) -> None:
        """Remove the folders that were not used for longest until the others fit.

        Args:
            in_use: Name of the one that stays, whatever its size.
        """
        self.touch(in_use)
        with self._lock:
            kept = sorted(((used, size, path) for path in self._folders() for used, size in self._measured(path)))
            total = sum(size for _, size, _ in kept)
            for _, size, path in kept:
                if total <= self._most_bytes:
                    return
                if path.name != in_use:
                    shutil.rmtree(path, ignore_errors=True)
                    total -= size

    def _folders(self) -> list[Path]:
        try:
            return [path for path in self._folder.iterdir() if path.is_dir()]
        except FileNotFoundError:
            return []

    def _measured(self, path: Path) -> list[tuple[int, int]]:
        """Return when a folder was last used and what it takes; nothing when it goes away meanwhile."""
        try:
            return [(path.stat().st_mtime_ns, sum(file.stat().st_size for file in path.iterdir()))]
        except FileNotFoundError:
            return []

"""Folders for work under way, beside the cache: the system's own for temporary files may be small, or memory."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from bakeoff.runtime.settings import Settings

LEFT_S = 7 * 24 * 3600.0
"""Age at which a folder was left by a process that was killed: nothing is worked on for so long."""


def scratch_root(settings: Settings) -> Path:
    """Return the folder of all scratch folders of a process, which may share it with others."""
    return settings.cache_dir.absolute() / "scratch"


def scratch_folder(root: Path | None, prefix: str) -> tempfile.TemporaryDirectory[str]:
    """Return a new folder, removed when it is cleaned up or its block ends.

    Args:
        root: Where it is made, after removing what killed processes have left there; None means the system's own.
        prefix: First part of its name.
    """
    if root is None:
        return tempfile.TemporaryDirectory(prefix=prefix)
    root.mkdir(parents=True, exist_ok=True)
    for folder in root.iterdir():
        if _is_left(folder):
            shutil.rmtree(folder, ignore_errors=True)
    return tempfile.TemporaryDirectory(dir=root, prefix=prefix)


def _is_left(folder: Path) -> bool:
    try:
        return time.time() - folder.stat().st_mtime > LEFT_S
    except FileNotFoundError:  # another process has just removed it
        return False

"""The files of an agent's workspace that a challenge is judged by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from bakeoff.domain.errors import InvalidInputError


def matching_files(workspace: Path, wanted: Sequence[str]) -> list[Path]:
    """Return the files of a workspace that a challenge names, sorted, each once; folders below are searched too.

    Args:
        workspace: Where the agent worked.
        wanted: Names or paths (`output.txt`, `out/a.txt`), globs (`*.csv`) and extensions (`.txt`).

    Raises:
        InvalidInputError: one of them leads out of the workspace.
    """
    root = workspace.resolve()
    found = {path for name in wanted for path in _matching(workspace, name) if path.is_file()}
    # A link that an agent made must not let it be judged by a file of somebody else.
    return sorted(path for path in found if path.resolve().is_relative_to(root))


def _matching(workspace: Path, name: str) -> list[Path]:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise InvalidInputError(f"{name!r} leads out of the workspace of the challenge")
    if name.startswith(".") and "/" not in name and not any(sign in name for sign in "*?["):
        return [each for each in workspace.rglob("*") if each.name.endswith(name)]
    if not any(sign in name for sign in "*?[") and (workspace / name).is_file():
        return [workspace / name]
    return list(workspace.rglob(name))

"""Documents that are files named after what the questions call them: found by the name without its ending."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ENDINGS = (".pdf", ".html", ".htm", ".txt", ".md")
"""Files that are documents, the preferred first."""


@dataclass(frozen=True, slots=True)
class DocumentFiles:
    """Files by the document's name."""

    paths: dict[str, Path]

    @classmethod
    def below(cls, folders: Iterable[Path]) -> DocumentFiles:
        """Return the files below folders; of several with one name, the first by ending and path."""
        found = (
            path
            for folder in folders
            for path in sorted(folder.rglob("*"))
            if path.suffix.lower() in ENDINGS and path.is_file() and not path.name.startswith(".")
        )
        paths: dict[str, Path] = {}
        for path in sorted(found, key=lambda path: ENDINGS.index(path.suffix.lower())):
            paths.setdefault(path.stem, path)
        return cls(paths)

    def get(self, name: str) -> Path | None:
        """Return the file of a document; None when there is none. A slash cannot stand in a name: others do for it."""
        spellings = (name, name.replace("/", "_"), name.replace("/", "-"), name.replace(" ", "_"))
        return next((self.paths[each] for each in spellings if each in self.paths), None)


def folders_named(root: Path, names: Sequence[str]) -> list[Path]:
    """Return the folders of these names at any depth; the root itself when there is none or it has such a name."""
    if root.name in names:
        return [root]
    return sorted(path for path in root.rglob("*") if path.name in names and path.is_dir()) or [root]

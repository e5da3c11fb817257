"""The files of a model: in a folder, or in a package that carries it; known by their digest, not by their place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from bakeoff.domain.component import ComponentCard, ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.identity import digest_of
from bakeoff.runtime.model_pins import DIRECTORY, FILE, MODEL_FILES, ONE_MODEL, PACKAGE, PIN
from bakeoff.runtime.object_integrity import digest_of_file

TOKENIZER = "tokenizer.json"
EXTERNAL = ("_data", ".data")
"""Ends of the names of files with weights that lie beside an ONNX model."""
MOST_FILES = 1000
"""Of a model; more is hardly the folder that was meant."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model that is there."""

    folder: Path
    names: tuple[str, ...]
    """Of its files within the folder, sorted."""

    @property
    def digest(self) -> str:
        """SHA-256 over the names and the bytes of all its files."""
        stats = [(self.folder / name).stat() for name in self.names]
        return _digest(self.folder, self.names, tuple((stat.st_size, stat.st_mtime_ns) for stat in stats))

    def check(self, sha256: str, component: str) -> None:
        """Check that they are those that were meant.

        Args:
            sha256: Their digest, or empty, which is not checked.
            component: Whose they are, for the message.

        Raises:
            InvalidInputError: they are others.
        """
        if sha256 and sha256 != self.digest:
            raise InvalidInputError(
                f"the model of {component} in {self.folder} has the sha256 {self.digest}, not {sha256}: "
                "it is another one than the recipe names"
            )


def find_model(component: str, *, directory: str, package: str, file: str | None) -> ModelFiles:
    """Return the files of a model.

    Args:
        component: Who needs it, for the messages.
        directory: Folder with the files; empty when they are in a package.
        package: Import name of an installed package and the folder in it, such as `some_model/data/small`; empty when
            they are in a directory.
        file: Name of the ONNX model in the folder, beside which there is a tokenizer.json here or in the folder; None
            takes all files of the folder.

    Raises:
        InvalidInputError: neither or both of directory and package are given, or there is no such folder or file.
    """
    folder = _folder(component, directory, package)
    if file is None:
        names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if _counts(path, folder))
        if not names or len(names) > MOST_FILES:
            raise InvalidInputError(f"{component}: {folder} has {len(names)} files, which is no model")
        return ModelFiles(folder, tuple(names))
    if Path(file).is_absolute() or ".." in Path(file).parts:
        raise InvalidInputError(f"{component}: file must be the name of a file within the folder, not {file!r}")
    for name in (file, TOKENIZER):
        if not (folder / name).is_file():
            there = ", ".join(sorted(path.name for path in folder.iterdir())[:10]) or "nothing"
            raise InvalidInputError(f"{component}: there is no {name} in {folder}; there is {there}")
    beside = [file + end for end in EXTERNAL if (folder / (file + end)).is_file()]
    return ModelFiles(folder, tuple(sorted((file, TOKENIZER, *beside))))


def pinned(spec: ComponentSpec, card: ComponentCard) -> ComponentSpec:
    """Return a component with the digest of its model's files, so that its signature tells the model.

    Args:
        spec: The component; one that says a digest stays as it is, and is checked when it is made.
        card: Its card, which says whether it has a model in files.

    Raises:
        InvalidInputError: there is no such model.
    """
    if MODEL_FILES not in card.facts or spec.settings.get(PIN):
        return spec
    said = {name: str(value or "") for name, value in card.resolve(spec).settings.items()}
    file = said[FILE] if card.facts[MODEL_FILES] == ONE_MODEL else None
    files = find_model(spec.name, directory=said[DIRECTORY], package=said[PACKAGE], file=file)
    return ComponentSpec(spec.name, {**spec.settings, PIN: files.digest})


def _folder(component: str, directory: str, package: str) -> Path:
    if bool(directory) == bool(package):
        given = "both" if directory else "neither"
        raise InvalidInputError(f"{component} needs a model: give either directory or package, not {given}")
    if directory:
        folder = Path(directory)
    else:
        name, *inner = package.replace("\\", "/").strip("/").split("/")
        # Found, not imported: a package that carries a model may do anything when it is.
        found = find_spec(name) if name.isidentifier() else None
        if found is None or not found.submodule_search_locations:
            raise InvalidInputError(f"{component}: the package {name!r} is not installed here")
        if ".." in inner:
            raise InvalidInputError(f"{component}: {package!r} leaves its package")
        folder = Path(found.submodule_search_locations[0], *inner)
    if not folder.is_dir():
        raise InvalidInputError(f"{component}: there is no folder {str(folder)!r}")
    return folder


def _counts(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith((".", "__pycache__")) for part in path.relative_to(folder).parts)
    return path.is_file() and not hidden


@lru_cache(256)  # hashing a model takes as long as loading it
def _digest(folder: Path, names: tuple[str, ...], stats: tuple[tuple[int, int], ...]) -> str:
    return digest_of({name: digest_of_file(folder / name)[0] for name in names})

"""Which report is meant: an evaluation's id, a report.json, the folder of a report, or the evaluation file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bakeoff.cli.evaluation_file import read_text
from bakeoff.cli.report_files import default_folder, read_report
from bakeoff.cli.server import connected
from bakeoff.cli.yaml_values import parse
from bakeoff.client.report_calls import FILES
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.runtime.settings import Settings


def evaluation_meant(text: str) -> str:
    """Return the id of the evaluation that is meant: the text itself, or that of the report that stands there.

    Raises:
        NotFoundError: the text is a path at which there is no report.
        InvalidInputError: what is there is no report and no evaluation file.
    """
    path = local_path(text)
    return text if path is None else read_report(local_file(path, "json")).run.evaluation_id


def report_files(text: str, format_names: Sequence[str], *, server: str, folder: Path) -> list[Path]:
    """Return local files of the report that is meant, fetched from a platform if need be.

    Args:
        text: As it was typed.
        format_names: Which of `FILES`.
        server: `host:port` of the platform; empty means the setting's, else the embedded one of the folder.
        folder: Of the embedded platform; what is fetched is kept in it.

    Raises:
        NotFoundError: there is no such report, or no such file of it.
        OutOfReachError: the platform does not answer.
    """
    path = local_path(text)
    if path is not None:
        return [local_file(path, name) for name in format_names]
    with connected(server, folder, Settings.from_environment(), start=True) as client:
        return client.save_report(text, folder / "reports" / text, list(format_names))


def local_path(text: str) -> Path | None:
    """Return the path that is meant; None when the text is an id.

    Raises:
        NotFoundError: it looks like a path, and nothing is there.
    """
    path = Path(text)
    if path.exists():
        return path
    if path.suffix or len(path.parts) > 1:
        raise NotFoundError(f"there is no report at {text!r}")
    return None


def local_file(path: Path, format_name: str) -> Path:
    """Return a file of the report that stands at a path.

    Args:
        path: A report's folder, a file in it, or an evaluation file that was run here.
        format_name: Which of `FILES`.

    Raises:
        NotFoundError: there is no such file.
        InvalidInputError: the path is a YAML file that is no evaluation file.
    """
    if path.suffix in (".yaml", ".yml"):
        path = _folder_of(path)
    elif path.is_file() and format_name == "json":
        return path
    file = (path if path.is_dir() else path.parent) / FILES[format_name]
    if not file.exists():
        raise NotFoundError(f"there is no file {str(file)!r}")
    return file


def _folder_of(file: Path) -> Path:
    """Return where `bakeoff run` writes the report of an evaluation file."""
    value, faults = parse(read_text(file), str(file))
    name = value.data.get("name") if value is not None and isinstance(value.data, dict) else None
    if faults or name is None or not isinstance(name.data, str):
        raise InvalidInputError(f"{file} is no evaluation file with a name", faults)
    folder = default_folder(name.data)
    if not folder.is_dir():
        raise NotFoundError(f"there is no report {str(folder)!r} yet; run `bakeoff run {file}`")
    return folder

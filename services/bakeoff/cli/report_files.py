"""The files of a report: fetched from a platform into a folder, found again, and read."""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from bakeoff.client import Client
from bakeoff.client.report_calls import FILES, USUAL
from bakeoff.contract.stored import decode
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.report import EvaluationReport

LONGEST_SLUG = 60


def default_folder(name: str) -> Path:
    """Return where the report of an evaluation goes when nothing else is said: `reports/` and its name."""
    return Path("reports") / slug(name)


def check_writable(folder: Path) -> None:
    """Look whether a folder can be written, or made, before work is done for it.

    Raises:
        InvalidInputError: it cannot; says why.
    """
    there = folder.absolute()
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        raise InvalidInputError(f"{folder} cannot be written: {there} is no folder")
    try:
        with TemporaryFile(dir=there):
            return
    except OSError as error:
        raise InvalidInputError(f"{folder} cannot be written: {error.strerror}") from None


def slug(name: str) -> str:
    """Return a name as one plain path segment: lower case, digits and `-`; `evaluation` when nothing is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:LONGEST_SLUG].strip("-") or "evaluation"


def fetch_all(client: Client, evaluation_id: str, folder: Path) -> list[Path]:
    """Write all files that a report has to a folder; return their paths, the report itself first.

    Raises:
        NotFoundError: there is no such evaluation, or no report yet.
        InvalidInputError: the folder cannot be written.
    """
    fetched = client.save_report(evaluation_id, folder)
    for name in FILES.keys() - set(USUAL):
        (folder / FILES[name]).unlink(missing_ok=True)  # of another evaluation
        with suppress(NotFoundError):
            fetched += client.save_report(evaluation_id, folder, [name])
    return fetched


def read_report(path: Path) -> EvaluationReport:
    """Read a report from its file, or from the folder that holds it.

    Raises:
        NotFoundError: there is none.
        InvalidInputError: the file is no report.
    """
    file = path / FILES["json"] if path.is_dir() else path
    try:
        return decode(file.read_bytes(), EvaluationReport)
    except FileNotFoundError:
        raise NotFoundError(f"there is no report {str(file)!r}") from None
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror}") from None
    except InvalidInputError as error:
        raise InvalidInputError(f"{file} is no report: {error.message}") from error


def failed_cases(report: EvaluationReport) -> int:
    """Return how many case results failed: answers that did not come, and scores that could not be made of answers."""
    return sum(
        max([entrant.failed_cases, *(metric.failed for metric in entrant.metrics)]) for entrant in report.entrants
    )

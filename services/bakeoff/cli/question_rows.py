"""Rows of a file that are to be answered: read twice, first to find all that is wrong, then to ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError, NotFoundError, Violation
from bakeoff.inference.prompted import read_recipe_template
from bakeoff.inference.prompting.eval_types import EvalType, eval_type_of, needs_generation
from bakeoff.inference.prompting.values import column_names
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.row import Row
from bakeoff.preparation.row_cases import RowReader
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.row_keys import row_keys
from bakeoff.preparation.source_files import SourceFile

FAULTS_SHOWN = 50
SHOWN_TO_MODELS = ("choices", "contexts", "eval_type")
"""What of a row's metadata is sent along."""


@dataclass(frozen=True, slots=True)
class QuestionRows:
    """The rows of one file, and what is to be done about answers that are there already."""

    file: SourceFile
    reader: RowReader
    output_key: str
    """Column of the answers."""
    allow_overwrite: bool = False
    """Whether answers that are there are made again."""
    fill_missing: bool = False
    """Whether answers that are there are kept, and only rows without one are asked."""

    @property
    def error_key(self) -> str:
        """Column that says why a row has no answer."""
        return f"{self.output_key}_error"

    def __iter__(self) -> Iterator[Case]:
        """Yield the rows to be asked, each named after its number in the file, from 1."""
        findings = Findings()
        for row in read_rows(self.file):
            if not self._keeps(row):
                yield _asked(row, self.reader, findings)

    def check(self, template: str = "") -> RowCheck:
        """Read all rows and look for what is wrong, before anything is asked.

        Args:
            template: Name or text of the prompt template; empty means the built-in one.

        Raises:
            InvalidInputError: rows are broken, cannot be asked, lack what the template shows, or have answers already;
                all that can be told at once.
        """
        shown = read_recipe_template(template) if template else None
        check, findings = RowCheck(), Findings()
        faults: list[Violation] = []
        columns: frozenset[str] | None = None
        for row in read_rows(self.file):
            self._refuse_existing(row)
            read = self.reader.read(row, findings)
            if not isinstance(read, Case):
                faults += read
                if row.number == 1 and self.reader.keys.absent(row):
                    break  # a column that the first row lacks is named wrongly
                continue
            kept = self._keeps(row)
            check = replace(check, rows=check.rows + 1, kept=check.kept + kept)
            if shown is not None and not kept:
                names = column_names(_only_shown(read))
                columns = names if columns is None else columns & names
        if faults:
            more = f" (the first {FAULTS_SHOWN} are shown)" if len(faults) > FAULTS_SHOWN else ""
            noun = "fault" if len(faults) == 1 else "faults"
            raise InvalidInputError(f"{self.file.shown!r} has {len(faults):,} {noun}{more}", faults[:FAULTS_SHOWN])
        if shown is not None and columns is not None:
            shown.check(columns)
        notes = {each.message: each.count for each in findings.all()}
        return replace(check, notes=notes)

    def _keeps(self, row: Row) -> bool:
        there = row.values.get(self.output_key)
        return self.fill_missing and there is not None and bool(str(there).strip())

    def _refuse_existing(self, row: Row) -> None:
        if self.allow_overwrite or self.fill_missing:
            return
        for name in (self.output_key, self.error_key):
            if name in row.values:
                problem = (
                    "is there already; --fill-missing asks only rows without an answer, --allow-overwrite asks all, "
                    "--output-key names another column"
                )
                raise InvalidInputError(
                    f"{self.file.shown!r} has answers already", [Violation(name, problem, self.file.shown, row.line)]
                )


@dataclass(frozen=True, slots=True)
class RowCheck:
    """What a file holds."""

    rows: int = 0
    kept: int = 0
    """Rows whose answer is kept."""
    notes: Mapping[str, int] = field(default_factory=dict)
    """What rows lack without being wrong, and how many of them do."""

    @property
    def asked(self) -> int:
        """Rows that are to be asked."""
        return self.rows - self.kept


def question_rows(
    path: Path,
    eval_type: str,
    keys: Mapping[str, str],
    output_key: str,
    *,
    force_generate: bool = False,
    allow_overwrite: bool = False,
    fill_missing: bool = False,
) -> QuestionRows:
    """Return the rows of a file that get answers.

    Args:
        path: A file of rows.
        eval_type: One of the six evaluation types.
        keys: Columns by the parts that they play.
        output_key: Column of the answers.
        force_generate: Also for types that are judged by likelihood.
        allow_overwrite: Make answers again that are there.
        fill_missing: Keep answers that are there.

    Raises:
        NotFoundError: there is no such file.
        InvalidInputError: rows of that type get no answers, or there is no such type.
    """
    known = eval_type_of(eval_type)
    if not needs_generation(known, force_generate):
        raise InvalidInputError(_why_none(known))
    if not output_key.strip():
        raise InvalidInputError(
            "the column of the answers needs a name", [Violation("output-key", "must not be empty")]
        )
    if not path.is_file():
        raise NotFoundError(f"there is no file {str(path)!r}")
    reader = RowReader(row_keys(known.value, keys, expected=False))
    return QuestionRows(SourceFile(path.name, path), reader, output_key, allow_overwrite, fill_missing)


def _why_none(eval_type: EvalType) -> str:
    if eval_type is EvalType.TEXT_SCORE:
        return f"rows of the type {eval_type.value!r} are texts to be scored: there is nothing to answer"
    return (
        f"rows of the type {eval_type.value!r} are judged by likelihood and need no answers; "
        "--force-generate asks for them nevertheless"
    )


def _asked(row: Row, reader: RowReader, findings: Findings) -> Case:
    read = reader.read(row, findings)
    if not isinstance(read, Case):
        raise InvalidInputError(f"{row.file.shown!r} changed while it was read", read)
    return replace(_only_shown(read), case_id=str(row.number))


def _only_shown(case: Case) -> Case:
    return replace(case, metadata={name: case.metadata[name] for name in SHOWN_TO_MODELS if name in case.metadata})

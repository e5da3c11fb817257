"""Which column of a table of questions plays which part: as it is said, or guessed by its name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.domain.errors import InvalidInputError, Violation

GUESSES: Mapping[str, tuple[str, ...]] = {
    "question": ("question", "query", "questiontext", "prompt", "input", "frage", "pregunta", "问题"),
    "id": ("id", "caseid", "questionid", "queryid", "qid", "quid", "uid", "key", "编号"),
    "answers": (
        "answers", "answer", "goldanswer", "goldanswers", "gold", "groundtruth", "expectedanswer", "expectedanswers",
        "expected", "referenceanswer", "reference", "target", "targets", "output", "antwort", "respuesta", "答案",
    ),
    "document": (
        "document", "documentid", "documentname", "docname", "docid", "doc", "file", "filename", "filepath", "path",
        "source", "sourcefile", "sourcedocument", "pdf", "dokument", "文档",
    ),
    "page": ("page", "pagenumber", "pageno", "pagenum", "seite", "页码"),
    "page_index": ("pageindex",),
    "evidence": ("evidence", "evidencetext", "passage", "quote", "excerpt", "support", "supportingtext", "context"),
    "type": ("type", "questiontype", "category", "kategorie", "类型"),
    "difficulty": ("difficulty", "level"),
}  # fmt: skip
"""Names by part, without case, spaces and marks; the first that a table has counts."""
NUMBERED = re.compile(r"(answer)[ _-]?([0-9]+)", re.IGNORECASE)
"""answer_1, answer_2 and so on are answers, any of which is right."""
LABELS = ("type", "difficulty")


@dataclass(frozen=True, slots=True)
class QuestionColumns:
    """Columns by part."""

    columns: dict[str, tuple[str, ...]]
    guessed: tuple[str, ...]
    """Parts that were found by the name alone."""
    rest: tuple[str, ...]
    """Columns without a part; they go into the cases' metadata."""

    def told(self) -> list[str]:
        """Return what there is to tell: `question is Frage`, and the columns that play no part."""
        told = [f"{part} is {', '.join(self.columns[part])}" for part in self.guessed]
        return [*told, f"metadata is {', '.join(self.rest)}"] if self.rest else told


def question_columns(names: Sequence[str], said: Mapping[str, object], file: str) -> QuestionColumns:
    """Return which column plays which part.

    Args:
        names: The table's columns.
        said: A column, or a list of them, by part; what is not said is guessed. Null: no column plays that part.
        file: For the messages.

    Raises:
        InvalidInputError: a part or a column is not known, or no column is the question.
    """
    faults: list[Violation] = []
    columns: dict[str, tuple[str, ...]] = {}
    for part, value in said.items():
        wanted = tuple(map(str, value)) if isinstance(value, list | tuple) else () if value is None else (str(value),)
        if part not in GUESSES:
            near = difflib.get_close_matches(part, GUESSES, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            faults.append(Violation(f"columns.{part}", f"is no known part{hint} (known: {', '.join(GUESSES)})"))
        faults += [
            Violation(f"columns.{part}", f"there is no column {column!r}; there are: {', '.join(names)}", file)
            for column in wanted
            if column not in names
        ]
        columns[part] = wanted
    guessed = []
    taken = {column for wanted in columns.values() for column in wanted}
    for part in GUESSES:
        found = () if part in said else _guess(part, [name for name in names if name not in taken])
        if found:
            columns[part] = found
            taken |= set(found)
            guessed.append(part)
    if not columns.get("question") and not faults:
        problem = f"no column is the question; there are: {', '.join(names)}; say which: columns: {{question: …}}"
        faults.append(Violation("columns.question", problem, file))
    if faults:
        raise InvalidInputError(f"{file!r} cannot be read as questions", faults)
    rest = tuple(name for name in names if name not in taken)
    return QuestionColumns({part: found for part, found in columns.items() if found}, tuple(guessed), rest)


def _guess(part: str, names: Sequence[str]) -> tuple[str, ...]:
    by_form = {_form(name): name for name in reversed(names)}
    found = next((by_form[form] for form in GUESSES[part] if form in by_form), None)
    if found is None and part == "answers":
        return tuple(name for name in names if NUMBERED.fullmatch(name.strip()))
    return (found,) if found is not None else ()


def _form(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())

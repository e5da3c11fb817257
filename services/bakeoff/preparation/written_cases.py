"""Cases as people write them in YAML or JSON lines: checked field by field, with all faults told at once."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.domain.benchmark import Case, Evidence, Expected, Json
from bakeoff.domain.errors import Violation

CASE_FIELDS = ("id", "question", "query", "answers", "evidence", "labels", "value", "metadata")
EVIDENCE_FIELDS = ("document", "document_id", "reference_id", "text", "locator", "relevance")


@dataclass(slots=True)
class CaseReader:
    """Reads the cases of one file and collects what is wrong with them."""

    file: Path
    faults: list[Violation] = field(default_factory=list)
    """What was wrong so far."""
    _lines: dict[str, int] = field(default_factory=dict)

    def read(self, given: object, place: str, line: int) -> Case | None:
        """Return one case; None when something is wrong with it, which is then among the faults.

        Args:
            given: What stands there: a mapping, if it is right.
            place: Path of the case in the file, such as `cases[3]`.
            line: Its line, from 1.
        """
        before = len(self.faults)
        found = _Reading(self, place, line)
        case = found.case(given)
        if case is None or len(self.faults) > before:
            return None
        if case.case_id in self._lines:
            found.fault("id", f"{case.case_id!r} is already on line {self._lines[case.case_id]}")
            return None
        self._lines[case.case_id] = line
        return case


@dataclass(frozen=True, slots=True)
class _Reading:
    reader: CaseReader
    place: str
    line: int

    def fault(self, name: str, problem: str) -> None:
        path = ".".join(part for part in (self.place, name) if part)
        self.reader.faults.append(Violation(path, problem, str(self.reader.file), self.line))

    def case(self, given: object) -> Case | None:
        fields = self._mapping(given, "", CASE_FIELDS)
        if fields is None:
            return None
        name = "query" if "query" in fields else "question"
        if "query" in fields and "question" in fields:
            self.fault("question", "stands beside query; write one of the two")
        case_id, query = self._text(fields.get("id"), "id"), self._text(fields.get(name), name)
        expected = Expected(
            self._texts(fields.get("answers"), "answers"),
            self._evidence(fields.get("evidence")),
            fields.get("value"),
        )
        labels = {str(key): self._text(value, f"labels.{key}") for key, value in self._open(fields, "labels").items()}
        return Case(case_id, query, expected, labels, self._open(fields, "metadata"))

    def _evidence(self, given: object) -> tuple[Evidence, ...]:
        if given is None:
            return ()
        if not isinstance(given, list):
            self.fault("evidence", f"must be a list, not {_kind(given)}")
            return ()
        pieces = (self._piece(piece, f"evidence[{index}]") for index, piece in enumerate(given))
        return tuple(piece for piece in pieces if piece)

    def _piece(self, given: object, name: str) -> Evidence | None:
        fields = self._mapping(given, name, EVIDENCE_FIELDS)
        if fields is None:
            return None
        known = "document" if "document" in fields else "document_id"
        document = self._text(fields[known], f"{name}.{known}") if known in fields else ""
        locator = self._open(fields, "locator", f"{name}.locator")
        if document:
            locator = {"document_id": document, **locator}
        text = self._text(fields["text"], f"{name}.text") if "text" in fields else ""
        reference = self._text(fields["reference_id"], f"{name}.reference_id") if "reference_id" in fields else ""
        grade = fields.get("relevance", 1)
        if not isinstance(grade, int) or isinstance(grade, bool):
            self.fault(f"{name}.relevance", f"must be a whole number, not {grade!r}")
            return None
        if not (reference or document or locator or text):
            self.fault(name, f"needs one of {', '.join(EVIDENCE_FIELDS[:5])}")
            return None
        return Evidence(reference or document, locator, text, grade)

    def _mapping(self, given: object, name: str, allowed: tuple[str, ...]) -> Mapping[str, object] | None:
        if not isinstance(given, Mapping):
            self.fault(name, f"must be a mapping with {', '.join(allowed)}, not {_kind(given)}")
            return None
        for key in given:
            if key not in allowed:
                near = difflib.get_close_matches(str(key), allowed, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                where = f"{name}.{key}" if name else str(key)
                self.fault(where, f"is no known field{hint} (allowed: {', '.join(allowed)})")
        return given

    def _open(self, fields: Mapping[str, object], name: str, place: str = "") -> Json:
        given = fields.get(name) or {}
        if isinstance(given, Mapping):
            return {str(key): value for key, value in given.items()}
        self.fault(place or name, f"must be a mapping, not {_kind(given)}")
        return {}

    def _texts(self, given: object, name: str) -> tuple[str, ...]:
        if given is None:
            return ()
        items = given if isinstance(given, list) else [given]
        return tuple(self._text(item, name) for item in items)

    def _text(self, given: object, name: str) -> str:
        if isinstance(given, int) and not isinstance(given, bool):
            return str(given)
        if not isinstance(given, str):
            # 1.50, yes and 2032-04-01 unquoted are no text any more: what was written cannot be told.
            problem = "is missing" if given is None else f"must be text; put {given!r} in quotes"
            self.fault(name, problem)
            return ""
        if not given.strip():
            self.fault(name, "must not be empty")
        return given


def _kind(value: object) -> str:
    return "nothing" if value is None else f"{type(value).__name__} {str(value)[:60]!r}"

"""Rows as cases, for the six types of evaluation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.domain.benchmark import Case, Expected, Json
from bakeoff.domain.errors import Violation
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.row import NumberText, Row, plain_texts
from bakeoff.preparation.row_choices import Choices, LabelBase, label_index, label_indexes, read_choices
from bakeoff.preparation.row_keys import RowKeys
from bakeoff.preparation.written_lists import written_list, written_mapping, written_text

SEPARATORS = ("||", "|", ";")
"""What may stand between targets in one text: the first of these that occurs."""


@dataclass(frozen=True, slots=True)
class RowReader:
    """Makes cases of rows."""

    keys: RowKeys
    label_base: LabelBase = "auto"
    separator: str | None = None
    """What stands between targets in one text; None: the first of SEPARATORS that occurs; empty: nothing does."""

    def read(self, row: Row, findings: Findings) -> Case | list[Violation]:
        """Return the case of a row, or what is wrong with the row.

        What a row lacks without being wrong (choices that are no list, no gold answer) is counted in the findings.
        """
        faults = self.keys.absent(row)
        if faults:
            return faults
        asked = "text" if self.keys.eval_type == "key1_text_score" else "question"
        given = self.keys.value(row, asked)
        query = written_text(given)
        if query is None:
            problem = f"must not be empty: {self.keys.eval_type} needs {asked}, not {plain_texts(given)!r}"
            return [row.violation(self.keys.column(asked), problem)]
        case_id = written_text(self.keys.value(row, "id")) or f"{row.file.stem}/{row.number}"
        return _Reading(self, row, findings, case_id).case(query)


@dataclass(frozen=True, slots=True)
class _Reading:
    reader: RowReader
    row: Row
    findings: Findings
    case_id: str

    def case(self, query: str) -> Case | list[Violation]:
        # Columns that play no part may fill slots of a prompt; their names do not take away those of the others.
        others = {name: plain_texts(value) for name, value in self.reader.keys.others(self.row).items() if name}
        metadata: Json = {**others, "eval_type": self.reader.keys.eval_type, "row": self.row.number}
        contexts = read_contexts(self._value("context"))
        if contexts:
            metadata["contexts"] = contexts
        choices = self._choices()
        if choices:
            metadata["choices"] = list(choices.texts)
        expected = self._expected(choices) if self.reader.keys.expected else Expected()
        return Case(self.case_id, query, expected, metadata=metadata) if isinstance(expected, Expected) else [expected]

    def _choices(self) -> Choices | None:
        if "choices" not in self.reader.keys.needed:
            return None
        choices = read_choices(self._value("choices"))
        if choices is None:
            message = "rows whose choices are no list: they are asked with one empty choice and cannot be right"
            self.findings.note("invalid_choices", message, self.case_id)
            return Choices(("",))
        if not all(choices.texts):
            self.findings.note("empty_choice", "rows with a choice that says nothing", self.case_id)
        return choices

    def _expected(self, choices: Choices | None) -> Expected | Violation:
        match self.reader.keys.eval_type:
            case "key2_qa":
                return self._target()
            case "key2_q_ma":
                return self._targets()
            case "key3_q_choices_a" if choices:
                return self._label(choices)
            case "key3_q_choices_as" if choices:
                return self._labels(choices)
            case "key3_q_a_rejected":
                pair = {role: written_text(self._value(role)) or "" for role in ("better", "rejected")}
                if not all(pair.values()):
                    self._no_reference()
                return Expected(metadata=dict(pair))
            case _:
                return Expected()

    def _target(self) -> Expected:
        target = self._value("target")
        text = written_text(target)
        if text is None:
            self._no_reference()
            return Expected()
        return Expected((text,), value=_number(target))

    def _targets(self) -> Expected:
        given = self._value("targets")
        texts = read_targets(given, self.reader.separator)
        if not texts:
            self._no_reference()
        return Expected(texts, metadata={"targets": plain_texts(given)} if isinstance(given, str) else {})

    def _label(self, choices: Choices) -> Expected | Violation:
        label = self._value("label")
        if self._without_label(label, choices):
            return Expected(metadata={"label": plain_texts(label)})
        try:
            index = label_index(label, choices, self.reader.label_base)
        except ValueError as error:
            return self.row.violation(self.reader.keys.column("label"), str(error))
        return Expected((choices.texts[index],), value=index, metadata={"label": plain_texts(label)})

    def _labels(self, choices: Choices) -> Expected | Violation:
        labels = self._value("labels")
        if self._without_label(labels, choices):
            return Expected(metadata={"labels": plain_texts(labels)})
        try:
            indexes = label_indexes(labels, choices, self.reader.label_base)
        except ValueError as error:
            return self.row.violation(self.reader.keys.column("labels"), str(error))
        answers = tuple(choices.texts[index] for index in indexes)
        return Expected(answers, value=indexes, metadata={"labels": plain_texts(labels)})

    def _without_label(self, label: object, choices: Choices) -> bool:
        if written_text(label) is None:
            self._no_reference()
            return True
        return choices.texts == ("",)  # counted already: a label of no choices can be neither right nor wrong

    def _no_reference(self) -> None:
        message = "rows that say nothing of what is expected cannot be scored"
        self.findings.note("empty_reference", message, self.case_id)

    def _value(self, role: str) -> object:
        return self.reader.keys.value(self.row, role)


def read_contexts(value: object) -> list[str]:
    """Return the passages that a value holds, stripped, blank ones left out; a text is one passage.

    A list is one passage an item, also when text spells it; a mapping is one passage an entry, `name: text`.
    """
    items = written_list(value)
    if isinstance(value, str) and items is not None and not all(isinstance(item, str) for item in items):
        items = None  # `[1]` begins many a text
    mapping = None if items is not None else written_mapping(value)
    if mapping is not None:
        items = [f"{name}: {written_text(item) or ''}" for name, item in mapping.items()]
    texts = [written_text(item) for item in ([value] if items is None else items)]
    return [text.strip() for text in texts if text is not None]


def read_targets(value: object, separator: str | None = None) -> tuple[str, ...]:
    """Return the targets that a value holds, blank ones left out, each once.

    Args:
        value: A list; text that spells a JSON list, or a Python one of texts; or text with targets in it.
        separator: What stands between these; None: the first of `||`, `|` and `;` that occurs; empty: nothing does.
    """
    items = written_list(value)
    if isinstance(value, str) and items is not None and not _means_list(value, items):
        items = None
    if items is None:
        items = list(_split(value, separator)) if isinstance(value, str) else [value]
    texts = [written_text(item) for item in items]
    return tuple(dict.fromkeys(text for text in texts if text is not None))


def _means_list(text: str, items: Sequence[object]) -> bool:
    # (1, 2) and [0, 1) are intervals and points as often as they are lists; quoted words are always a list.
    return text.lstrip().startswith("[") or all(isinstance(item, str) for item in items)


def _split(text: str, separator: str | None) -> Sequence[str]:
    if separator is None:
        separator = next((each for each in SEPARATORS if each in text), "")
    return [part.strip() for part in text.split(separator)] if separator else [text]


def _number(value: object) -> int | float | None:
    """Return a gold answer that is a number; None for text, even when a number stands in it."""
    if isinstance(value, NumberText):
        return float(value) if math.isfinite(float(value)) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None

"""Questions about passages whose answers stand in them: SQuAD and the sets that are laid out like it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from bakeoff.domain.benchmark import Case, Evidence, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.row import Row
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.source_files import SourceFile

ANSWERS_BESIDE = "ground_truth.json"
"""File that keeps the answers of a list of questions, by question id."""


def answered_by(*normalisers: str) -> tuple[ComponentSpec, ...]:
    """Return exact match and F1 of answers, compared by each of some rules in turn."""
    return tuple(
        ComponentSpec(name, {"normaliser": normaliser})
        for normaliser in normalisers
        for name in ("exact_match", "token_f1")
    )


class _Text(msgspec.Struct):
    text: str


class _Question(msgspec.Struct):
    id: str
    question: str
    answers: list[_Text] = []
    evidences: list[str] = []


class _Paragraph(msgspec.Struct):
    context: str
    qas: list[_Question]


class _Article(msgspec.Struct):
    paragraphs: list[_Paragraph]
    title: str = ""


class _Cmrc(msgspec.Struct):
    query_id: str
    query_text: str
    answers: list[str]


class _CmrcPassage(msgspec.Struct):
    context_id: str
    context_text: str
    qas: list[_Cmrc]
    title: str = ""


class _Texts(msgspec.Struct):
    text: list[str]


class _Flat(msgspec.Struct):
    id: str
    question: str
    context: str
    answers: _Texts | list[str] | None = None
    title: str = ""


class _Beside(msgspec.Struct):
    answers: list[str]


@dataclass(frozen=True, slots=True)
class ReadingSet:
    """The layout of such a set; knows the nested originals, rows of one question each, and evidence beside answers."""

    names: Mapping[str, tuple[str, ...]]
    """Globs by split; a split that is not there is looked for under the usual names of tables."""
    usual: Sequence[str]
    """Globs with `{split}` in them."""
    language: str

    def patterns(self, split: str) -> Sequence[str]:
        """Return the globs for the file of a split."""
        return (*self.names.get(split, ()), *(pattern.format(split=split) for pattern in self.usual))

    def cases(self, file: SourceFile, split: str, findings: Findings) -> Iterator[Case]:
        """Yield each question; one that its passage does not answer has no gold answer, as in SQuAD 2.0."""
        for row in read_rows(file):
            if "paragraphs" in row.values:
                article = row.convert(_Article)
                for paragraph in article.paragraphs:
                    for each in paragraph.qas:
                        answers = [answer.text for answer in each.answers]
                        context = paragraph.context
                        yield self._case(each.id, each.question, context, answers, article.title, each.evidences)
            elif "context_text" in row.values:
                passage = row.convert(_CmrcPassage)
                for asked in passage.qas:
                    context, title = passage.context_text, passage.title
                    yield self._case(asked.query_id, asked.query_text, context, asked.answers, title)
            else:
                flat = row.convert(_Flat)
                yield self._case(flat.id, flat.question, flat.context, _answers(row, flat), flat.title)

    def _case(
        self,
        case_id: str,
        question: str,
        context: str,
        answers: Sequence[str],
        title: str,
        told: Sequence[str] = (),
    ) -> Case:
        right = tuple(dict.fromkeys(answers))
        evidence = tuple(Evidence(text=text) for text in dict.fromkeys(told) if text.strip())
        labels = {"language": self.language, "answerable": "yes" if right else "no"}
        more: dict[str, object] = {"answerable": bool(right)}
        if evidence:
            more["alternative_evidence"] = True
        metadata: dict[str, object] = {"contexts": [context]} | ({"title": title} if title else {})
        return Case(case_id, question, Expected(right, evidence, metadata=more), labels, metadata)


def _answers(row: Row, flat: _Flat) -> Sequence[str]:
    if isinstance(flat.answers, _Texts):
        return flat.answers.text
    if flat.answers is not None:
        return flat.answers
    beside = row.file.path.with_name(ANSWERS_BESIDE)
    answers = None
    if beside.is_file():
        stamp = beside.stat()
        answers = _answers_beside(beside, stamp.st_size, stamp.st_mtime_ns).get(flat.id)
    if answers is None:
        raise row.fault("answers", f"is missing, and {ANSWERS_BESIDE} beside the file has none for {flat.id!r}")
    return answers.answers


@lru_cache(maxsize=2)  # asked again for each row; size and time notice a file that was changed in between
def _answers_beside(path: Path, size_bytes: int, modified_ns: int) -> dict[str, _Beside]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, _Beside])
    except msgspec.MsgspecError as error:
        raise InvalidInputError(f"{str(path)!r} has no answers by question id: {error}") from error

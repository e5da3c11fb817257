"""ARC: grade-school science questions with three to five choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from bakeoff.domain.benchmark import Case
from bakeoff.preparation.choice_cases import choice_case, chosen_by, index_within
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.icl_records import IclChoice, bare
from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.preparation.question_set import About, QuestionSet, table_patterns
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.row import Row
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.source_files import SourceFile
from bakeoff.runtime.registry import Is


@adapters.register("arc")
def arc(
    *,
    path: Annotated[str, Is("folder, file or archive (zip, tar.gz) with ARC, or its address", path=True)],
    subset: Annotated[Literal["challenge", "easy"], Is("which of the two sets of a folder")] = "challenge",
    split: Annotated[str, Is("split whose questions are asked")] = "test",
    examples: Annotated[str | None, Is("where the split train is; null means in the same folder", path=True)] = None,
) -> BenchmarkProtocol:
    """Science questions of ARC: 1,172 of the challenge and 2,376 of the easy test set.

    The original lines, rows with choices in columns, and lines of `query`, `choices` and `gold`. Answer keys may be
    letters or numbers: they are looked up among the labels of the choices.

    Source: Clark et al. 2018, ARC, arXiv:1803.05457.
    """
    about = About(
        name=f"arc_{subset}",
        evaluators=chosen_by("first_option"),
        task_type="multiple_choice",
        homepage="https://allenai.org/data/arc",
        licence="CC BY-SA 4.0",
        citation="Clark et al. 2018, ARC, arXiv:1803.05457",
        example_split="train",
        metadata={"language": "en"},
    )
    return QuestionSet(about, _Layout(subset), path, split, examples)


class _Choice(msgspec.Struct):
    text: str
    label: str


class _Stem(msgspec.Struct):
    stem: str
    choices: list[_Choice]


class _Original(msgspec.Struct):
    id: str
    question: _Stem
    answer_key: str = msgspec.field(name="answerKey")


class _Columns(msgspec.Struct):
    text: list[str]
    label: list[str]


class _Flat(msgspec.Struct):
    id: str
    question: str
    choices: _Columns
    answer_key: str = msgspec.field(name="answerKey")


@dataclass(frozen=True, slots=True)
class _Layout:
    subset: str

    def patterns(self, split: str) -> Sequence[str]:
        folder = f"ARC-{self.subset.title()}"
        original = f"{folder}-{ {'validation': 'Dev'}.get(split, split.title()) }"
        collections = table_patterns(f"arc_{self.subset}") if split == "test" else ()
        return (*table_patterns(original, f"{folder}/{split}"), *collections)

    def cases(self, file: SourceFile, split: str, findings: Findings) -> Iterator[Case]:
        for row in read_rows(file):
            yield self._case(row, file)

    def _case(self, row: Row, file: SourceFile) -> Case:
        labels = {"subset": self.subset}
        if "gold" in row.values:
            record = row.convert(IclChoice)
            right = index_within(row, "gold", record.gold, len(record.choices))
            case_id = f"{file.stem}/{row.number}"
            return choice_case(case_id, bare(record.query), record.choices, right, labels=labels)
        if isinstance(row.values.get("question"), str):
            flat = row.convert(_Flat)
            if len(flat.choices.text) != len(flat.choices.label):
                raise row.fault("choices", f"{len(flat.choices.text)} texts, but {len(flat.choices.label)} labels")
            question, texts, keys = flat.question, flat.choices.text, flat.choices.label
            case_id, answer = flat.id, flat.answer_key
        else:
            original = row.convert(_Original)
            question = original.question.stem
            texts = [choice.text for choice in original.question.choices]
            keys = [choice.label for choice in original.question.choices]
            case_id, answer = original.id, original.answer_key
        if keys.count(answer) != 1:
            raise row.fault("answerKey", f"must be one of the labels {', '.join(keys)}, not {answer!r}")
        return choice_case(case_id, question, texts, keys.index(answer), labels=labels)

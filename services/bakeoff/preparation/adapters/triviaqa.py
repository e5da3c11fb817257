"""TriviaQA: trivia questions whose answers have many names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.icl_records import IclAnswer, bare
from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.preparation.question_set import About, QuestionSet, table_patterns
from bakeoff.preparation.reading_sets import answered_by
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.row import Row
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.source_files import SourceFile
from bakeoff.runtime.registry import Is


@adapters.register("triviaqa")
def triviaqa(
    *,
    path: Annotated[str, Is("folder, file or archive (zip, tar.gz) with TriviaQA, or its address", path=True)],
    subset: Annotated[
        Literal["unfiltered-web", "web", "wikipedia"], Is("which questions of the original's folder")
    ] = "unfiltered-web",
    split: Annotated[str, Is("split whose questions are asked; that of the test has no published answers")] = "dev",
    examples: Annotated[str | None, Is("where the split train is; null means in the same folder", path=True)] = None,
) -> BenchmarkProtocol:
    """Trivia questions of TriviaQA, without documents; every alias of the answer is right.

    The original JSON, rows with `question` and `answer`, and lines of `context`, `answer` and `aliases`.

    Source: Joshi et al. 2017, TriviaQA, arXiv:1705.03551.
    """
    about = About(
        name="triviaqa",
        evaluators=answered_by("triviaqa", "triviaqa_official"),
        homepage="https://nlp.cs.washington.edu/triviaqa/",
        citation="Joshi et al. 2017, TriviaQA, arXiv:1705.03551",
        example_split="train",
        metadata={"language": "en"},
    )
    return QuestionSet(about, _Layout(subset), path, split, examples)


class _OriginalAnswer(msgspec.Struct):
    value: str = msgspec.field(name="Value")
    aliases: list[str] = msgspec.field(name="Aliases", default_factory=list)


class _Original(msgspec.Struct):
    question: str = msgspec.field(name="Question")
    question_id: str = msgspec.field(name="QuestionId")
    answer: _OriginalAnswer = msgspec.field(name="Answer")


class _Answer(msgspec.Struct):
    value: str
    aliases: list[str] = []


class _Flat(msgspec.Struct):
    question: str
    question_id: str
    answer: _Answer


@dataclass(frozen=True, slots=True)
class _Layout:
    subset: str

    def patterns(self, split: str) -> Sequence[str]:
        names = [f"{self.subset}-{split}", split]
        if split == "dev":
            names += ["validation", "triviaqa", "triviaqa_sm_sub", "triviaqa_small"]
        return table_patterns(*names)

    def cases(self, file: SourceFile, split: str, findings: Findings) -> Iterator[Case]:
        for row in read_rows(file):
            yield _case(row, file)


def _case(row: Row, file: SourceFile) -> Case:
    if "Question" in row.values:
        original = row.convert(_Original)
        names = [original.answer.value, *original.answer.aliases]
        return Case(original.question_id, original.question, Expected(_distinct(names)))
    if "context" in row.values:
        record = row.convert(IclAnswer)
        names = [record.answer, *record.aliases]
        return Case(f"{file.stem}/{row.number}", bare(record.context), Expected(_distinct(names)))
    flat = row.convert(_Flat)
    return Case(flat.question_id, flat.question, Expected(_distinct([flat.answer.value, *flat.answer.aliases])))


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name.strip()))

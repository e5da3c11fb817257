"""MATH: competition mathematics with solutions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.preparation.boxed import last_boxed
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.icl_records import IclAnswer
from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.preparation.question_set import About, QuestionSet, table_patterns
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.row import Row
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.source_files import SourceFile
from bakeoff.runtime.registry import Is


@adapters.register("math")
def math(
    *,
    path: Annotated[str, Is("folder, file or archive (zip, tar.gz) with MATH, or its address", path=True)],
    split: Annotated[str, Is("split whose problems are asked")] = "test",
    examples: Annotated[str | None, Is("where the split train is; null means in the same folder", path=True)] = None,
) -> BenchmarkProtocol:
    r"""Problems of MATH: 5,000 in the test split, 500 in MATH-500.

    One problem a file as in the original, lines of `problem`, `solution` and perhaps `answer`, and lines of `context`,
    `answer` and `chain_of_thought`. The expected answer is what the last `\boxed` of the solution holds.

    Source: Hendrycks et al. 2021, MATH, arXiv:2103.03874.
    """
    about = About(
        name="math",
        evaluators=(ComponentSpec("math_equivalence"),),
        homepage="https://github.com/hendrycks/math",
        licence="MIT",
        citation="Hendrycks et al. 2021, MATH, arXiv:2103.03874",
        example_split="train",
        metadata={"language": "en"},
    )
    return QuestionSet(about, _Layout(), path, split, examples)


class _Problem(msgspec.Struct):
    problem: str
    solution: str
    answer: str = ""
    level: str | int = ""
    type: str = ""
    subject: str = ""
    unique_id: str = ""


class _Layout:
    def patterns(self, split: str) -> Sequence[str]:
        collections = ["math"] if split == "test" else []
        return (f"{split}/*/*.json", *table_patterns(split, *collections))

    def cases(self, file: SourceFile, split: str, findings: Findings) -> Iterator[Case]:
        for row in read_rows(file):
            yield _collected(row, file) if "context" in row.values else _original(row, file, split)


def _original(row: Row, file: SourceFile, split: str) -> Case:
    given = row.convert(_Problem)
    gold = given.answer or last_boxed(given.solution)
    if gold is None:
        raise row.fault("solution", "has no \\boxed{…} that holds the answer")
    subject = given.type or given.subject
    # Of the original each file is a problem, numbered anew in the folder of each subject.
    folder = file.name.split("/")[-2] if "/" in file.name else ""
    case_id = f"{split}/{folder}/{file.stem}" if row.line is None and folder else f"{file.stem}/{row.number}"
    labels = {"subject": subject, "level": str(given.level).removeprefix("Level ")}
    expected = Expected((gold,), metadata={"solution": given.solution})
    return Case(
        given.unique_id or case_id, given.problem, expected, {key: text for key, text in labels.items() if text}
    )


def _collected(row: Row, file: SourceFile) -> Case:
    record = row.convert(IclAnswer)
    expected = Expected((record.answer,), metadata={"solution": record.chain_of_thought})
    labels = {"subject": record.category} if record.category else {}
    return Case(f"{file.stem}/{row.number}", record.context, expected, labels)

"""GSM8K: grade-school mathematics in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.icl_records import IclAnswer
from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.preparation.question_set import About, QuestionSet, table_patterns
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.row import Row
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.source_files import SourceFile
from bakeoff.runtime.registry import Is

MARK = "####"
"""Stands before the number at the end of a published solution."""


@adapters.register("gsm8k")
def gsm8k(
    *,
    path: Annotated[str, Is("folder, file or archive (zip, tar.gz) with GSM8K, or its address", path=True)],
    split: Annotated[str, Is("split whose questions are asked")] = "test",
    examples: Annotated[str | None, Is("where the split train is; null means in the same folder", path=True)] = None,
) -> BenchmarkProtocol:
    """Word problems of GSM8K: 1,319 in the test split.

    The original lines, and lines of `context`, `answer` and `chain_of_thought`. The expected value is the number
    behind `####`; the solution stays beside it.

    Source: Cobbe et al. 2021, GSM8K, arXiv:2110.14168.
    """
    about = About(
        name="gsm8k",
        evaluators=(
            ComponentSpec("gsm8k", {"mode": "strict"}),
            ComponentSpec("gsm8k", {"mode": "flexible"}),
            ComponentSpec("numeric"),
        ),
        homepage="https://github.com/openai/grade-school-math",
        licence="MIT",
        citation="Cobbe et al. 2021, GSM8K, arXiv:2110.14168",
        example_split="train",
        metadata={"language": "en"},
    )
    return QuestionSet(about, _Layout(), path, split, examples)


class _Original(msgspec.Struct):
    question: str
    answer: str


class _Layout:
    def patterns(self, split: str) -> Sequence[str]:
        collections = ["gsm8k", "gsm8k_small"] if split == "test" else []
        return table_patterns(split, *collections)

    def cases(self, file: SourceFile, split: str, findings: Findings) -> Iterator[Case]:
        for row in read_rows(file):
            if "context" in row.values:
                record = row.convert(IclAnswer)
                question, solution, gold = record.context, record.chain_of_thought, record.answer
            else:
                original = row.convert(_Original)
                question = original.question
                solution, mark, gold = original.answer.rpartition(MARK)
                if not mark:
                    raise row.fault("answer", f"must end with {MARK} and a number, not {original.answer[-40:]!r}")
            expected = Expected((gold.strip(),), value=_number(row, gold), metadata={"solution": solution.strip()})
            yield Case(f"{file.stem}/{row.number}", question, expected)


def _number(row: Row, text: str) -> int | float:
    plain = text.strip().replace(",", "")
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        return float(plain)
    except ValueError:
        raise row.fault("answer", f"must be a number, not {text.strip()!r}") from None

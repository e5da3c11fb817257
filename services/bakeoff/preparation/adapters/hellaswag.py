"""HellaSwag: which of four endings follows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from bakeoff.domain.benchmark import Case
from bakeoff.preparation.choice_cases import choice_case, chosen_by, index_within
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.icl_records import IclChoice
from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.preparation.question_set import About, QuestionSet, table_patterns
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.source_files import SourceFile
from bakeoff.runtime.registry import Is


@adapters.register("hellaswag")
def hellaswag(
    *,
    path: Annotated[str, Is("folder, file or archive (zip, tar.gz) with HellaSwag, or its address", path=True)],
    split: Annotated[str, Is("split whose questions are asked; that of the test has no published answers")] = "val",
    examples: Annotated[str | None, Is("where the split train is; null means in the same folder", path=True)] = None,
) -> BenchmarkProtocol:
    """Endings of HellaSwag: 10,042 questions in the validation split.

    The original lines, and lines of `query`, `choices` and `gold`, whose texts are taken as they are.

    Source: Zellers et al. 2019, HellaSwag, arXiv:1905.07830; texts cleaned as in lm-evaluation-harness.
    """
    about = About(
        name="hellaswag",
        evaluators=chosen_by("first_option"),
        task_type="multiple_choice",
        homepage="https://rowanzellers.com/hellaswag/",
        licence="MIT",
        citation="Zellers et al. 2019, HellaSwag, arXiv:1905.07830",
        example_split="train",
        metadata={"language": "en"},
    )
    return QuestionSet(about, _Layout(), path, split, examples)


class _Original(msgspec.Struct):
    ind: int
    activity_label: str
    ctx_a: str
    ctx_b: str
    endings: list[str]
    label: int | str
    split_type: str = ""


class _Layout:
    def patterns(self, split: str) -> Sequence[str]:
        names = [split, f"hellaswag_{split}"]
        if split == "val":
            names += ["validation", "hellaswag", "hellaswag_small"]
        return table_patterns(*names)

    def cases(self, file: SourceFile, split: str, findings: Findings) -> Iterator[Case]:
        for row in read_rows(file):
            if "gold" in row.values:
                record = row.convert(IclChoice)
                right = index_within(row, "gold", record.gold, len(record.choices))
                yield choice_case(f"{file.stem}/{row.number}", record.query, record.choices, right)
                continue
            original = row.convert(_Original)
            right = index_within(row, "label", original.label, len(original.endings))
            labels = {"activity": original.activity_label}
            if original.split_type:
                labels["split_type"] = original.split_type
            choices = [cleaned(ending) for ending in original.endings]
            question = beginning(original.activity_label, original.ctx_a, original.ctx_b)
            yield choice_case(f"{file.stem}/{original.ind}", question, choices, right, labels=labels)


def beginning(activity: str, first: str, second: str) -> str:
    """Return the text that is to be continued: the activity, the first sentence, and the start of the next."""
    return cleaned(f"{activity}: {first} {second.capitalize()}")


def cleaned(text: str) -> str:
    """Return a text without the marks of the how-to pages that it was taken from."""
    text = re.sub(r"\[.*?\]", "", text.strip().replace(" [title]", ". "))
    return text.replace("  ", " ")

"""CMMLU: Chinese exam questions of 67 subjects."""

from __future__ import annotations

from typing import Annotated

from bakeoff.preparation.choice_cases import chosen_by
from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.preparation.question_set import About, QuestionSet
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.subject_tables import SubjectTables
from bakeoff.runtime.registry import Is


@adapters.register("cmmlu")
def cmmlu(
    *,
    path: Annotated[str, Is("folder or archive (zip, tar.gz) with CMMLU, or its address", path=True)],
    split: Annotated[str, Is("split whose questions are asked")] = "test",
    examples: Annotated[str | None, Is("where the split dev is; null means in the same folder", path=True)] = None,
) -> BenchmarkProtocol:
    """Exam questions of CMMLU: 11,582 of 67 subjects in the test split.

    The five questions of each subject in the split dev, in the order of their file, are its in-context examples.

    Source: Li et al. 2023, CMMLU, arXiv:2306.09212.
    """
    about = About(
        name="cmmlu",
        evaluators=chosen_by("cmmlu"),
        task_type="multiple_choice",
        homepage="https://github.com/haonan-li/CMMLU",
        licence="CC BY-NC-SA 4.0",
        citation="Li et al. 2023, CMMLU, arXiv:2306.09212",
        example_split="dev",
        metadata={"language": "zh", "examples_by": "subject", "macro_by": "subject", "shots": 5},
    )
    return QuestionSet(about, SubjectTables("Question", "Answer"), path, split, examples)

"""MMLU: exam questions of 57 subjects."""

from __future__ import annotations

from typing import Annotated

from bakeoff.preparation.choice_cases import chosen_by
from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.preparation.question_set import About, QuestionSet
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.subject_tables import SubjectTables
from bakeoff.runtime.registry import Is


@adapters.register("mmlu")
def mmlu(
    *,
    path: Annotated[str, Is("folder or archive (zip, tar.gz) with MMLU, or its address", path=True)],
    split: Annotated[str, Is("split whose questions are asked")] = "test",
    examples: Annotated[str | None, Is("where the split dev is; null means in the same folder", path=True)] = None,
) -> BenchmarkProtocol:
    """Exam questions of MMLU: 14,042 of 57 subjects in the test split.

    The five questions of each subject in the split dev, in the order of their file, are its in-context examples.

    Source: Hendrycks et al. 2021, MMLU, arXiv:2009.03300.
    """
    about = About(
        name="mmlu",
        evaluators=chosen_by("first_option", "lm_eval"),
        task_type="multiple_choice",
        homepage="https://github.com/hendrycks/test",
        licence="MIT",
        citation="Hendrycks et al. 2021, MMLU, arXiv:2009.03300",
        example_split="dev",
        metadata={"language": "en", "examples_by": "subject", "macro_by": "subject", "shots": 5},
    )
    layout = SubjectTables("question", "answer", ("question", "A", "B", "C", "D", "answer"))
    return QuestionSet(about, layout, path, split, examples)

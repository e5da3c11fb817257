"""SQuAD 1.1 and 2.0: questions about paragraphs of Wikipedia."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.preparation.question_set import About, QuestionSet, table_patterns
from bakeoff.preparation.reading_sets import ReadingSet, answered_by
from bakeoff.preparation.registries import adapters
from bakeoff.runtime.registry import Is


@adapters.register("squad")
def squad(
    *,
    path: Annotated[str, Is("folder, file or archive (zip, tar.gz) with SQuAD, or its address", path=True)],
    version: Annotated[Literal["1.1", "2.0"], Is("which of the two a folder's files are taken of")] = "2.0",
    split: Annotated[str, Is("split whose questions are asked")] = "dev",
    examples: Annotated[str | None, Is("where the split train is; null means in the same folder", path=True)] = None,
) -> BenchmarkProtocol:
    """Questions of SQuAD with their paragraphs: 10,570 in the dev split of 1.1, 11,873 in that of 2.0.

    The originals, with evidence or without, and rows of one question each. A question that cannot be answered from its
    paragraph has no gold answer and the label `answerable` no; an answer must say so, or be empty. Answers are
    compared by the version's own rule, as a careful reader would and as its script does; those with evidence as by the
    script of ExpMRC.

    Source: Rajpurkar et al. 2016 and 2018, SQuAD, arXiv:1606.05250 and 1806.03822.
    """
    suffixes = ("_v2", "_v2_official") if version == "2.0" else ("", "_official")
    about = About(
        name=f"squad_{version}",
        evaluators=answered_by(*(f"squad{suffix}" for suffix in suffixes)),
        evaluators_with_evidence=answered_by("expmrc"),
        task_type="reading_comprehension",
        homepage="https://rajpurkar.github.io/SQuAD-explorer/",
        licence="CC BY-SA 4.0",
        citation="Rajpurkar et al. 2018, SQuAD 2.0, arXiv:1806.03822",
        example_split="train",
        metadata={"language": "en"},
    )
    usual = (f"{{split}}-v{version}.json", *table_patterns("{split}", "*-{split}"))
    names = {"dev": ("queries.json", *table_patterns("validation"))}
    return QuestionSet(about, ReadingSet(names, usual, "en"), path, split, examples)

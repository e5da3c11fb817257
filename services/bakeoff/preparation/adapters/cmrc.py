"""CMRC 2018: Chinese questions about paragraphs of Wikipedia."""

from __future__ import annotations

from typing import Annotated

from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.preparation.question_set import About, QuestionSet, table_patterns
from bakeoff.preparation.reading_sets import ReadingSet, answered_by
from bakeoff.preparation.registries import adapters
from bakeoff.runtime.registry import Is


@adapters.register("cmrc")
def cmrc(
    *,
    path: Annotated[str, Is("folder, file or archive (zip, tar.gz) with CMRC 2018, or its address", path=True)],
    split: Annotated[str, Is("split whose questions are asked: dev, trial, train")] = "dev",
    examples: Annotated[str | None, Is("where the split train is; null means in the same folder", path=True)] = None,
) -> BenchmarkProtocol:
    """Questions of CMRC 2018 with their paragraphs: 3,219 about 848 in the dev split.

    The original, its copy in the layout of SQuAD, with evidence or without, and rows of one question each.

    Source: Cui et al. 2019, CMRC 2018, arXiv:1810.07366; with evidence: Cui et al. 2022, ExpMRC, arXiv:2105.04126.
    """
    about = About(
        name="cmrc2018",
        evaluators=answered_by("cmrc"),
        evaluators_with_evidence=answered_by("expmrc"),
        task_type="reading_comprehension",
        homepage="https://github.com/ymcui/cmrc2018",
        licence="CC BY-SA 4.0",
        citation="Cui et al. 2019, CMRC 2018, arXiv:1810.07366",
        example_split="train",
        metadata={"language": "zh"},
    )
    # A folder has each split twice, so that of the originals comes first.
    usual = ("data/cmrc2018_{split}.json", "cmrc2018_{split}.json", *table_patterns("{split}", "*-{split}"))
    names = {"dev": ("queries.json", *table_patterns("validation"))}
    return QuestionSet(about, ReadingSet(names, usual, "zh"), path, split, examples)

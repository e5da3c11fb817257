"""HotpotQA: questions that take two paragraphs of Wikipedia to answer."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.domain.component import ComponentSpec
from bakeoff.preparation.paragraph_set import ParagraphSet
from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.preparation.question_set import About
from bakeoff.preparation.registries import adapters
from bakeoff.runtime.registry import Is

EVALUATORS = (
    ComponentSpec("recall", {"k": 2}),
    ComponentSpec("recall", {"k": 5}),
    ComponentSpec("ndcg", {"k": 10}),
    ComponentSpec("evidence_complete", {"k": 5}),
    ComponentSpec("hotpotqa", {"mode": "strict"}),
    ComponentSpec("hotpotqa", {"mode": "official"}),
    ComponentSpec("exact_match"),
    ComponentSpec("token_f1", {"normaliser": "hotpotqa"}),
    ComponentSpec("token_f1", {"normaliser": "hotpotqa_official"}),
)
"""The joint figures apply where answers name their facts and the layout has the sentences."""


@adapters.register("hotpotqa")
def hotpotqa(
    *,
    path: Annotated[str, Is("folder, file or archive (zip, tar.gz) with the questions, or its address", path=True)],
    setting: Annotated[
        Literal["distractor", "full"],
        Is("each question over its own ten paragraphs, or all over one corpus"),
    ] = "distractor",
    corpus: Annotated[
        str | None,
        Is(
            "for full: file of paragraphs, or folder of the dump; null means the paragraphs of all questions", path=True
        ),
    ] = None,
    split: Annotated[str, Is("split whose questions are asked; that of the test has no published answers")] = "dev",
) -> BenchmarkProtocol:
    """HotpotQA: 7,405 questions in the dev split, in its own layout or that of IRCoT.

    With the paragraphs of all questions as corpus, retrieval is easier than over the whole of Wikipedia.

    Source: Yang et al. 2018, "HotpotQA", arXiv:1809.09600.
    """
    name = "fullwiki" if setting == "full" else "distractor"
    about = About(
        name="hotpotqa",
        evaluators=EVALUATORS,
        homepage="https://hotpotqa.github.io",
        licence="CC BY-SA 4.0",
        citation="Yang et al. 2018, HotpotQA, arXiv:1809.09600",
        metadata={"setting": setting},
    )
    patterns = (f"hotpot_{split}_{name}*.json", f"hotpot_{split}_v1*.json", f"hotpotqa_{split}.json")
    more = (f"{split}.json", f"{split}.jsonl", f"{split}_*.jsonl", f"{split}*.json", f"{split}*.parquet")
    hippo = ("hotpotqa.json",)
    each = setting == "distractor"
    wanted = ("hotpotqa_corpus.json", "*corpus*.json", "*corpus*.jsonl", "*.jsonl")
    return ParagraphSet(about, path, split, (*patterns, *more, *hippo), None if each else corpus, wanted, each)

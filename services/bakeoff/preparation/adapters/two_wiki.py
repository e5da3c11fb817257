"""2WikiMultihopQA: questions that take two to four articles of Wikipedia to answer."""

from __future__ import annotations

from typing import Annotated

from bakeoff.preparation.adapters.hotpotqa import EVALUATORS
from bakeoff.preparation.paragraph_set import ParagraphSet
from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.preparation.question_set import About
from bakeoff.preparation.registries import adapters
from bakeoff.runtime.registry import Is


@adapters.register("two_wiki")
def two_wiki(
    *,
    path: Annotated[str, Is("folder, file or archive (zip, tar.gz) with the questions, or its address", path=True)],
    corpus: Annotated[
        str | None,
        Is(
            "file of paragraphs such as 2wikimultihopqa_corpus.json; null means the paragraphs of the questions",
            path=True,
        ),
    ] = None,
    each: Annotated[bool, Is("whether each question is asked of its own paragraphs alone; not with a corpus")] = False,
    split: Annotated[str, Is("split whose questions are asked; that of the test has no published answers")] = "dev",
) -> BenchmarkProtocol:
    """2WikiMultihopQA: 12,576 questions in the dev split, or the 1,000 of HippoRAG with their corpus.

    Source: Ho et al. 2020, "2WikiMultiHopQA", arXiv:2011.01060; the corpus and sample are those of Gutiérrez et al.
    2024, "HippoRAG", arXiv:2405.14831.
    """
    about = About(
        name="2wiki",
        evaluators=EVALUATORS,
        homepage="https://github.com/Alab-NII/2wikimultihop",
        licence="Apache-2.0",
        citation="Ho et al. 2020, 2WikiMultiHopQA, arXiv:2011.01060",
    )
    patterns = ("2wikimultihopqa.json", f"{split}.json", f"{split}.jsonl", f"{split}*.parquet", f"{split}*.json")
    wanted = ("2wikimultihopqa_corpus.json", "*corpus*.json", "*corpus*.jsonl")
    return ParagraphSet(about, path, split, patterns, corpus, wanted, each and corpus is None)

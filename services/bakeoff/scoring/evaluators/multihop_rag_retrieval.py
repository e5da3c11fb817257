"""The retrieval measures of MultiHop-RAG's own script."""

from __future__ import annotations

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.score import MetricCard
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, failed, scored
from bakeoff.scoring.multihop_rag_rules import CUT, NULL_QUERY, retrieval_scores
from bakeoff.scoring.one_by_one import OneByOne
from bakeoff.scoring.registries import evaluators

METRICS = ("hits@10", "hits@4", "mrr@10", "map@10")


@evaluators.register("multihop_rag_retrieval")
def multihop_rag_retrieval() -> OneByOne:
    """Measure as MultiHop-RAG's retrieval script does, with what it gets wrong, as `multihop_official_…`.

    A passage holds a fact when it does so without spaces and line ends, in the same case; tabs and other marks count.
    Hits are of any fact, not of all. MAP adds, at each rank, new facts over the rank, so that facts found earlier do
    not count again; it is no average precision. `evidence_hit`, `evidence_reciprocal_rank` and
    `evidence_average_precision` are the strict ones.

    Scale: [0, 1], higher is better; hits are 0 or 1.
    Not applicable: the question has no evidence with a text, or is a null query.
    Source: Tang & Yang 2024, "MultiHop-RAG", arXiv:2401.15391, retrieval_evaluate.py.
    """
    cards = tuple(
        MetricCard(
            f"multihop_official_{name}",
            "",
            "",
            binary=name.startswith("hits"),
            source="MultiHop-RAG, retrieval_evaluate.py",
        )
        for name in METRICS
    )

    def judge(each: AnsweredCase) -> Verdict:
        passages = each.answer.passages[:CUT]
        texts = [passage.text for passage in passages if passage.text is not None]
        if len(texts) < len(passages):
            reason = f"facts are told by their words, and the text of passage {len(texts) + 1} was not kept"
            failure = Failure(FailureKind.INFRASTRUCTURE, reason)
            return Verdict(tuple(failed(card.name, failure) for card in cards))
        values = retrieval_scores(_facts(each.case), texts)
        return Verdict(tuple(scored(card, value) for card, value in zip(cards, values, strict=True)))

    return OneByOne(cards, _excluded, judge)


def _facts(case: Case) -> list[str]:
    return [piece.text for piece in case.expected.evidence if piece.relevance >= 1 and piece.text.strip()]


def _excluded(case: Case) -> str:
    if NULL_QUERY in (case.labels.get("question_type"), case.labels.get("type")):
        return "a null query: nothing is to be found"
    return "" if _facts(case) else "no evidence of the case has a text"

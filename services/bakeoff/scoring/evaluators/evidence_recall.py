"""The share of the evidence that was found, whichever way the evidence is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from bakeoff.domain.answer import Failure, FailureKind, Passage
from bakeoff.domain.benchmark import Case, Evidence
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, failed, scored
from bakeoff.scoring.evidence import comparable, matched_by, needs_text
from bakeoff.scoring.registries import evaluators


class EvidenceRecall:
    """Looks for each piece of evidence among the first k passages."""

    def __init__(self, k: int) -> None:
        """Look at the first k passages."""
        self._k = k
        self._card = MetricCard(
            f"evidence_recall@{k}",
            "",
            "",
            source="share of evidence matched by place and words among the first passages",
        )

    @property
    def metrics(self) -> tuple[MetricCard, ...]:
        """The one metric."""
        return (self._card,)

    def not_applicable(self, case: Case) -> str:
        """Return a reason when there is no relevant evidence that a passage can be compared with."""
        if not case.expected.evidence:
            return "the case has no evidence"
        return "" if _wanted(case) else "no evidence of the case is relevant and can be compared with a passage"

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Score the share, and show which passage matched by what."""
        return [self._judge(each) for each in cases]

    def _judge(self, each: AnsweredCase) -> Verdict:
        evidence = _wanted(each.case)
        passages = each.answer.passages[: self._k]
        textless = next((passage for passage in passages if passage.text is None), None)
        if textless is not None and any(needs_text(piece) for piece in evidence):
            reason = (
                f"evidence is told by its words, and the text of passage {textless.rank} ({textless.chunk_id}) was "
                "not kept"
            )
            return Verdict((failed(self._card.name, Failure(FailureKind.INFRASTRUCTURE, reason)),))
        hits = [_first_hit(piece, passages) for piece in evidence]
        share = sum(rank is not None for rank, _ in hits) / len(hits)
        shown = [
            {"reference": _name(piece), "rank": rank, "by": by}
            for piece, (rank, by) in zip(evidence, hits, strict=True)
        ]
        return Verdict((scored(self._card, share),), {"evidence": shown})


def _wanted(case: Case) -> list[Evidence]:
    return [piece for piece in case.expected.evidence if piece.relevance >= 1 and comparable(piece)]


def _first_hit(piece: Evidence, passages: Sequence[Passage]) -> tuple[int | None, list[str]]:
    for passage in passages:
        if by := matched_by(piece, passage):
            return passage.rank, by
    return None, []


def _name(piece: Evidence) -> str:
    return piece.reference_id or str(piece.locator.get("document_id") or "") or piece.text[:80]


@evaluators.register("evidence_recall")
def evidence_recall(*, k: Annotated[int, Is("first passages that count", minimum=1)] = 5) -> EvidenceRecall:
    """Measure the share of the relevant pieces of evidence that are among the first k passages.

    Scale: [0, 1], higher is better. Passages count as they come, several of one document included.
    Not applicable: the case has no evidence that a passage can be compared with.
    Source: none; the matching rule is `matched_by` in `bakeoff.scoring.evidence`.
    """
    return EvidenceRecall(k)

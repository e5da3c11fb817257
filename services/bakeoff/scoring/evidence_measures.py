"""Measures over pieces of evidence: each is looked for among the first passages, whichever way it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from bakeoff.domain.answer import Failure, FailureKind, Passage
from bakeoff.domain.benchmark import Case, Evidence, Json
from bakeoff.domain.score import MetricCard
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, failed, scored
from bakeoff.scoring.evidence import Fit, Seen, Wanted, fit


@dataclass(frozen=True, slots=True)
class Hits:
    """Which pieces of evidence the first passages are."""

    pieces: int
    """Relevant pieces that can be compared, from 1."""
    found: tuple[frozenset[int], ...]
    """Of each passage, best first: the numbers of the pieces that it is."""

    def ranks(self, k: int) -> list[int]:
        """Return the rank, from 1, of the first passage for each piece that is among the first k, ascending."""
        first: dict[int, int] = {}
        for rank, pieces in enumerate(self.found[:k], start=1):
            for piece in pieces:
                first.setdefault(piece, rank)
        return sorted(first.values())


def recall(hits: Hits, k: int) -> float:
    """Return the share of the pieces that are among the first k passages."""
    return len(hits.ranks(k)) / hits.pieces


def complete(hits: Hits, k: int) -> float:
    """Return 1 when all pieces are among the first k passages, else 0."""
    return float(len(hits.ranks(k)) == hits.pieces)


def hit(hits: Hits, k: int) -> float:
    """Return 1 when any piece is among the first k passages, else 0."""
    return float(bool(hits.ranks(k)))


def precision(hits: Hits, k: int) -> float:
    """Return the passages among the first k that are evidence, over k, also when fewer were found."""
    return sum(bool(pieces) for pieces in hits.found[:k]) / k


def reciprocal_rank(hits: Hits, k: int) -> float:
    """Return one over the rank of the first passage that is evidence; 0 when none is among the first k."""
    return 1 / min(hits.ranks(k)) if hits.ranks(k) else 0.0


def average_precision(hits: Hits, k: int) -> float:
    """Return the mean over all pieces of min(pieces found by then, r) / r, r being the rank of a piece's first passage.

    A piece that is not among the first k counts as 0. With a piece a passage it is average precision.
    """
    ranks = hits.ranks(k)
    return sum(min(found, rank) / rank for found, rank in zip(_at_or_before(ranks), ranks, strict=True)) / hits.pieces


def _at_or_before(ranks: Sequence[int]) -> list[int]:
    return [sum(other <= rank for other in ranks) for rank in ranks]


@dataclass(frozen=True, slots=True)
class EvidenceMeasure:
    """A metric over the first k passages."""

    card: MetricCard
    k: int
    value: Callable[[Hits, int], float]


@dataclass(slots=True)
class _Look:
    """One piece of evidence and what was seen of it."""

    wanted: Wanted
    rank: int | None = None
    fit: Fit = field(default_factory=Fit)
    """Of the passage at the rank; when there is none, of the passage that fits best."""
    near: Passage | None = None
    """The passage that fits best, when none is the evidence."""
    chunk_id: str = ""


class EvidenceEvaluator:
    """Looks for each relevant piece of evidence among the first passages, as they come."""

    def __init__(self, measures: Iterable[EvidenceMeasure]) -> None:
        """Measure these."""
        self._measures = tuple(measures)
        self._depth = max(measure.k for measure in self._measures)

    @classmethod
    def joined(cls, evaluators: Iterable[EvidenceEvaluator]) -> EvidenceEvaluator:
        """Return one evaluator with the measures of several, so that all look once and tell the same."""
        return cls(measure for evaluator in evaluators for measure in evaluator._measures)

    @property
    def metrics(self) -> tuple[MetricCard, ...]:
        """What it measures."""
        return tuple(measure.card for measure in self._measures)

    def not_applicable(self, case: Case) -> str:
        """Return a reason when there is no relevant evidence that a passage can be compared with."""
        if not case.expected.evidence:
            return "the case has no evidence"
        return "" if _wanted(case) else "no evidence of the case is relevant and can be compared with a passage"

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Score each case, and show which passage matched by what, or what did not fit."""
        return [self._judge(each) for each in cases]

    def _judge(self, each: AnsweredCase) -> Verdict:
        looks = [_Look(wanted) for wanted in _wanted(each.case)]
        passages = each.answer.passages[: self._depth]
        textless = next((passage for passage in passages if passage.text is None), None)
        if textless is not None and any(look.wanted.words for look in looks):
            reason = (
                f"evidence is told by its words, and the text of passage {textless.rank} ({textless.chunk_id}) was "
                "not kept"
            )
            failure = Failure(FailureKind.INFRASTRUCTURE, reason)
            return Verdict(tuple(failed(measure.card.name, failure) for measure in self._measures))
        hits = Hits(len(looks), tuple(_look(looks, Seen(passage)) for passage in passages))
        scores = (scored(measure.card, measure.value(hits, measure.k)) for measure in self._measures)
        return Verdict(tuple(scores), {"evidence": [_told(look) for look in looks]})


def _wanted(case: Case) -> list[Wanted]:
    pieces = (Wanted(piece) for piece in case.expected.evidence if piece.relevance >= 1)
    return [piece for piece in pieces if piece.comparable]


def _look(looks: Sequence[_Look], seen: Seen) -> frozenset[int]:
    """Return the pieces that a passage is, and note the first one of each, or the nearest."""
    found = set()
    for number, look in enumerate(looks):
        said = fit(look.wanted, seen)
        if said.found:
            found.add(number)
            if look.rank is None:
                look.rank, look.fit, look.near, look.chunk_id = seen.passage.rank, said, None, seen.passage.chunk_id
        elif look.rank is None and len(said.by) > len(look.fit.by):
            look.fit, look.near = said, seen.passage
    return frozenset(found)


def _told(look: _Look) -> Json:
    told: dict[str, object] = {
        "reference": _name(look.wanted.evidence),
        "rank": look.rank,
        "by": list(look.fit.by) if look.rank is not None else [],
    }
    if look.chunk_id:
        told["chunk_id"] = look.chunk_id
    if look.near is not None:
        told["nearest"] = {
            "rank": look.near.rank,
            "chunk_id": look.near.chunk_id,
            "by": list(look.fit.by),
            "not": list(look.fit.unfit),
        }
    if look.wanted.ignored:
        told["ignored"] = list(look.wanted.ignored)
    return told


def _name(piece: Evidence) -> str:
    return piece.reference_id or str(piece.locator.get("document_id") or "") or piece.text[:80]


def evidence_measure(
    name: str, k: int, value: Callable[[Hits, int], float], *, binary: bool = False
) -> EvidenceEvaluator:
    """Return the evaluator of one measure, named `<name>@<k>`.

    Args:
        name: Name without the cut.
        k: First passages that count.
        value: The measure.
        binary: Whether a case can only have 0 or 1.
    """
    source = "evidence matched by place and words among the first passages; docs/guide/retrieval-metrics.md"
    return EvidenceEvaluator(
        [EvidenceMeasure(MetricCard(f"{name}@{k}", "", "", binary=binary, source=source), k, value)]
    )

"""Cases as a reader sees them: what was asked, what was expected, and what each entrant found and said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.domain.answer import Passage
from bakeoff.domain.benchmark import Evidence
from bakeoff.domain.identity import canonical_json
from bakeoff.domain.retrieval import judged_documents
from bakeoff.domain.score import Outcome, Score
from bakeoff.reporting.material import BenchmarkMaterial, CaseOutcome, PlannedCase
from bakeoff.reporting.page.answer_view import ChoiceView, choice_views, readings, took
from bakeoff.reporting.page.evidence_view import EvidenceView, evidence_views, matched_passages
from bakeoff.reporting.page.retrieval_view import retrieval_lines
from bakeoff.reporting.passage_place import passage_place
from bakeoff.reporting.wording import number

EMBEDDED_CASES = 2_000
"""Cases that a page shows in full, over all benchmarks: some megabytes, which a browser still opens at once."""
SHOWN_EVIDENCE = 8
PASSAGE_CHARACTERS = 320
ANSWER_CHARACTERS = 1_200
QUERY_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class ScoreView:
    """One score in a cell."""

    text: str
    """The number, `n.a.` or `failed`."""
    state: str
    """`scored`, `not_applicable` or `failed`."""
    reason: str
    share: float
    """The value within the metric's range, for the cell's shade; 0 when there is none."""


@dataclass(frozen=True, slots=True)
class PassageView:
    """One passage of an answer."""

    rank: int
    score: str
    document_id: str
    raw_key: str
    raw_sha256: str
    place: str
    """Bytes of the original, where the document is a part of it; characters of the document's text; pages."""
    text: str
    relevance: int | None
    """Grade of its document; None when it is not judged."""
    matched: tuple[str, ...]
    """For each piece of evidence that it is: what matched."""


@dataclass(frozen=True, slots=True)
class AnswerView:
    """What one entrant did with a case."""

    label: str
    colour: int
    failure: str
    text: str | None
    found: tuple[tuple[str, int | None], ...]
    """The first relevant documents with their ranks; None when one was not retrieved."""
    evidence: tuple[EvidenceView, ...]
    """What became of each piece of evidence; empty when no evaluator looked for it."""
    searched: bool
    """Whether passages were looked for: a recipe without a knowledge base has none to find."""
    retrieval: tuple[str, ...]
    """How the passages came about, a line each; empty when that was one plain search."""
    passages: tuple[PassageView, ...]
    scores: tuple[ScoreView, ...]
    """One for each metric."""
    notes: tuple[str, ...]
    readings: tuple[str, ...]
    """What metrics took the answer for, or why they have no number."""
    took: str
    """What a model took for it; empty when none was asked."""
    data: str
    """The scores as JSON for the page's script: value, text, state, reason and share of each metric."""


@dataclass(frozen=True, slots=True)
class CaseView:
    """One case."""

    number: int
    name: str
    query: str
    labels: dict[str, str]
    answers: tuple[str, ...]
    """Gold answers."""
    choices: tuple[ChoiceView, ...]
    """Empty when there are none to choose from."""
    evidence: tuple[str, ...]
    more_evidence: int
    """Pieces of evidence that are not shown."""
    entrants: tuple[AnswerView, ...]


def case_views(benchmark: BenchmarkMaterial, labels: Sequence[str], limit: int) -> list[CaseView]:
    """Return the first cases of a benchmark.

    Args:
        benchmark: The material.
        labels: How the entrants are called.
        limit: Most cases.
    """
    return [_case(benchmark, labels, place, planned) for place, planned in enumerate(benchmark.cases[:limit])]


def _case(benchmark: BenchmarkMaterial, labels: Sequence[str], place: int, planned: PlannedCase) -> CaseView:
    case = planned.case
    evidence = case.expected.evidence
    judged = judged_documents(case)
    return CaseView(
        number=place + 1,
        name=planned.name,
        query=cut(case.query, QUERY_CHARACTERS),
        labels=case.labels,
        answers=tuple(cut(answer, ANSWER_CHARACTERS) for answer in case.expected.answers),
        choices=choice_views(case),
        evidence=tuple(_evidence(piece) for piece in evidence[:SHOWN_EVIDENCE]),
        more_evidence=max(0, len(evidence) - SHOWN_EVIDENCE),
        entrants=tuple(
            _answer(benchmark, label, colour, entrant.outcomes[place], judged, searched=bool(entrant.recipe.query))
            for colour, (label, entrant) in enumerate(zip(labels, benchmark.entrants, strict=True))
        ),
    )


def _evidence(piece: Evidence) -> str:
    parts = []
    locator = {key: value for key, value in piece.locator.items() if key != "document_id"}
    parts.append(str(piece.locator.get("document_id") or piece.reference_id))
    if piece.relevance != 1:
        parts.append(f"relevance {piece.relevance}")
    if locator:
        parts.append(canonical_json(locator).decode())
    if piece.text:
        parts.append(f"“{cut(piece.text, PASSAGE_CHARACTERS)}”")
    return " · ".join(part for part in parts if part)


def _answer(
    benchmark: BenchmarkMaterial,
    label: str,
    colour: int,
    outcome: CaseOutcome,
    judged: dict[str, int],
    *,
    searched: bool,
) -> AnswerView:
    failure = outcome.failure
    matched = matched_passages(outcome.details)
    relevant = [document for document, grade in judged.items() if grade > 0]
    scores = tuple(
        score_view(score, card.minimum, card.maximum)
        for score, card in zip(outcome.scores, benchmark.metrics, strict=True)
    )
    return AnswerView(
        label=label,
        colour=colour,
        failure=f"{failure.kind.value}: {failure.reason}" if failure else "",
        text=None if outcome.text is None else cut(outcome.text, ANSWER_CHARACTERS),
        found=tuple((document, outcome.ranks.get(document)) for document in relevant[:SHOWN_EVIDENCE]),
        evidence=evidence_views(outcome.details)[:SHOWN_EVIDENCE],
        searched=searched,
        retrieval=retrieval_lines(outcome.retrieval, outcome.retrieval_usage),
        passages=tuple(_passage(each, judged, matched) for each in outcome.passages),
        scores=scores,
        notes=_notes(outcome),
        readings=() if failure else readings(outcome.details, outcome.scores),
        took=took(outcome.usage),
        data=canonical_json(
            [
                {"v": score.value, "t": view.text, "s": view.state, "r": view.reason, "h": round(view.share, 3)}
                for score, view in zip(outcome.scores, scores, strict=True)
            ]
        ).decode(),
    )


def _passage(each: Passage, judged: dict[str, int], matched: dict[int, list[str]]) -> PassageView:
    place = passage_place(each)
    if each.raw_bytes:
        place = f"bytes {each.raw_bytes.start}–{each.raw_bytes.stop}, {place}"
    return PassageView(
        rank=each.rank,
        score=f"{each.score:.4g}",
        document_id=each.document_id,
        raw_key=each.raw_key,
        raw_sha256=each.raw_sha256,
        place=place,
        text=cut(each.text or "", PASSAGE_CHARACTERS),
        relevance=judged.get(each.document_id),
        matched=tuple(matched.get(each.rank, ())),
    )


def _notes(outcome: CaseOutcome) -> tuple[str, ...]:
    notes = []
    if merged := outcome.details.get("merged_passages"):
        notes.append(f"{merged} passages were merged into documents that had a better one")
    notes += [
        f"{tied} {things} share their score with another, and are ranked by id"
        for things in ("documents", "pages")
        if (tied := outcome.details.get(f"tied_{things}"))
    ]
    if outcome.details.get("tied_at_cut"):
        notes.append("some of these differ in relevance: their order decides the measures")
    for name, told in outcome.details.items():
        said = told.get("said") if isinstance(told, dict) else None
        notes += [f"{name}, the judge: {words}" for words in said if words] if isinstance(said, list) else []
    return tuple(notes)


def score_view(score: Score, minimum: float, maximum: float | None) -> ScoreView:
    """Return a score for a cell."""
    if score.outcome is Outcome.FAILED:
        reason = f"{score.failure.kind.value}: {score.failure.reason}" if score.failure else ""
        return ScoreView("failed", "failed", reason, 0.0)
    if score.outcome is Outcome.NOT_APPLICABLE or score.value is None:
        return ScoreView("n.a.", "not_applicable", score.reason, 0.0)
    width = None if maximum is None else maximum - minimum
    share = (score.value - minimum) / width if width else 0.0
    return ScoreView(number(score.value, 3), "scored", "", share)


def cut(text: str, characters: int) -> str:
    """Return a text of at most so many characters, with an ellipsis when it was longer."""
    return text if len(text) <= characters else text[: characters - 1].rstrip() + "…"

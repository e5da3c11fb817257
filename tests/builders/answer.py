"""Builders of what comes back for a case."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.domain.answer import CaseAnswer, Failure, Passage, Span
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.score import Outcome, Score


def a_passage(
    document_id: str = "d1", *, rank: int = 1, score: float | None = None, text: str | None = None, chunk: int = 0
) -> Passage:
    """Return a retrieved passage, the whole of its document; its score falls with the rank unless it is given."""
    return Passage(
        rank=rank,
        score=1.0 / rank if score is None else score,
        document_id=document_id,
        chunk_id=f"{document_id}#{chunk}",
        raw_key=f"raw/benchmarks/b/test/{document_id}/{document_id}.txt",
        raw_sha256=sha256_hex(document_id.encode()),
        chars=Span(0, len(text or "")),
        text=text,
    )


def an_answer(
    case_id: str = "c1",
    *,
    found: Sequence[str | Passage] = ("d1",),
    text: str | None = None,
    failure: Failure | None = None,
) -> CaseAnswer:
    """Return the answer to a case; `found` are passages, or document ids in ranked order; a failure finds nothing."""
    ranked = enumerate(() if failure else found, start=1)
    passages = tuple(a_passage(hit, rank=rank) if isinstance(hit, str) else hit for rank, hit in ranked)
    return CaseAnswer(case_id, passages, text, failure)


def a_score(metric: str = "ndcg@10", value: float | None = 1.0, *, failure: Failure | None = None) -> Score:
    """Return a score; not applicable when its value is None, failed when there is a failure."""
    if failure:
        return Score(metric, Outcome.FAILED, failure=failure)
    if value is None:
        return Score(metric, Outcome.NOT_APPLICABLE, reason="the case has nothing to compare with")
    return Score(metric, Outcome.SCORED, value)

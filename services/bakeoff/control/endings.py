"""What is told of an evaluation that has ended."""

from __future__ import annotations

from bakeoff.domain.evaluation import EvaluationRecord
from bakeoff.runtime.envelope import evaluation_trace
from bakeoff.runtime.telemetry import metrics, names, spans


def tell_end(record: EvaluationRecord) -> None:
    """Count the evaluation, and keep the span that its items have named as their parent."""
    metrics.count(names.EVALUATIONS, state=record.state.value)
    spans.tell(
        "evaluation",
        context=evaluation_trace(record.evaluation_id, record.attempt, record.trace),
        parent=record.trace,
        began=record.submitted_at,
        ended=record.ended_at,
        evaluation_id=record.evaluation_id,
        tenant=record.tenant,
        state=record.state.value,
        attempt=record.attempt,
    )

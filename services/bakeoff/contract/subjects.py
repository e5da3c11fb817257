"""The map of the bus: every stream, subject and consumer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bakeoff.domain.evaluation import Stage
from bakeoff.domain.identity import token

ROOT = "bakeoff.v1"
DAY_S = 86_400.0

REQUESTS = "REQUESTS"
TASKS = "TASKS"
DONE = "DONE"
EVENTS = "EVENTS"
DEAD = "DEAD"
DOWNLOADS = "DOWNLOADS"

STATES_BUCKET = "bakeoff_evaluations"
"""State documents of evaluations, by evaluation id."""
COMPONENTS_BUCKET = "bakeoff_components"
"""Component cards that running services announce, by service."""


class Retention(StrEnum):
    """When a stream lets go of a message."""

    WORK_QUEUE = "work_queue"
    """When it is acknowledged."""
    LIMITS = "limits"
    """When it is too old."""


@dataclass(frozen=True, slots=True)
class StreamSpec:
    """A stream of the bus."""

    name: str
    subjects: tuple[str, ...]
    retention: Retention
    one_per_subject: bool = False
    """Whether a second message of a subject is refused while the first is there."""
    max_age_s: float | None = None
    """None keeps messages for ever."""


@dataclass(frozen=True, slots=True)
class ConsumerSpec:
    """A durable pull consumer."""

    stream: str
    durable: str
    filter: str
    ack_wait_s: float = 30.0
    """Time without a sign of life after which a message is given to somebody else."""
    max_deliver: int = 30
    """Deliveries before the server gives up: only for messages that kill even those who isolate them."""
    max_ack_pending: int = 4096


STREAMS = (
    StreamSpec(REQUESTS, (f"{ROOT}.request.*",), Retention.WORK_QUEUE),
    StreamSpec(TASKS, (f"{ROOT}.task.*.*.*",), Retention.WORK_QUEUE, one_per_subject=True),
    # Far longer than any evaluation: an expired fact would re-open its item.
    StreamSpec(DONE, (f"{ROOT}.done.*.*.*",), Retention.LIMITS, one_per_subject=True, max_age_s=180 * DAY_S),
    StreamSpec(EVENTS, (f"{ROOT}.event.*.*",), Retention.LIMITS, max_age_s=14 * DAY_S),
    StreamSpec(
        DEAD,
        (
            f"{ROOT}.dead.*.*.*",
            f"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{TASKS}.>",
            f"$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.{TASKS}.>",
        ),
        Retention.LIMITS,
        max_age_s=30 * DAY_S,
    ),
    # For show, by those who watch now: only the last one is looked at, and what nobody takes away ends by itself.
    StreamSpec(DOWNLOADS, (f"{ROOT}.download.*.*",), Retention.LIMITS, max_age_s=600.0),
)
LIMITS_BUCKET = "bakeoff_limits"
"""What workers may ask of model endpoints together, by endpoint."""
CLAIMS_BUCKET = "bakeoff_claims"
"""Who makes which artefact of a build, by stage and key, while it is made."""
BUCKETS = (STATES_BUCKET, COMPONENTS_BUCKET, LIMITS_BUCKET, CLAIMS_BUCKET)

REQUEST_CONSUMER = ConsumerSpec(REQUESTS, "control-requests", f"{ROOT}.request.*")
DEAD_CONSUMER = ConsumerSpec(DEAD, "control-dead", f"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{TASKS}.>")


def stage_consumer(stage: Stage, ack_wait_s: float) -> ConsumerSpec:
    """Return the one durable consumer of a stage's tasks."""
    return ConsumerSpec(TASKS, f"stage-{stage.value}", f"{ROOT}.task.{stage.value}.*.*", ack_wait_s)


def consumers(ack_wait_s: float) -> tuple[ConsumerSpec, ...]:
    """Return all durable consumers; they exist before anything is published."""
    return (REQUEST_CONSUMER, DEAD_CONSUMER, *(stage_consumer(stage, ack_wait_s) for stage in Stage))


def request(tenant: str) -> str:
    """Return the subject on which a tenant publishes an EvaluationRequest."""
    return f"{ROOT}.request.{token(tenant)}"


def task(stage: Stage, evaluation_id: str, item: str) -> str:
    """Return the subject of a Task."""
    return f"{ROOT}.task.{stage.value}.{token(evaluation_id)}.{token(item)}"


def tasks_of(evaluation_id: str) -> str:
    """Return the filter of all queued tasks of an evaluation."""
    return f"{ROOT}.task.*.{token(evaluation_id)}.*"


def done(evaluation_id: str, stage: Stage, item: str) -> str:
    """Return the subject of a DoneFact."""
    return f"{ROOT}.done.{token(evaluation_id)}.{stage.value}.{token(item)}"


def done_of(evaluation_id: str, stage: Stage | None = None) -> str:
    """Return the filter of the facts of an evaluation, or of one stage of it."""
    return f"{ROOT}.done.{token(evaluation_id)}.{stage.value if stage else '*'}.*"


ALL_DONE = f"{ROOT}.done.*.*.*"


def event(evaluation_id: str, kind: str) -> str:
    """Return the subject of an EvaluationEvent."""
    return f"{ROOT}.event.{token(evaluation_id)}.{token(kind)}"


def events_of(evaluation_id: str) -> str:
    """Return the filter of all events of an evaluation."""
    return f"{ROOT}.event.{token(evaluation_id)}.*"


def dead(evaluation_id: str, stage: Stage, item: str) -> str:
    """Return the subject of a DeadLetter."""
    return f"{ROOT}.dead.{token(evaluation_id)}.{stage.value}.{token(item)}"


def dead_of(evaluation_id: str = "") -> str:
    """Return the filter of the dead letters of an evaluation, or of all when it is empty."""
    return f"{ROOT}.dead.{token(evaluation_id) if evaluation_id else '*'}.*.*"


def download(evaluation_id: str, item: str) -> str:
    """Return the subject of the Downloads of a prepare item."""
    return f"{ROOT}.download.{token(evaluation_id)}.{token(item)}"


def item_of(subject: str) -> tuple[str, str, str]:
    """Return (evaluation, stage, item) of a task or done subject, each as its token.

    Raises:
        ValueError: the subject is neither.
    """
    parts = subject.split(".")
    if len(parts) == 6 and parts[2] == "task":
        return parts[4], parts[3], parts[5]
    if len(parts) == 6 and parts[2] == "done":
        return parts[3], parts[4], parts[5]
    raise ValueError(f"{subject!r} is no subject of a task or a fact")


def stream_of(subject: str) -> str:
    """Return the stream that holds a subject or filter.

    Raises:
        ValueError: no stream does.
    """
    kinds = {"request": REQUESTS, "task": TASKS, "done": DONE, "event": EVENTS, "dead": DEAD, "download": DOWNLOADS}
    parts = subject.split(".")
    if subject.startswith("$JS.EVENT.ADVISORY.CONSUMER."):
        return DEAD
    if len(parts) > 3 and subject.startswith(ROOT + ".") and parts[2] in kinds:
        return kinds[parts[2]]
    raise ValueError(f"no stream holds the subject {subject!r}")

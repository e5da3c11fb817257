"""The bridge for tasks and facts, which the services send each other."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from bakeoff.contract.codec import (
    answer_part_from_wire,
    answer_part_to_wire,
    benchmark_choice_from_wire,
    benchmark_choice_to_wire,
    build_part_from_wire,
    build_part_to_wire,
    entrant_from_wire,
    entrant_to_wire,
    enum_from_wire,
    enum_to_wire,
    failure_from_wire,
    failure_to_wire,
    object_ref_from_wire,
    object_ref_to_wire,
    query_mode_from_wire,
    query_mode_to_wire,
    stage_from_wire,
    stage_to_wire,
    time_from_wire,
    time_to_wire,
)
from bakeoff.domain.answer import Failure
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.work import (
    BuildTask,
    DeadLetter,
    DoneFact,
    InferTask,
    IngestTask,
    ItemOutcome,
    PrepareTask,
    ReportTask,
    ScoreTask,
    Task,
    TaskBody,
)
from bakeoff.v1 import object_pb2, work_pb2


def task_to_wire(task: Task) -> work_pb2.Task:
    """Return the message of a task."""
    message = work_pb2.Task(
        evaluation_id=task.evaluation_id,
        tenant=task.tenant,
        stage=stage_to_wire(task.stage),  # type: ignore[arg-type]
        item=task.item,
        versions=task.versions,
    )
    getattr(message, task.stage.value).CopyFrom(_body_to_wire(task.body))
    return message


def task_to_bytes(task: Task) -> bytes:
    """Return a task as it travels; equal tasks are equal bytes."""
    return task_to_wire(task).SerializeToString(deterministic=True)


def task_from_bytes(data: bytes) -> Task:
    """Read a task.

    Raises:
        InvalidInputError: the bytes are no task.
    """
    message = work_pb2.Task()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        raise InvalidInputError(f"{len(data)} bytes are no Task: {error}") from error
    return task_from_wire(message)


def task_from_wire(message: work_pb2.Task) -> Task:
    """Return the task of a message.

    Raises:
        InvalidInputError: it names no evaluation or item, or its body is not that of its stage.
    """
    stage = stage_from_wire(message.stage)
    body = message.WhichOneof("body")
    if body != stage.value:
        raise InvalidInputError(f"a task of the stage {stage.value} has the body {body}")
    if not message.evaluation_id or not message.item:
        raise InvalidInputError("a task must name its evaluation and its item")
    of = _body_from_wire(message, body)
    return Task(message.evaluation_id, message.tenant, stage, message.item, of, dict(message.versions))


def _body_to_wire(
    body: TaskBody,
) -> (
    work_pb2.PrepareTask
    | work_pb2.IngestTask
    | work_pb2.BuildTask
    | work_pb2.InferTask
    | work_pb2.ScoreTask
    | work_pb2.ReportTask
):
    match body:
        case PrepareTask():
            return work_pb2.PrepareTask(benchmark=benchmark_choice_to_wire(body.benchmark))
        case IngestTask():
            return work_pb2.IngestTask(prepared=object_ref_to_wire(body.prepared), part=body.part)
        case BuildTask():
            return work_pb2.BuildTask(
                prepared=object_ref_to_wire(body.prepared),
                unit_id=body.unit_id,
                kb_id=body.kb_id,
                build=build_part_to_wire(body.build),
                versions=body.versions,
                ingest_items=body.ingest_items,
            )
        case InferTask():
            return work_pb2.InferTask(
                prepared=object_ref_to_wire(body.prepared),
                benchmark=body.benchmark,
                unit_id=body.unit_id,
                entrant=entrant_to_wire(body.entrant),
                kb_id=body.kb_id,
                build_item=body.build_item,
                cases=object_pb2.Span(start=body.cases_start, stop=body.cases_stop),
                mode=query_mode_to_wire(body.mode) if body.mode else None,
                answer=answer_part_to_wire(body.answer),
                seed=body.seed,
                text_ranks=body.text_ranks,
            )
        case ScoreTask():
            return work_pb2.ScoreTask(
                prepared=object_ref_to_wire(body.prepared),
                benchmark=body.benchmark,
                unit_id=body.unit_id,
                entrant=entrant_to_wire(body.entrant),
                cases=object_pb2.Span(start=body.cases_start, stop=body.cases_stop),
                infer_item=body.infer_item,
                evaluators=[str(spec) for spec in body.evaluators],
                seed=body.seed,
                opponents=body.opponents,
            )
        case ReportTask():
            return work_pb2.ReportTask(plan=object_ref_to_wire(body.plan))


def _body_from_wire(message: work_pb2.Task, body: str) -> TaskBody:
    match body:
        case "prepare":
            return PrepareTask(benchmark_choice_from_wire(message.prepare.benchmark))
        case "ingest":
            return IngestTask(object_ref_from_wire(message.ingest.prepared), message.ingest.part)
        case "build":
            build = message.build
            return BuildTask(
                object_ref_from_wire(build.prepared),
                build.unit_id,
                build.kb_id,
                build_part_from_wire(build.build),
                dict(build.versions),
                tuple(build.ingest_items),
            )
        case "infer":
            return _infer_from_wire(message.infer)
        case "score":
            score = message.score
            return ScoreTask(
                object_ref_from_wire(score.prepared),
                score.benchmark,
                score.unit_id,
                entrant_from_wire(score.entrant),
                score.cases.start,
                score.cases.stop,
                score.infer_item,
                tuple(ComponentSpec.parse(text) for text in score.evaluators),
                score.seed,
                dict(score.opponents),
            )
        case _:
            return ReportTask(object_ref_from_wire(message.report.plan))


def _infer_from_wire(message: work_pb2.InferTask) -> InferTask:
    return InferTask(
        object_ref_from_wire(message.prepared),
        message.benchmark,
        message.unit_id,
        entrant_from_wire(message.entrant),
        message.kb_id,
        message.build_item,
        message.cases.start,
        message.cases.stop,
        query_mode_from_wire(message.mode) if message.HasField("mode") else None,
        answer_part_from_wire(message.answer) if message.HasField("answer") else None,
        message.seed,
        message.text_ranks,
    )


def done_fact_to_wire(fact: DoneFact) -> work_pb2.DoneFact:
    """Return the message of a fact."""
    return work_pb2.DoneFact(
        evaluation_id=fact.evaluation_id,
        stage=stage_to_wire(fact.stage),  # type: ignore[arg-type]
        item=fact.item,
        outcome=enum_to_wire(fact.outcome, "ITEM_OUTCOME", work_pb2.ItemOutcome),  # type: ignore[arg-type]
        result=object_ref_to_wire(fact.result) if fact.result else None,
        failure=failure_to_wire(fact.failure),
        started_at=time_to_wire(fact.started_at),
        duration_ms=fact.duration_ms,
        attempts=fact.attempts,
        counts=fact.counts,
        worker=fact.worker,
    )


def done_fact_to_bytes(fact: DoneFact) -> bytes:
    """Return a fact as it travels."""
    return done_fact_to_wire(fact).SerializeToString(deterministic=True)


def done_fact_from_bytes(data: bytes) -> DoneFact:
    """Read a fact.

    Raises:
        InvalidInputError: the bytes are no fact.
    """
    message = work_pb2.DoneFact()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        raise InvalidInputError(f"{len(data)} bytes are no DoneFact: {error}") from error
    return DoneFact(
        message.evaluation_id,
        stage_from_wire(message.stage),
        message.item,
        enum_from_wire(message.outcome, "ITEM_OUTCOME", work_pb2.ItemOutcome, ItemOutcome),
        object_ref_from_wire(message.result) if message.HasField("result") else None,
        failure_from_wire(message.failure) if message.HasField("failure") else None,
        time_from_wire(message.started_at),
        message.duration_ms,
        message.attempts,
        dict(message.counts),
        message.worker,
    )


def dead_letter_to_bytes(task: Task, failure: Failure, time: str, deliveries: int) -> bytes:
    """Return a dead letter as it travels.

    Args:
        task: What was given up.
        failure: Why.
        time: When, RFC 3339.
        deliveries: How often it was delivered, from 1.
    """
    return work_pb2.DeadLetter(
        task=task_to_wire(task), failure=failure_to_wire(failure), time=time_to_wire(time), deliveries=deliveries
    ).SerializeToString(deterministic=True)


def dead_letter_to_wire(letter: DeadLetter) -> work_pb2.DeadLetter:
    """Return the message of a dead letter."""
    return work_pb2.DeadLetter(
        task=task_to_wire(letter.task),
        failure=failure_to_wire(letter.failure),
        time=time_to_wire(letter.time),
        deliveries=letter.deliveries,
    )


def dead_letter_from_wire(message: work_pb2.DeadLetter) -> DeadLetter:
    """Read a dead letter.

    Raises:
        InvalidInputError: its task has no body, or an unknown stage.
    """
    return DeadLetter(
        task_from_wire(message.task),
        failure_from_wire(message.failure),
        time_from_wire(message.time),
        message.deliveries,
    )


def dead_letter_from_bytes(data: bytes) -> DeadLetter:
    """Read a dead letter as it travelled.

    Raises:
        InvalidInputError: it is none.
    """
    message = work_pb2.DeadLetter()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        raise InvalidInputError(f"{len(data)} bytes are no DeadLetter: {error}") from error
    return dead_letter_from_wire(message)

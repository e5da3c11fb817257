"""Requests, options and the state of evaluations on the wire."""

from __future__ import annotations

from bakeoff.contract.codec.benchmarks import (
    benchmark_choice_from_wire,
    benchmark_choice_to_wire,
)
from bakeoff.contract.codec.downloads import download_from_wire, download_to_wire
from bakeoff.contract.codec.recipes import (
    recipe_from_wire,
    recipe_to_wire,
)
from bakeoff.contract.codec.values import (
    enum_from_wire,
    enum_to_wire,
    object_ref_from_wire,
    object_ref_to_wire,
    time_from_wire,
    time_to_wire,
)
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import (
    EvaluationOptions,
    EvaluationRequest,
    EvaluationState,
    EvaluationStatus,
    Rescoring,
    Stage,
    StageProgress,
)
from bakeoff.v1 import evaluation_pb2


def options_to_wire(options: EvaluationOptions) -> evaluation_pb2.EvaluationOptions:
    """Return the message of a run's options."""
    return evaluation_pb2.EvaluationOptions(
        seed=options.seed,
        batch_cases=options.batch_cases,
        concurrency=options.concurrency,
        confidence=options.confidence,
    )


def options_from_wire(message: evaluation_pb2.EvaluationOptions) -> EvaluationOptions:
    """Return the options of a message; what is zero has its default."""
    default = EvaluationOptions()
    return EvaluationOptions(
        message.seed,
        message.batch_cases or default.batch_cases,
        message.concurrency if message.HasField("concurrency") else None,
        message.confidence or default.confidence,
    )


def request_to_wire(request: EvaluationRequest) -> evaluation_pb2.EvaluationRequest:
    """Return the message of a request."""
    return evaluation_pb2.EvaluationRequest(
        name=request.name,
        benchmarks=[benchmark_choice_to_wire(choice) for choice in request.benchmarks],
        recipes=[recipe_to_wire(recipe) for recipe in request.recipes],
        options=options_to_wire(request.options),
        tenant=request.tenant,
        idempotency_key=request.idempotency_key,
        rescoring=_rescoring_to_wire(request.rescoring) if request.rescoring else None,
    )


def request_from_wire(message: evaluation_pb2.EvaluationRequest) -> EvaluationRequest:
    """Return the request of a message; what is empty has its default.

    Raises:
        InvalidInputError: a signature cannot be read.
    """
    return EvaluationRequest(
        message.name,
        tuple(benchmark_choice_from_wire(choice) for choice in message.benchmarks),
        tuple(recipe_from_wire(recipe) for recipe in message.recipes),
        options_from_wire(message.options),
        message.tenant or "default",
        message.idempotency_key,
        _rescoring_from_wire(message.rescoring) if message.HasField("rescoring") else None,
    )


def _rescoring_to_wire(rescoring: Rescoring) -> evaluation_pb2.Rescoring:
    evaluators = [str(spec) for spec in rescoring.evaluators]
    return evaluation_pb2.Rescoring(evaluation_id=rescoring.evaluation_id, evaluators=evaluators, add=rescoring.add)


def _rescoring_from_wire(message: evaluation_pb2.Rescoring) -> Rescoring:
    evaluators = tuple(ComponentSpec.parse(text) for text in message.evaluators)
    return Rescoring(message.evaluation_id, evaluators, message.add)


def stage_to_wire(stage: Stage) -> int:
    """Return the wire's number of a stage."""
    return enum_to_wire(stage, "STAGE", evaluation_pb2.Stage)


def stage_from_wire(number: int) -> Stage:
    """Return the stage of a wire's number.

    Raises:
        InvalidInputError: it is unspecified or unknown.
    """
    return enum_from_wire(number, "STAGE", evaluation_pb2.Stage, Stage)


def evaluation_status_to_wire(status: EvaluationStatus) -> evaluation_pb2.Evaluation:
    """Return the message of an evaluation as it stands."""
    return evaluation_pb2.Evaluation(
        evaluation_id=status.evaluation_id,
        name=status.name,
        tenant=status.tenant,
        state=enum_to_wire(status.state, "EVALUATION_STATE", evaluation_pb2.EvaluationState),  # type: ignore[arg-type]
        stages=[
            evaluation_pb2.StageProgress(
                stage=stage_to_wire(stage.stage),  # type: ignore[arg-type]
                planned=stage.planned,
                done=stage.done,
                queued=stage.queued,
                failed=stage.failed,
                planned_cases=stage.planned_cases,
                done_cases=stage.done_cases,
            )
            for stage in status.stages
        ],
        reason=status.reason,
        submitted_at=time_to_wire(status.submitted_at),
        ended_at=time_to_wire(status.ended_at),
        report=object_ref_to_wire(status.report) if status.report else None,
        downloads=[download_to_wire(download) for download in status.downloads],
    )


def evaluation_status_from_wire(message: evaluation_pb2.Evaluation) -> EvaluationStatus:
    """Return the evaluation as it stands of a message."""
    return EvaluationStatus(
        message.evaluation_id,
        message.name,
        message.tenant,
        enum_from_wire(message.state, "EVALUATION_STATE", evaluation_pb2.EvaluationState, EvaluationState),
        tuple(
            StageProgress(
                stage_from_wire(stage.stage),
                stage.planned,
                stage.done,
                stage.queued,
                stage.failed,
                stage.planned_cases,
                stage.done_cases,
            )
            for stage in message.stages
        ),
        message.reason,
        time_from_wire(message.submitted_at),
        time_from_wire(message.ended_at),
        object_ref_from_wire(message.report) if message.HasField("report") else None,
        tuple(download_from_wire(download) for download in message.downloads),
    )

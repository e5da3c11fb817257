"""Calls for operators: what was given up, doing it again, and what an evaluation waits for."""

from __future__ import annotations

from typing import Any, NamedTuple

from bakeoff.client.call import Call
from bakeoff.contract import codec
from bakeoff.contract.work_codec import dead_letter_from_wire
from bakeoff.domain.diagnosis import Diagnosis
from bakeoff.domain.evaluation import EvaluationStatus, Stage
from bakeoff.domain.work import DeadLetter
from bakeoff.v1 import evaluation_service_pb2 as pb
from bakeoff.v1.evaluation_service_pb2_grpc import EvaluationServiceStub


class GivenUp(NamedTuple):
    """An item that was given up."""

    letter: DeadLetter
    replayed: bool
    """Whether it was taken up again since."""


class Replayed(NamedTuple):
    """What is done again."""

    status: EvaluationStatus
    """The evaluation as it stands."""
    items: tuple[str, ...]
    """`<stage>/<item>` of each."""


class Diagnosed(NamedTuple):
    """What an evaluation waits for."""

    status: EvaluationStatus
    """The evaluation as it stands."""
    findings: list[Diagnosis]


def dead_letters(evaluation_id: str) -> Call[list[GivenUp]]:
    """Return the call that lists what was given up."""
    message = pb.ListDeadLettersRequest(evaluation_id=evaluation_id)
    return Call(
        EvaluationServiceStub, "ListDeadLetters", message, lambda answer: [_given_up(entry) for entry in answer.entries]
    )


def dead_letter(evaluation_id: str, stage: Stage, item: str) -> Call[GivenUp]:
    """Return the call that gets the last dead letter of an item."""
    number: Any = codec.stage_to_wire(stage)
    message = pb.GetDeadLetterRequest(evaluation_id=evaluation_id, stage=number, item=item)
    return Call(EvaluationServiceStub, "GetDeadLetter", message, lambda answer: _given_up(answer.entry))


def replay(evaluation_id: str, failed_cases: bool) -> Call[Replayed]:
    """Return the call that does again what failed."""

    def read(answer: Any) -> Replayed:
        return Replayed(codec.evaluation_status_from_wire(answer.evaluation), tuple(answer.items))

    message = pb.ReplayDeadLettersRequest(evaluation_id=evaluation_id, failed_cases=failed_cases)
    return Call(EvaluationServiceStub, "ReplayDeadLetters", message, read)


def diagnose(evaluation_id: str) -> Call[Diagnosed]:
    """Return the call that tells what an evaluation waits for."""

    def read(answer: Any) -> Diagnosed:
        findings = [Diagnosis(each.name, each.ok, each.detail, each.advice) for each in answer.findings]
        return Diagnosed(codec.evaluation_status_from_wire(answer.evaluation), findings)

    message = pb.DiagnoseEvaluationRequest(evaluation_id=evaluation_id)
    return Call(EvaluationServiceStub, "DiagnoseEvaluation", message, read)


def _given_up(entry: Any) -> GivenUp:
    return GivenUp(dead_letter_from_wire(entry.letter), entry.replayed)

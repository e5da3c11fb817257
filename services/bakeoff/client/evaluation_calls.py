"""Calls of the evaluation service."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from bakeoff.client.call import Call, Stream
from bakeoff.contract import codec
from bakeoff.domain.component import ComponentCard, ComponentSpec
from bakeoff.domain.errors import BakeoffError, UnavailableError
from bakeoff.domain.evaluation import EvaluationRequest, EvaluationState, EvaluationStatus, Rescoring
from bakeoff.v1 import evaluation_service_pb2 as pb
from bakeoff.v1.evaluation_service_pb2_grpc import EvaluationServiceStub

Evaluation = EvaluationRequest | Mapping[str, object] | str | os.PathLike[str]
"""What can be submitted; a text is the path of a file."""
PATIENCE_S = 60.0  # a server that restarts is back by then
PAUSE_S = 1.0


class Submitted(NamedTuple):
    """What came of a submission."""

    status: EvaluationStatus
    """The evaluation as it stands."""
    created: bool
    """Whether this call made it, or started it again; otherwise it was known."""


def submit(request: EvaluationRequest) -> Call[Submitted]:
    """Return the call that asks for an evaluation."""
    message = pb.SubmitEvaluationRequest(request=codec.request_to_wire(request))
    return _call("SubmitEvaluation", message, lambda answer: Submitted(_status(answer), answer.created))


def check(request: EvaluationRequest) -> Call[str]:
    """Return the call that checks a request, and gives the id that its evaluation would have."""
    message = pb.SubmitEvaluationRequest(request=codec.request_to_wire(request), validate_only=True)
    return _call("SubmitEvaluation", message, lambda answer: str(answer.evaluation.evaluation_id))


def get(evaluation_id: str) -> Call[EvaluationStatus]:
    """Return the call that gets an evaluation."""
    return _call("GetEvaluation", pb.GetEvaluationRequest(evaluation_id=evaluation_id), _status)


def watch(evaluation_id: str) -> Stream[EvaluationStatus]:
    """Return the call that follows an evaluation."""
    message = pb.WatchEvaluationRequest(evaluation_id=evaluation_id)
    return Stream(EvaluationServiceStub, "WatchEvaluation", message, _status)


def cancel(evaluation_id: str, reason: str) -> Call[EvaluationStatus]:
    """Return the call that stops an evaluation."""
    return _call("CancelEvaluation", pb.CancelEvaluationRequest(evaluation_id=evaluation_id, reason=reason), _status)


def pause(evaluation_id: str) -> Call[EvaluationStatus]:
    """Return the call that pauses an evaluation."""
    return _call("PauseEvaluation", pb.PauseEvaluationRequest(evaluation_id=evaluation_id), _status)


def resume(evaluation_id: str, concurrency: int | None) -> Call[EvaluationStatus]:
    """Return the call that takes an evaluation up again."""
    message = pb.ResumeEvaluationRequest(evaluation_id=evaluation_id, concurrency=concurrency)
    return _call("ResumeEvaluation", message, _status)


def components() -> Call[list[ComponentCard]]:
    """Return the call that lists components."""
    return _call(
        "ListComponents",
        pb.ListComponentsRequest(),
        lambda answer: [codec.component_card_from_wire(card) for card in answer.components],
    )


def rescoring(
    first: EvaluationStatus, evaluators: Sequence[str | ComponentSpec], *, add: bool, name: str, fresh: bool
) -> EvaluationRequest:
    """Return the request for a re-scoring.

    Raises:
        InvalidInputError: a method cannot be read.
    """
    methods = tuple(ComponentSpec.parse(each) if isinstance(each, str) else each for each in evaluators)
    key = f"rescore-{secrets.token_hex(16)}" if fresh else ""
    asked = Rescoring(first.evaluation_id, methods, add)
    return EvaluationRequest(name, (), (), tenant=first.tenant, idempotency_key=key, rescoring=asked)


def completed(status: EvaluationStatus) -> EvaluationStatus:
    """Return an evaluation that completed.

    Raises:
        BakeoffError: it failed or was cancelled; says why.
    """
    if status.state is EvaluationState.COMPLETED:
        return status
    raise BakeoffError(
        f"the evaluation {status.evaluation_id} {status.state.value}: {status.reason or 'no reason given'}"
    )


class Pages:
    """The pages of the list of evaluations: while there is a `next` call, make it, and it gives what is on the page."""

    def __init__(self, tenant: str) -> None:
        """Begin with the first page.

        Args:
            tenant: Whose evaluations; empty means all that may be seen.
        """
        self._tenant = tenant
        self._token: str | None = ""

    @property
    def next(self) -> Call[list[EvaluationStatus]] | None:
        """The call that gets the next page; None when there is none."""
        if self._token is None:
            return None
        message = pb.ListEvaluationsRequest(tenant=self._tenant, page_token=self._token)
        return _call("ListEvaluations", message, self._read)

    def _read(self, answer: Any) -> list[EvaluationStatus]:
        self._token = answer.next_page_token or None
        return [codec.evaluation_status_from_wire(item) for item in answer.evaluations]


class Patience:
    """How long a follower waits for a server that went away, and for the end."""

    def __init__(self, evaluation_id: str, timeout_s: float | None, clock: Callable[[], float]) -> None:
        """Begin to wait.

        Args:
            evaluation_id: What is waited for.
            timeout_s: Longest wait; None waits for as long as it takes.
            clock: Seconds that only grow.
        """
        self._evaluation_id = evaluation_id
        self._timeout_s = timeout_s
        self._clock = clock
        self._start = clock()
        self._heard: float | None = None

    @property
    def left_s(self) -> float | None:
        """Seconds that are left; None when there is no end."""
        return None if self._timeout_s is None else self._start + self._timeout_s - self._clock()

    def heard(self) -> None:
        """Note that the server answered."""
        self._heard = self._clock()

    def go_on(self, error: UnavailableError | None) -> None:
        """Return when it is worth to ask again.

        Raises:
            UnavailableError: the server was never there, stayed away for a minute, or the time is over.
        """
        if self.left_s is not None and self.left_s <= 0:
            raise UnavailableError(
                f"the evaluation {self._evaluation_id} has not ended within {self._timeout_s:g} s; it goes on"
            ) from error
        if error is not None and (self._heard is None or self._clock() - self._heard > PATIENCE_S):
            raise error


def _call(method: str, message: Any, read: Callable[[Any], Any]) -> Call[Any]:
    return Call(EvaluationServiceStub, method, message, read)


def _status(answer: Any) -> EvaluationStatus:
    return codec.evaluation_status_from_wire(answer.evaluation)

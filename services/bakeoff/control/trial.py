"""Methods tried where they are at home: what no card tells, such as that two of them give a metric of one name."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

import grpc

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.runtime import logs
from bakeoff.runtime.rpc import error_of
from bakeoff.runtime.service import Peers
from bakeoff.v1.scoring_service_pb2 import ScoreAnswersRequest
from bakeoff.v1.scoring_service_pb2_grpc import ScoringServiceStub

PATIENCE_S = 10.0
"""Seconds that the scoring service has; one that is busy or away says nothing, and scoring itself will tell."""
REFUSED = "the answers cannot be scored so"
log = logs.get("control")


class TryMethods(Protocol):
    """Makes the methods of one benchmark together, and scores nothing."""

    async def __call__(self, specs: Sequence[ComponentSpec], field: str) -> None:
        """Try them.

        Args:
            specs: With all settings filled in; none are right.
            field: What the message calls them.

        Raises:
            InvalidInputError: they cannot be made, or two give a metric of one name.
        """


async def untried(specs: Sequence[ComponentSpec], field: str) -> None:
    """Try nothing: where there is no scoring service to be asked."""


class ScoringTrial:
    """Asks the scoring service to score no answers, for which it makes the methods."""

    def __init__(self, peers: Peers) -> None:
        """Ask nothing yet."""
        self._peers = peers

    async def __call__(self, specs: Sequence[ComponentSpec], field: str) -> None:
        """Try methods; see `TryMethods`."""
        if specs:
            await asyncio.to_thread(self._try, specs, field)

    def _try(self, specs: Sequence[ComponentSpec], field: str) -> None:
        request = ScoreAnswersRequest(evaluators=[str(spec) for spec in specs])
        try:
            ScoringServiceStub(self._peers.channel("scoring")).ScoreAnswers(request, timeout=PATIENCE_S)
        except grpc.RpcError as call:
            error = error_of(call, "the scoring service")
            if isinstance(error, InvalidInputError):
                raise InvalidInputError(REFUSED, [Violation(field, error.message)]) from call
            log.warning("methods not tried", reason=str(error))

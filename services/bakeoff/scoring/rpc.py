"""The RPCs of the scoring service: scores outside of an evaluation."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from bakeoff.contract import codec
from bakeoff.domain.component import ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.runtime import callers
from bakeoff.runtime.local_paths import foreign_paths_inside
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.judge_models import OpenedModels
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from bakeoff.v1 import scoring_service_pb2 as pb
from bakeoff.v1.scoring_service_pb2_grpc import ScoringServiceServicer

MOST_CASES = 1000


class ScoringRpc(ScoringServiceServicer):
    """Scores answers that somebody sends."""

    def __init__(self, models: OpenedModels | None = None, folders: tuple[Path, ...] | None = None) -> None:
        """Score with methods that may ask models.

        Args:
            models: None where none can be asked.
            folders: Below which paths may lie that callers name; None means everywhere.
        """
        self._models = models
        self._folders = folders

    async def ScoreAnswers(  # noqa: N802  # the contract's name
        self, request: pb.ScoreAnswersRequest, context: Any
    ) -> pb.ScoreAnswersResponse:
        """Score answers to cases with the evaluators that are named.

        Raises:
            InvalidInputError: a method or a case is wrong, or there are too many; with the fields.
            NotFoundError: there is no evaluator of a name.
        """
        self._check_paths(request)
        return await asyncio.to_thread(_score_answers, request, self._models)

    def _check_paths(self, request: pb.ScoreAnswersRequest) -> None:
        if callers.current().tenant == callers.ALL_TENANTS:
            return  # a service, which has checked what it was asked itself, or who runs the platform
        cards = {(card.kind, card.name): card for card in evaluators.cards()}
        faults = [
            fault
            for number, text in enumerate(request.evaluators)
            for fault in foreign_paths_inside(
                ComponentKind.EVALUATOR, ComponentSpec.parse(text), cards, self._folders, f"evaluators[{number}]"
            )
        ]
        if faults:
            raise InvalidInputError("nothing can be scored so", faults)


def _score_answers(request: pb.ScoreAnswersRequest, models: OpenedModels | None) -> pb.ScoreAnswersResponse:
    if not request.evaluators:
        raise InvalidInputError("nothing to score with", [Violation("evaluators", "must name at least one evaluator")])
    if len(request.cases) > MOST_CASES:
        problem = f"must be at most {MOST_CASES} cases, not {len(request.cases)}"
        raise InvalidInputError("too many cases", [Violation("cases", problem)])
    methods = make_methods(evaluators, [ComponentSpec.parse(text) for text in request.evaluators])
    cases = [codec.case_from_wire(each.case) for each in request.cases]
    answers = [codec.case_answer_from_wire(each.answer) for each in request.cases]
    scores = score_batch(methods, cases, answers, ScoringContext(seed=request.seed, models=models))
    return pb.ScoreAnswersResponse(cases=[codec.case_scores_to_wire(each) for each in scores])

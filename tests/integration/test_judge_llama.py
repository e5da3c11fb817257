"""A real model judges, held to the schema by its real server: llama.cpp with SmolLM2, on one thread."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.score import CaseScores, Outcome
from bakeoff.models.access import ModelAccess
from bakeoff.models.responses import ResponseStore
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.settings import Settings
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.judge_models import OpenedModels
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from tests.builders import a_case, an_answer
from tests.integration.test_models_llama import base_url

__all__ = ["base_url"]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

CASES = [replace(a_case(f"c{number}"), query="Where does the cat live?") for number in range(2)]
ANSWERS = [an_answer("c0", text="The cat lives in Oslo, Norway."), an_answer("c1", text="I like bread.")]


def judged(base_url: str, objects: MemoryObjects) -> tuple[CaseScores, ...]:
    settings = {"base_url": base_url, "model": "smollm2", "rubric": "answer_relevance", "max_tokens": 120}
    pair = {**settings, "name": "pair"}
    methods = make_methods(evaluators.load(), [ComponentSpec("judge", settings), ComponentSpec("judge_pair", pair)])
    models = OpenedModels(ModelAccess(Settings(), ResponseStore(objects)))
    return score_batch(methods, CASES, ANSWERS, ScoringContext(models=models))


def test_its_judgements_are_read_or_are_failures_and_a_second_scoring_asks_nothing(
    base_url: str,
) -> None:
    objects = MemoryObjects()
    first, again = judged(base_url, objects), judged(base_url, objects)
    assert [[score.value for score in case.scores] for case in first] == [
        [score.value for score in case.scores] for case in again
    ]
    scores = [score for case in first for score in case.scores]
    assert any(score.outcome is Outcome.SCORED for score in scores), "the schema makes a small model readable"
    told = [details for case in again for details in case.details.values() if isinstance(details, dict)]
    assert told
    assert all(details["judge_calls"] == 0 and details["judge_stored"] == details["judge_answers"] for details in told)

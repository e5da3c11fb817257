"""Rows that a model answers over the RPC: asked as often as its patience says, and the model closed afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

import pytest

from bakeoff.contract import codec
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.recipe import AnswerPart
from bakeoff.inference.registries import generators
from bakeoff.inference.rpc import InferenceRpc
from bakeoff.models.access import ModelAccess
from bakeoff.models.choice import ModelChoice
from bakeoff.models.model import Model
from bakeoff.models.model_settings import Patience
from bakeoff.runtime.settings import Settings
from bakeoff.v1 import inference_service_pb2 as pb
from tests.integration.scripted_endpoint import ScriptedEndpoint, refuses, says


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(says("yes")) as endpoint:
        yield endpoint


class Opened(ModelAccess):
    """Remembers the models that it opened."""

    models: ClassVar[list[Model]] = []

    def open(self, choice: ModelChoice) -> Model:
        model = super().open(choice)
        self.models.append(model)
        return model


def answers(endpoint: ScriptedEndpoint, rows: int) -> list[pb.GenerateAnswersResponse]:
    generators.load()
    model = ComponentSpec("openai", {"base_url": endpoint.base_url, "model": "m", "stream": False})
    part = codec.answer_part_to_wire(AnswerPart(model))

    async def asked() -> AsyncIterator[pb.GenerateAnswersRequest]:
        for number in range(rows):
            yield pb.GenerateAnswersRequest(row_id=f"{number}", question="q?", answer=None if number else part)

    def knows_nothing(*_: Any) -> Any:
        raise AssertionError("no knowledge base is asked")

    async def collected() -> list[pb.GenerateAnswersResponse]:
        Opened.models.clear()
        service = InferenceRpc(knows_nothing, Opened(Settings()))
        return [response async for response in service.GenerateAnswers(asked(), None)]

    return asyncio.run(collected())


def test_a_row_whose_model_is_down_is_asked_as_often_as_patience_says_and_no_oftener(
    endpoint: ScriptedEndpoint,
) -> None:
    endpoint.otherwise = refuses(503, "down", Retry_After="0")

    (response,) = answers(endpoint, 1)

    assert "given up after 5 requests" in response.failure.reason
    assert len(endpoint.seen) == Patience().attempts == 5


def test_the_model_of_rows_is_closed_when_they_are_answered(endpoint: ScriptedEndpoint) -> None:
    assert [response.text for response in answers(endpoint, 3)] == ["yes"] * 3

    (model,) = Opened.models
    assert model._transport._session is None

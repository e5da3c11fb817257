"""The RPCs of the inference service: answers outside of an evaluation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from bakeoff.contract import codec
from bakeoff.domain.answer import CaseAnswer, Failure, Passage, Span
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.recipe import AnswerPart
from bakeoff.inference.core import Answering, answer_cases
from bakeoff.inference.generation import generate
from bakeoff.inference.generator import Generator
from bakeoff.inference.handlers import OpenKnowledge
from bakeoff.inference.registries import generators
from bakeoff.v1 import inference_service_pb2 as pb
from bakeoff.v1.inference_service_pb2_grpc import InferenceServiceServicer


class InferenceRpc(InferenceServiceServicer):
    """Answers questions that somebody asks."""

    def __init__(self, open_knowledge: OpenKnowledge) -> None:
        """Retrieve from the knowledge bases that this opens."""
        self._open_knowledge = open_knowledge

    async def Answer(self, request: pb.AnswerRequest, context: Any) -> pb.AnswerResponse:  # noqa: N802
        """Answer one question from a knowledge base; the question is its own case id.

        Raises:
            InvalidInputError: the question is empty, or the mode or the generator is wrong.
            NotFoundError: there is no such knowledge base or generator.
        """
        answer = await asyncio.to_thread(self._answer, request)
        return pb.AnswerResponse(answer=codec.case_answer_to_wire(answer))

    async def GenerateAnswers(  # noqa: N802
        self, request_iterator: AsyncIterator[pb.GenerateAnswersRequest], context: Any
    ) -> AsyncIterator[pb.GenerateAnswersResponse]:
        """Answer rows from their own contexts as they come; a row that fails says why, and the next one goes on.

        Raises:
            InvalidInputError: the first row does not say how answers are made.
            NotFoundError: there is no such generator.
        """
        part: AnswerPart | None = None
        generator: Generator | None = None
        async for row in request_iterator:
            if row.HasField("answer"):
                part = codec.answer_part_from_wire(row.answer)
                generator = generators.make(part.generator)
            if part is None or generator is None:
                problem = "must be given in the first row"
                raise InvalidInputError("nothing says how answers are made", [Violation("answer", problem)])
            passages = context_passages(row.contexts[: part.passages])
            yield await asyncio.to_thread(_row_answer, row, generator, passages)

    def _answer(self, request: pb.AnswerRequest) -> CaseAnswer:
        if not request.query.strip():
            raise InvalidInputError("nothing is asked", [Violation("query", "must not be empty")])
        mode = codec.query_mode_from_wire(request.mode)
        part = codec.answer_part_from_wire(request.answer) if request.HasField("answer") else None
        answering = Answering(
            generators.make(part.generator) if part else None,
            part.passages if part else 0,
            request.seed,
            text_ranks=mode.top_k,
        )
        retrieve = self._open_knowledge(request.kb_id, mode, answering.needed_texts)
        case = Case(request.query, request.query)
        (answer,) = answer_cases([case], retrieve, answering, begin=lambda case_id="": None)
        return answer


def _row_answer(
    row: pb.GenerateAnswersRequest, generator: Generator, passages: Sequence[Passage]
) -> pb.GenerateAnswersResponse:
    result = generate(generator, row.question, passages, seed=row.seed, case_id=row.row_id).result
    if isinstance(result, Failure):
        return pb.GenerateAnswersResponse(row_id=row.row_id, failure=codec.failure_to_wire(result))
    return pb.GenerateAnswersResponse(row_id=row.row_id, text=result.text)


def context_passages(contexts: Sequence[str]) -> tuple[Passage, ...]:
    """Return texts as passages that come from nowhere: without an original, named by their place, from 1."""
    return tuple(
        Passage(rank, 1.0 / rank, f"context-{rank}", f"context-{rank}#0", "", "", Span(0, len(text)), text=text)
        for rank, text in enumerate(contexts, start=1)
    )

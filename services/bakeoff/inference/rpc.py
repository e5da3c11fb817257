"""The RPCs of the inference service: answers outside of an evaluation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bakeoff.contract import codec
from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind, Passage, Span
from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.failing import failure_of
from bakeoff.domain.recipe import AnswerPart
from bakeoff.inference.core import Answering, answer_cases
from bakeoff.inference.examples.pools import ExamplePools
from bakeoff.inference.generation import generate
from bakeoff.inference.generator import Generator
from bakeoff.inference.likelihood_answers import answer_with_model
from bakeoff.inference.model_answers import seed_of
from bakeoff.inference.model_only import check_asks_no_model
from bakeoff.inference.prompted import Prompting
from bakeoff.inference.prompting.eval_types import built_in_template
from bakeoff.inference.prompting.library import load_template
from bakeoff.inference.recipe_model import asking_of
from bakeoff.inference.registries import example_retrievers, generators
from bakeoff.inference.retrieving.opening import EngineOpener
from bakeoff.inference.retrieving.searching import OpenKnowledge
from bakeoff.inference.rows import Rows
from bakeoff.models.access import ModelAccess
from bakeoff.models.choice import ModelChoice
from bakeoff.runtime.local_paths import foreign_paths_inside
from bakeoff.v1 import inference_service_pb2 as pb
from bakeoff.v1.inference_service_pb2_grpc import InferenceServiceServicer

if TYPE_CHECKING:
    from bakeoff.models.model import Model

AnswerRow = Callable[[pb.GenerateAnswersRequest], Coroutine[Any, Any, pb.GenerateAnswersResponse]]


class InferenceRpc(InferenceServiceServicer):
    """Answers questions that somebody asks."""

    def __init__(self, open_knowledge: OpenKnowledge, models: ModelAccess) -> None:
        """Retrieve from the knowledge bases that the one opens, and ask the models that the other opens."""
        self._engines = EngineOpener(open_knowledge, models)
        self._models = models

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
        async with AsyncExitStack() as opened, Rows() as rows:
            asking = asyncio.create_task(self._ask_rows(request_iterator, rows, opened))
            async for response in rows:
                yield response
            await asking

    async def _ask_rows(
        self, requests: AsyncIterator[pb.GenerateAnswersRequest], rows: Rows, opened: AsyncExitStack
    ) -> None:
        """Begin each row as it comes; `rows` has their answers as they end."""
        answer: AnswerRow | None = None
        try:
            async for row in requests:
                if row.HasField("answer"):
                    answer = await self._answerer(codec.answer_part_from_wire(row.answer), opened)
                if answer is None:
                    problem = "must be given in the first row"
                    raise InvalidInputError("nothing says how answers are made", [Violation("answer", problem)])
                await rows.begin(answer(row))
        finally:
            rows.end()

    async def _answerer(self, part: AnswerPart, opened: AsyncExitStack) -> AnswerRow:
        """Return what answers a row as an answer part says; `opened` closes what it needs."""
        self._check_paths(part)
        generator = generators.make(part.generator)
        if isinstance(generator, ModelChoice):
            prompting = Prompting.of(part, ExamplePools(), chat=generator.chat, system=generator.system)
            model = await opened.enter_async_context(self._models.open(generator))
            return partial(_model_row, generator, model, prompting)
        check_asks_no_model(part)

        async def answer(row: pb.GenerateAnswersRequest) -> pb.GenerateAnswersResponse:
            passages = context_passages(row.contexts[: part.passages])
            return await asyncio.to_thread(_row_answer, row, generator, passages)

        return answer

    def _check_paths(self, part: AnswerPart) -> None:
        """Refuse a generator or an example retriever that names paths of this machine which requests may not name."""
        cards = {(card.kind, card.name): card for card in (*generators.cards(), *example_retrievers.load().cards())}
        placed = [(generators.kind, part.generator, "answer.generator")]
        if part.examples:
            placed.append((example_retrievers.kind, part.examples, "answer.examples"))
        folders = self._models.settings.local_folders
        faults = [
            fault for kind, spec, field in placed for fault in foreign_paths_inside(kind, spec, cards, folders, field)
        ]
        if faults:
            raise InvalidInputError("nothing can be answered so", faults)

    def _answer(self, request: pb.AnswerRequest) -> CaseAnswer:
        if not request.query.strip():
            raise InvalidInputError("nothing is asked", [Violation("query", "must not be empty")])
        mode = codec.query_mode_from_wire(request.mode)
        part = codec.answer_part_from_wire(request.answer) if request.HasField("answer") else None
        if part:
            self._check_paths(part)
        generator = generators.make(part.generator) if part else None
        if part and not isinstance(generator, ModelChoice):
            check_asks_no_model(part)
        case = Case(request.query, request.query)
        model = generator if isinstance(generator, ModelChoice) else None
        answering = Answering(
            None if isinstance(generator, ModelChoice) else generator,
            part.passages if part else 0,
            request.seed,
            text_ranks=mode.top_k,
        )
        open_knowledge = self._engines.on_behalf(seed=request.seed)
        retrieve = open_knowledge(request.kb_id, mode, answering.needed_texts)
        answers = answer_cases([case], retrieve, answering, begin=lambda case_id="": None)
        if part and model:
            asking = asking_of(part, model, self._models, ExamplePools(), seed=request.seed)
            answers = answer_with_model([case], answers, asking)
        return answers[0]


def _row_answer(
    row: pb.GenerateAnswersRequest, generator: Generator, passages: Sequence[Passage]
) -> pb.GenerateAnswersResponse:
    result = generate(generator, row.question, passages, seed=row.seed, case_id=row.row_id).result
    if isinstance(result, Failure):
        return pb.GenerateAnswersResponse(row_id=row.row_id, failure=codec.failure_to_wire(result))
    return pb.GenerateAnswersResponse(row_id=row.row_id, text=result.text)


async def _model_row(
    choice: ModelChoice, model: Model, prompting: Prompting, row: pb.GenerateAnswersRequest
) -> pb.GenerateAnswersResponse:
    try:
        prompt = _suited(prompting, row.eval_type).tell(row_case(row), ()).assembled.prompt
        seed = seed_of(row.seed, row.row_id, 0) if choice.send_seed else None
        completion = await model.ask(prompt, seed=seed)
    except Exception as error:  # whatever it raises fails this row, and no other
        failure = failure_of(error, FailureKind.MODEL)
        return pb.GenerateAnswersResponse(row_id=row.row_id, failure=codec.failure_to_wire(failure))
    return pb.GenerateAnswersResponse(row_id=row.row_id, text=completion.text)


def row_case(row: pb.GenerateAnswersRequest) -> Case:
    """Return a row as a case, with what it brings where prompts look for it."""
    metadata: Json = {"contexts": list(row.contexts)}
    if row.choices:
        metadata["choices"] = list(row.choices)
    if row.eval_type:
        metadata["eval_type"] = row.eval_type
    return Case(row.row_id, row.question, metadata=metadata)


def _suited(prompting: Prompting, eval_type: str) -> Prompting:
    """Return how a row is asked: what the row is chooses the template where the answer part names none."""
    if prompting.template is not None or not eval_type:
        return prompting
    return replace(prompting, template=load_template(built_in_template(eval_type)))


def context_passages(contexts: Sequence[str]) -> tuple[Passage, ...]:
    """Return texts as passages that come from nowhere: without an original, named by their place, from 1."""
    return tuple(
        Passage(rank, 1.0 / rank, f"context-{rank}", f"context-{rank}#0", "", "", Span(0, len(text)), text=text)
        for rank, text in enumerate(contexts, start=1)
    )

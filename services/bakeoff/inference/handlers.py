"""The work of the stage `infer`: one entrant is asked a batch of cases of one unit."""

from __future__ import annotations

from collections.abc import Callable

from bakeoff.contract import object_keys
from bakeoff.contract.stored import PreparedReader
from bakeoff.contract.stored_answers import encode_answers
from bakeoff.domain.answer import AnswerBatch, CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.recipe import QueryMode
from bakeoff.domain.work import InferTask, ItemOutcome, Task
from bakeoff.inference.core import Answering, NoKnowledge, Retrieve, answer_cases
from bakeoff.inference.registries import generators
from bakeoff.inference.retrieval import KnowledgeRetriever
from bakeoff.runtime.items import ItemContext, Result, StageHandler
from bakeoff.runtime.service import Deps

OpenKnowledge = Callable[[str, QueryMode, int], Retrieve]
"""Opens a knowledge base by id, to be asked in a mode, with the texts of the first so many ranks."""


def make_handler(deps: Deps) -> StageHandler:
    """Return the handler of the stage."""
    open_knowledge = remote_knowledge(deps)
    return StageHandler(
        Stage.INFER,
        lambda task: object_keys.answers(task.evaluation_id, task.item),
        lambda task, context: infer(task, context, open_knowledge),
    )


def remote_knowledge(deps: Deps) -> OpenKnowledge:
    """Return what opens the knowledge bases of the knowledge service."""
    return lambda kb_id, mode, text_ranks: KnowledgeRetriever(deps.peers.channel("knowledge"), kb_id, mode, text_ranks)


def infer(task: Task, context: ItemContext, open_knowledge: OpenKnowledge) -> Result:
    """Ask the cases of an item; when their knowledge base could not be built, all fail for that reason.

    Raises:
        NotFoundError: the generator, the knowledge base or an object does not exist.
        InvalidInputError: a setting of the generator is wrong.
        OutOfReachError: a part of the platform does not answer.
    """
    body = task.body
    if not isinstance(body, InferTask):
        raise TypeError(f"an infer task has a {type(body).__name__}")
    prepared = PreparedReader.open(context.objects, body.prepared)
    cases = tuple(prepared.cases(body.cases_start, body.cases_stop))

    answers = _answers(body, cases, context, open_knowledge)

    batch = AnswerBatch(body.benchmark, body.unit_id, str(body.entrant), body.kb_id, answers)
    failed = sum(answer.failure is not None for answer in answers)
    return Result(encode_answers(batch), counts={"cases": len(answers), "failed_cases": failed})


def _answers(
    body: InferTask, cases: tuple[Case, ...], context: ItemContext, open_knowledge: OpenKnowledge
) -> tuple[CaseAnswer, ...]:
    build = context.fact(Stage.BUILD, body.build_item) if body.mode else None
    if build is not None and build.outcome is ItemOutcome.FAILED:
        unknown = Failure(FailureKind.INFRASTRUCTURE, "the knowledge base was not built, for a reason not recorded")
        return tuple(CaseAnswer(case.case_id, failure=build.failure or unknown) for case in cases)
    answering = Answering(
        generators.make(body.answer.generator) if body.answer else None,
        body.answer.passages if body.answer else 0,
        body.seed,
        body.text_ranks,
    )
    retrieve = open_knowledge(body.kb_id, body.mode, answering.needed_texts) if body.mode else NoKnowledge()
    return answer_cases(cases, retrieve, answering, begin=context.begin, one_by_one=context.isolated)

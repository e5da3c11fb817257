"""The work of the stage `infer`: one entrant is asked a batch of cases of one unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from bakeoff.contract import object_keys
from bakeoff.contract.stored import PreparedReader
from bakeoff.contract.stored_answers import encode_answers
from bakeoff.domain.answer import AnswerBatch, CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.challenge import left_out
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.ranking import Ranking
from bakeoff.domain.retrieval_steps import RETRIEVAL, fell_back
from bakeoff.domain.work import InferTask, ItemOutcome, Task
from bakeoff.inference.core import Answering, NoKnowledge, answer_cases
from bakeoff.inference.example_shelf import ExampleShelf
from bakeoff.inference.generator import Generator
from bakeoff.inference.likelihood_answers import answer_with_model
from bakeoff.inference.model_answers import Asking
from bakeoff.inference.recipe_model import asking_of
from bakeoff.inference.registries import generators
from bakeoff.inference.retrieval import KnowledgeRetriever
from bakeoff.inference.retrieving.opening import EngineOpener
from bakeoff.inference.retrieving.searching import OpenKnowledge
from bakeoff.models.access import ModelAccess
from bakeoff.models.choice import ModelChoice
from bakeoff.models.opening import models_of
from bakeoff.runtime.items import ItemContext, Result, StageHandler
from bakeoff.runtime.service import Deps


def make_handler(deps: Deps) -> StageHandler:
    """Return the handler of the stage."""
    models, examples = models_of(deps), ExampleShelf()
    engines = EngineOpener(remote_knowledge(deps), models)
    return StageHandler(
        Stage.INFER,
        lambda task: object_keys.answers(task.evaluation_id, task.item),
        lambda task, context: infer(task, context, engines, models, examples),
    )


def remote_knowledge(deps: Deps) -> OpenKnowledge:
    """Return what opens the knowledge bases of the knowledge service."""
    return lambda kb_id, mode, text_ranks: KnowledgeRetriever(deps.peers.channel("knowledge"), kb_id, mode, text_ranks)


def infer(
    task: Task,
    context: ItemContext,
    engines: EngineOpener,
    models: ModelAccess,
    examples: ExampleShelf,
) -> Result:
    """Ask one entrant a batch of cases.

    Args:
        task: The item.
        context: What it may use.
        engines: Opens knowledge bases.
        models: Opens models.
        examples: Remembers examples between items.

    Raises:
        NotFoundError: the knowledge base, the generator or an object does not exist.
        InvalidInputError: a setting, the template or the choice of examples is wrong, or a key is missing.
        OutOfReachError: a part of the platform does not answer.
    """
    body = task.body
    if not isinstance(body, InferTask):
        raise TypeError(f"an infer task has a {type(body).__name__}")
    prepared = PreparedReader.open(context.objects, body.prepared)
    cases = tuple(prepared.cases(body.cases_start, body.cases_stop))
    asked = tuple(case for case in cases if not left_out(case))
    open_knowledge = engines.on_behalf(seed=body.seed, scope=task.evaluation_id, step=context.begin)
    build = context.fact(Stage.BUILD, body.build_item) if body.mode else None
    if build is not None and build.outcome is ItemOutcome.FAILED:
        unknown = Failure(FailureKind.INFRASTRUCTURE, "the knowledge base was not built, for a reason not recorded")
        answers = tuple(CaseAnswer(case.case_id, failure=build.failure or unknown) for case in cases)
    else:
        generator = generators.make(body.answer.generator) if body.answer else None
        if body.answer and isinstance(generator, ModelChoice):
            asking = asking_of(
                body.answer,
                generator,
                models,
                examples.of(prepared),
                seed=body.seed,
                scope=task.evaluation_id,
                waiting=context.waiting,
            )
            answers = _with_model(body, asked, context, open_knowledge, asking)
        else:
            answers = _answers(body, asked, context, open_knowledge, cast(Generator | None, generator))
        answers = _with_left_out(cases, answers)

    batch = AnswerBatch(body.benchmark, body.unit_id, str(body.entrant), body.kb_id, answers)
    return Result(encode_answers(batch), counts=_counts(answers))


def _with_left_out(cases: Sequence[Case], answers: Sequence[CaseAnswer]) -> tuple[CaseAnswer, ...]:
    """Return the answers at the places of their cases; those that are left out by choice have one without words."""
    asked = iter(answers)
    return tuple(
        CaseAnswer(case.case_id, metadata={"left_out": reason}) if (reason := left_out(case)) else next(asked)
        for case in cases
    )


def _answers(
    body: InferTask,
    cases: tuple[Case, ...],
    context: ItemContext,
    open_knowledge: OpenKnowledge,
    generator: Generator | None,
) -> tuple[CaseAnswer, ...]:
    answering = Answering(generator, body.answer.passages if body.answer else 0, body.seed, body.text_ranks)
    retrieve = open_knowledge(body.kb_id, body.mode, answering.needed_texts) if body.mode else NoKnowledge()
    return answer_cases(cases, retrieve, answering, begin=context.begin, one_by_one=context.isolated)


def _with_model(
    body: InferTask, cases: tuple[Case, ...], context: ItemContext, open_knowledge: OpenKnowledge, asking: Asking
) -> tuple[CaseAnswer, ...]:
    """Retrieve first, with the texts that the prompts show; then ask the model all cases at once.

    Raises:
        InvalidInputError: the recipe's prompt can be made for none of the cases.
    """
    asking.prompting.check(cases)
    shown = replace(body, text_ranks=max(body.text_ranks, asking.passages))
    retrieved = _answers(shown, cases, context, open_knowledge, None)
    answers = answer_with_model(cases, retrieved, asking, first=body.cases_start, step=context.begin)
    return tuple(
        replace(answer, passages=Ranking.of(answer.passages).with_texts(body.text_ranks)) for answer in answers
    )


def _counts(answers: Sequence[CaseAnswer]) -> dict[str, int]:
    counts = {"cases": len(answers), "failed_cases": sum(answer.failure is not None for answer in answers)}
    asked = [answer.usage for answer in answers if answer.usage is not None]
    if asked:
        counts["model_calls"] = sum(usage.attempts for usage in asked)
        counts["stored_answers"] = sum(usage.attempts == 0 for usage in asked)
    searched = [answer.retrieval_usage for answer in answers if answer.retrieval_usage is not None]
    if searched:
        counts["retrieval_calls"] = sum(usage.attempts for usage in searched)
        counts["stored_retrievals"] = sum(usage.attempts == 0 for usage in searched)
        counts["retrieval_fallbacks"] = sum(fell_back(answer.metadata.get(RETRIEVAL)) for answer in answers)
    return counts

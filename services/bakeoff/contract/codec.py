"""The only bridge between the domain's nouns and the wire's messages: a pair of functions for each noun."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TypeVar

from google.protobuf import json_format, struct_pb2
from google.protobuf.timestamp_pb2 import Timestamp

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind, Passage, Span, Timing
from bakeoff.domain.benchmark import BenchmarkChoice, BenchmarkManifest, BuildScope, Case, Evidence, Expected
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec, Setting
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import (
    EvaluationOptions,
    EvaluationRequest,
    EvaluationState,
    EvaluationStatus,
    ObjectRef,
    Stage,
    StageProgress,
)
from bakeoff.domain.prompt import Usage
from bakeoff.domain.ranking import Ranking, RankingColumns, SourceColumns, SourceTable
from bakeoff.domain.recipe import AnswerPart, BuildPart, Entrant, QueryMode, Recipe
from bakeoff.domain.score import CaseScores, Outcome, Score
from bakeoff.v1 import answer_pb2, benchmark_pb2, component_pb2, evaluation_pb2, object_pb2, recipe_pb2, score_pb2

E = TypeVar("E", bound=StrEnum)


# --- values -----------------------------------------------------------------------------------------------------------


def enum_to_wire(value: StrEnum, prefix: str, kind: object) -> int:
    """Return the number of a domain enum's value in the wire's enum, whose names are the prefix and the value."""
    return int(kind.Value(f"{prefix}_{value.name}"))  # type: ignore[attr-defined]  # generated wrapper


def enum_from_wire(number: int, prefix: str, kind: object, domain: type[E]) -> E:
    """Return the domain enum's value of a wire number.

    Raises:
        InvalidInputError: the number is unspecified or unknown.
    """
    try:
        name = kind.Name(number)  # type: ignore[attr-defined]  # generated wrapper
        return domain[name.removeprefix(f"{prefix}_")]
    except (ValueError, KeyError):
        allowed = ", ".join(member.name for member in domain)
        raise InvalidInputError(f"{prefix.lower()} {number} is not known; allowed: {allowed}") from None


def time_to_wire(text: str) -> Timestamp | None:
    """Return an RFC 3339 time as a timestamp; None when it is empty."""
    if not text:
        return None
    stamp = Timestamp()
    stamp.FromJsonString(text)
    return stamp


def time_from_wire(stamp: Timestamp) -> str:
    """Return a timestamp as RFC 3339 in UTC; empty for the zero time, which means absent."""
    return stamp.ToJsonString() if stamp.seconds or stamp.nanos else ""


def now() -> str:
    """Return the time now as RFC 3339 in UTC, with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def struct_to_wire(value: Mapping[str, object]) -> struct_pb2.Struct:
    """Return JSON values as a Struct. Whole numbers come back as whole numbers, up to 2^53."""
    return json_format.ParseDict(dict(value), struct_pb2.Struct())


def struct_from_wire(struct: struct_pb2.Struct) -> dict[str, object]:
    """Return a Struct as JSON values."""
    return {key: value_from_wire(item) for key, item in struct.fields.items()}


def value_to_wire(value: Any) -> struct_pb2.Value:
    """Return one JSON value."""
    return json_format.ParseDict(value, struct_pb2.Value())


def value_from_wire(value: struct_pb2.Value) -> object:
    """Return one JSON value; a number without a fraction becomes an int."""
    match value.WhichOneof("kind"):
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() and abs(number) < 2**53 else number
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "struct_value":
            return struct_from_wire(value.struct_value)
        case "list_value":
            return [value_from_wire(item) for item in value.list_value.values]
        case _:
            return None


def object_ref_to_wire(ref: ObjectRef) -> object_pb2.ObjectRef:
    """Return the message of an object reference."""
    return object_pb2.ObjectRef(key=ref.key, sha256=ref.sha256, size_bytes=ref.size_bytes)


def object_ref_from_wire(message: object_pb2.ObjectRef) -> ObjectRef:
    """Return the object reference of a message.

    Raises:
        InvalidInputError: it names no key or no digest.
    """
    if not message.key or len(message.sha256) != 64:
        raise InvalidInputError(
            f"an object reference needs a key and 64 digits of SHA-256, not {message.key!r}, {message.sha256!r}"
        )
    return ObjectRef(message.key, message.sha256, message.size_bytes)


def span_to_wire(span: Span | None) -> object_pb2.Span | None:
    """Return the message of a span; None stays None."""
    return None if span is None else object_pb2.Span(start=span.start, stop=span.stop)


def span_from_wire(message: object_pb2.Span) -> Span:
    """Return the span of a message."""
    return Span(message.start, message.stop)


# --- components -------------------------------------------------------------------------------------------------------


def setting_to_wire(setting: Setting) -> component_pb2.ComponentSetting:
    """Return the message of a component's setting."""
    return component_pb2.ComponentSetting(
        name=setting.name,
        type=setting.type,
        default_value=None if setting.required else value_to_wire(setting.default),
        required=setting.required,
        minimum=setting.minimum,
        maximum=setting.maximum,
        choices=[value_to_wire(choice) for choice in setting.choices],
        below=setting.below or "",
        doc=setting.doc,
        nullable=setting.nullable,
    )


def setting_from_wire(message: component_pb2.ComponentSetting) -> Setting:
    """Return the setting of a message."""
    return Setting(
        message.name,
        message.type,
        value_from_wire(message.default_value) if message.HasField("default_value") else None,
        message.required,
        message.minimum if message.HasField("minimum") else None,
        message.maximum if message.HasField("maximum") else None,
        tuple(value_from_wire(choice) for choice in message.choices),
        message.below or None,
        message.doc,
        message.nullable,
    )


def component_card_to_wire(card: ComponentCard) -> component_pb2.ComponentCard:
    """Return the message of a component's card."""
    return component_pb2.ComponentCard(
        kind=enum_to_wire(card.kind, "COMPONENT_KIND", component_pb2.ComponentKind),  # type: ignore[arg-type]
        name=card.name,
        version=card.version,
        settings=[setting_to_wire(setting) for setting in card.settings],
        doc=card.doc,
        facts=struct_to_wire(card.facts),
    )


def component_card_from_wire(message: component_pb2.ComponentCard) -> ComponentCard:
    """Return the card of a message."""
    return ComponentCard(
        enum_from_wire(message.kind, "COMPONENT_KIND", component_pb2.ComponentKind, ComponentKind),
        message.name,
        message.version,
        tuple(setting_from_wire(setting) for setting in message.settings),
        message.doc,
        struct_from_wire(message.facts),
    )


# --- benchmarks -------------------------------------------------------------------------------------------------------


def benchmark_choice_to_wire(choice: BenchmarkChoice) -> benchmark_pb2.BenchmarkChoice:
    """Return the message of a chosen benchmark."""
    return benchmark_pb2.BenchmarkChoice(
        adapter=str(choice.adapter),
        name=choice.name,
        limit=choice.limit,
        evaluators=[str(spec) for spec in choice.evaluators],
    )


def benchmark_choice_from_wire(message: benchmark_pb2.BenchmarkChoice) -> BenchmarkChoice:
    """Return the chosen benchmark of a message.

    Raises:
        InvalidInputError: a signature cannot be read.
    """
    return BenchmarkChoice(
        ComponentSpec.parse(message.adapter),
        message.name,
        message.limit if message.HasField("limit") else None,
        tuple(ComponentSpec.parse(text) for text in message.evaluators),
    )


def manifest_to_wire(manifest: BenchmarkManifest) -> benchmark_pb2.BenchmarkManifest:
    """Return the message of a benchmark's manifest."""
    return benchmark_pb2.BenchmarkManifest(
        name=manifest.name,
        version=manifest.version,
        split=manifest.split,
        task_type=manifest.task_type,
        build_scope=enum_to_wire(manifest.build_scope, "BUILD_SCOPE", benchmark_pb2.BuildScope),  # type: ignore[arg-type]
        homepage=manifest.homepage,
        licence=manifest.licence,
        citation=manifest.citation,
        metadata=struct_to_wire(manifest.metadata),
    )


def manifest_from_wire(message: benchmark_pb2.BenchmarkManifest) -> BenchmarkManifest:
    """Return the manifest of a message."""
    return BenchmarkManifest(
        message.name,
        message.version,
        message.split,
        message.task_type,
        enum_from_wire(message.build_scope, "BUILD_SCOPE", benchmark_pb2.BuildScope, BuildScope),
        message.homepage,
        message.licence,
        message.citation,
        struct_from_wire(message.metadata),
    )


def evidence_to_wire(evidence: Evidence) -> benchmark_pb2.Evidence:
    """Return the message of a piece of evidence."""
    return benchmark_pb2.Evidence(
        reference_id=evidence.reference_id,
        locator=struct_to_wire(evidence.locator),
        text=evidence.text,
        relevance=evidence.relevance,
    )


def evidence_from_wire(message: benchmark_pb2.Evidence) -> Evidence:
    """Return the evidence of a message.

    Raises:
        InvalidInputError: it points nowhere.
    """
    return Evidence(message.reference_id, struct_from_wire(message.locator), message.text, message.relevance)


def expected_to_wire(expected: Expected) -> benchmark_pb2.Expected:
    """Return the message of what is expected."""
    return benchmark_pb2.Expected(
        answers=expected.answers,
        evidence=[evidence_to_wire(evidence) for evidence in expected.evidence],
        value=None if expected.value is None else value_to_wire(expected.value),
        metadata=struct_to_wire(expected.metadata),
    )


def expected_from_wire(message: benchmark_pb2.Expected) -> Expected:
    """Return what is expected by a message."""
    return Expected(
        tuple(message.answers),
        tuple(evidence_from_wire(evidence) for evidence in message.evidence),
        value_from_wire(message.value) if message.HasField("value") else None,
        struct_from_wire(message.metadata),
    )


def case_to_wire(case: Case) -> benchmark_pb2.Case:
    """Return the message of a case."""
    return benchmark_pb2.Case(
        case_id=case.case_id,
        query=case.query,
        expected=expected_to_wire(case.expected),
        labels=case.labels,
        metadata=struct_to_wire(case.metadata),
    )


def case_from_wire(message: benchmark_pb2.Case) -> Case:
    """Return the case of a message."""
    return Case(
        message.case_id,
        message.query,
        expected_from_wire(message.expected),
        dict(message.labels),
        struct_from_wire(message.metadata),
    )


# --- recipes ----------------------------------------------------------------------------------------------------------


def build_part_to_wire(build: BuildPart) -> recipe_pb2.BuildPart:
    """Return the message of a build part."""
    return recipe_pb2.BuildPart(
        parser=str(build.parser),
        chunker=str(build.chunker),
        embedder=str(build.embedder) if build.embedder else "",
        indexes=[str(index) for index in build.indexes],
    )


def build_part_from_wire(message: recipe_pb2.BuildPart) -> BuildPart:
    """Return the build part of a message; what is empty has its default.

    Raises:
        InvalidInputError: a signature cannot be read.
    """
    default = BuildPart()
    return BuildPart(
        ComponentSpec.parse(message.parser) if message.parser else default.parser,
        ComponentSpec.parse(message.chunker) if message.chunker else default.chunker,
        ComponentSpec.parse(message.embedder) if message.embedder else None,
        tuple(ComponentSpec.parse(text) for text in message.indexes) or default.indexes,
    )


def query_mode_to_wire(mode: QueryMode) -> recipe_pb2.QueryMode:
    """Return the message of a query mode."""
    return recipe_pb2.QueryMode(name=mode.name, engine=str(mode.engine), top_k=mode.top_k)


def query_mode_from_wire(message: recipe_pb2.QueryMode) -> QueryMode:
    """Return the query mode of a message; what is empty has its default.

    Raises:
        InvalidInputError: the engine cannot be read.
    """
    engine = ComponentSpec.parse(message.engine)
    return QueryMode(message.name or engine.name, engine, message.top_k or 100)


def answer_part_to_wire(answer: AnswerPart | None) -> recipe_pb2.AnswerPart | None:
    """Return the message of an answer part; None stays None."""
    if answer is None:
        return None
    return recipe_pb2.AnswerPart(
        generator=str(answer.generator),
        passages=answer.passages,
        template=answer.template,
        examples=str(answer.examples) if answer.examples else "",
        samples=answer.samples,
    )


def answer_part_from_wire(message: recipe_pb2.AnswerPart) -> AnswerPart:
    """Return the answer part of a message; what is empty has its default.

    Raises:
        InvalidInputError: the generator cannot be read.
    """
    default = AnswerPart(ComponentSpec.parse(message.generator))
    return AnswerPart(
        default.generator,
        message.passages or default.passages,
        message.template,
        ComponentSpec.parse(message.examples) if message.examples else None,
        message.samples or default.samples,
    )


def recipe_to_wire(recipe: Recipe) -> recipe_pb2.Recipe:
    """Return the message of a recipe."""
    return recipe_pb2.Recipe(
        name=recipe.name,
        build=build_part_to_wire(recipe.build),
        query=[query_mode_to_wire(mode) for mode in recipe.query],
        answer=answer_part_to_wire(recipe.answer),
    )


def recipe_from_wire(message: recipe_pb2.Recipe) -> Recipe:
    """Return the recipe of a message."""
    return Recipe(
        message.name,
        build_part_from_wire(message.build),
        tuple(query_mode_from_wire(mode) for mode in message.query),
        answer_part_from_wire(message.answer) if message.HasField("answer") else None,
    )


def entrant_to_wire(entrant: Entrant) -> recipe_pb2.Entrant:
    """Return the message of an entrant."""
    return recipe_pb2.Entrant(recipe=entrant.recipe, mode=entrant.mode)


def entrant_from_wire(message: recipe_pb2.Entrant) -> Entrant:
    """Return the entrant of a message."""
    return Entrant(message.recipe, message.mode)


# --- evaluations ------------------------------------------------------------------------------------------------------


def options_to_wire(options: EvaluationOptions) -> evaluation_pb2.EvaluationOptions:
    """Return the message of a run's options."""
    return evaluation_pb2.EvaluationOptions(
        seed=options.seed,
        batch_cases=options.batch_cases,
        concurrency=options.concurrency,
        confidence=options.confidence,
    )


def options_from_wire(message: evaluation_pb2.EvaluationOptions) -> EvaluationOptions:
    """Return the options of a message; what is zero has its default."""
    default = EvaluationOptions()
    return EvaluationOptions(
        message.seed,
        message.batch_cases or default.batch_cases,
        message.concurrency if message.HasField("concurrency") else None,
        message.confidence or default.confidence,
    )


def request_to_wire(request: EvaluationRequest) -> evaluation_pb2.EvaluationRequest:
    """Return the message of a request."""
    return evaluation_pb2.EvaluationRequest(
        name=request.name,
        benchmarks=[benchmark_choice_to_wire(choice) for choice in request.benchmarks],
        recipes=[recipe_to_wire(recipe) for recipe in request.recipes],
        options=options_to_wire(request.options),
        tenant=request.tenant,
        idempotency_key=request.idempotency_key,
    )


def request_from_wire(message: evaluation_pb2.EvaluationRequest) -> EvaluationRequest:
    """Return the request of a message; what is empty has its default.

    Raises:
        InvalidInputError: a signature cannot be read.
    """
    return EvaluationRequest(
        message.name,
        tuple(benchmark_choice_from_wire(choice) for choice in message.benchmarks),
        tuple(recipe_from_wire(recipe) for recipe in message.recipes),
        options_from_wire(message.options),
        message.tenant or "default",
        message.idempotency_key,
    )


def stage_to_wire(stage: Stage) -> int:
    """Return the wire's number of a stage."""
    return enum_to_wire(stage, "STAGE", evaluation_pb2.Stage)


def stage_from_wire(number: int) -> Stage:
    """Return the stage of a wire's number.

    Raises:
        InvalidInputError: it is unspecified or unknown.
    """
    return enum_from_wire(number, "STAGE", evaluation_pb2.Stage, Stage)


def evaluation_status_to_wire(status: EvaluationStatus) -> evaluation_pb2.Evaluation:
    """Return the message of an evaluation as it stands."""
    return evaluation_pb2.Evaluation(
        evaluation_id=status.evaluation_id,
        name=status.name,
        tenant=status.tenant,
        state=enum_to_wire(status.state, "EVALUATION_STATE", evaluation_pb2.EvaluationState),  # type: ignore[arg-type]
        stages=[
            evaluation_pb2.StageProgress(
                stage=stage_to_wire(stage.stage),  # type: ignore[arg-type]
                planned=stage.planned,
                done=stage.done,
                queued=stage.queued,
                failed=stage.failed,
                planned_cases=stage.planned_cases,
                done_cases=stage.done_cases,
            )
            for stage in status.stages
        ],
        reason=status.reason,
        submitted_at=time_to_wire(status.submitted_at),
        ended_at=time_to_wire(status.ended_at),
        report=object_ref_to_wire(status.report) if status.report else None,
    )


def evaluation_status_from_wire(message: evaluation_pb2.Evaluation) -> EvaluationStatus:
    """Return the evaluation as it stands of a message."""
    return EvaluationStatus(
        message.evaluation_id,
        message.name,
        message.tenant,
        enum_from_wire(message.state, "EVALUATION_STATE", evaluation_pb2.EvaluationState, EvaluationState),
        tuple(
            StageProgress(
                stage_from_wire(stage.stage),
                stage.planned,
                stage.done,
                stage.queued,
                stage.failed,
                stage.planned_cases,
                stage.done_cases,
            )
            for stage in message.stages
        ),
        message.reason,
        time_from_wire(message.submitted_at),
        time_from_wire(message.ended_at),
        object_ref_from_wire(message.report) if message.HasField("report") else None,
    )


# --- answers and scores -----------------------------------------------------------------------------------------------


def failure_to_wire(failure: Failure | None) -> answer_pb2.Failure | None:
    """Return the message of a failure; None stays None."""
    if failure is None:
        return None
    kind = enum_to_wire(failure.kind, "FAILURE_KIND", answer_pb2.FailureKind)
    return answer_pb2.Failure(kind=kind, reason=failure.reason)  # type: ignore[arg-type]


def failure_from_wire(message: answer_pb2.Failure) -> Failure:
    """Return the failure of a message."""
    return Failure(enum_from_wire(message.kind, "FAILURE_KIND", answer_pb2.FailureKind, FailureKind), message.reason)


def passage_to_wire(passage: Passage) -> answer_pb2.Passage:
    """Return the message of a passage."""
    return answer_pb2.Passage(
        rank=passage.rank,
        score=passage.score,
        document_id=passage.document_id,
        chunk_id=passage.chunk_id,
        raw_key=passage.raw_key,
        raw_sha256=passage.raw_sha256,
        chars=span_to_wire(passage.chars),
        raw_bytes=span_to_wire(passage.raw_bytes),
        pages=span_to_wire(passage.pages),
        text=passage.text,
    )


def passage_from_wire(message: answer_pb2.Passage) -> Passage:
    """Return the passage of a message."""
    return Passage(
        message.rank,
        message.score,
        message.document_id,
        message.chunk_id,
        message.raw_key,
        message.raw_sha256,
        span_from_wire(message.chars),
        span_from_wire(message.raw_bytes) if message.HasField("raw_bytes") else None,
        span_from_wire(message.pages) if message.HasField("pages") else None,
        message.text if message.HasField("text") else None,
    )


def ranking_sources_to_wire(sources: SourceTable) -> answer_pb2.RankingSources:
    """Return the message of a table of sources."""
    columns = sources.columns
    return answer_pb2.RankingSources(
        raw_keys=columns.raw_keys,
        raw_sha256s=columns.raw_sha256s,
        document_ids=columns.document_ids,
        originals=columns.originals,
        byte_starts=columns.byte_starts,
        byte_stops=columns.byte_stops,
    )


def ranking_sources_from_wire(message: answer_pb2.RankingSources) -> SourceTable:
    """Return the table of sources of a message."""
    return SourceTable(
        SourceColumns(
            list(message.raw_keys),
            list(message.raw_sha256s),
            list(message.document_ids),
            list(message.originals),
            list(message.byte_starts),
            list(message.byte_stops),
        )
    )


def ranking_to_wire(ranking: Ranking) -> answer_pb2.Ranking:
    """Return the message of a ranking's columns; its sources go beside it, once for all rankings of a batch."""
    columns = ranking.columns
    return answer_pb2.Ranking(
        sources=columns.sources,
        chunks=columns.chunks,
        scores=columns.scores,
        char_starts=columns.char_starts,
        char_stops=columns.char_stops,
        page_starts=columns.page_starts,
        page_stops=columns.page_stops,
        texts=columns.texts,
    )


def ranking_from_wire(message: answer_pb2.Ranking, sources: SourceTable) -> Ranking:
    """Return the ranking of a message of columns, over the sources that came with it."""
    return Ranking(
        sources,
        RankingColumns(
            list(message.sources),
            list(message.chunks),
            list(message.scores),
            list(message.char_starts),
            list(message.char_stops),
            list(message.page_starts),
            list(message.page_stops),
            list(message.texts),
        ),
    )


def usage_to_wire(usage: Usage) -> answer_pb2.Usage:
    """Return the message of what an answer took."""
    return answer_pb2.Usage(**{each.name: getattr(usage, each.name) for each in fields(usage)})


def usage_from_wire(message: answer_pb2.Usage) -> Usage:
    """Return what an answer took of a message."""
    known = {field.name: value for field, value in message.ListFields() if field.name != "attempts"}
    return Usage(attempts=message.attempts, **known)


def case_answer_to_wire(answer: CaseAnswer) -> answer_pb2.CaseAnswer:
    """Return the message of an answer."""
    return answer_pb2.CaseAnswer(
        case_id=answer.case_id,
        passages=[passage_to_wire(passage) for passage in answer.passages],
        text=answer.text,
        failure=failure_to_wire(answer.failure),
        retrieve_ms=answer.timing.retrieve_ms,
        generate_ms=answer.timing.generate_ms,
        metadata=struct_to_wire(answer.metadata),
        usage=usage_to_wire(answer.usage) if answer.usage else None,
        samples=answer.samples,
    )


def case_answer_from_wire(message: answer_pb2.CaseAnswer) -> CaseAnswer:
    """Return the answer of a message.

    Raises:
        InvalidInputError: a passage's score is not finite.
    """
    for passage in message.passages:
        if not math.isfinite(passage.score):
            raise InvalidInputError(
                f"case {message.case_id!r}: passage {passage.chunk_id!r} has the score {passage.score}; "
                "it must be finite"
            )
    return CaseAnswer(
        message.case_id,
        tuple(passage_from_wire(passage) for passage in message.passages),
        message.text if message.HasField("text") else None,
        failure_from_wire(message.failure) if message.HasField("failure") else None,
        Timing(
            message.retrieve_ms if message.HasField("retrieve_ms") else None,
            message.generate_ms if message.HasField("generate_ms") else None,
        ),
        struct_from_wire(message.metadata),
        usage_from_wire(message.usage) if message.HasField("usage") else None,
        tuple(message.samples),
    )


def score_to_wire(score: Score) -> score_pb2.Score:
    """Return the message of a score."""
    return score_pb2.Score(
        metric=score.metric,
        outcome=enum_to_wire(score.outcome, "OUTCOME", score_pb2.Outcome),  # type: ignore[arg-type]
        value=score.value,
        reason=score.reason,
        failure=failure_to_wire(score.failure),
    )


def score_from_wire(message: score_pb2.Score) -> Score:
    """Return the score of a message."""
    return Score(
        message.metric,
        enum_from_wire(message.outcome, "OUTCOME", score_pb2.Outcome, Outcome),
        message.value if message.HasField("value") else None,
        message.reason,
        failure_from_wire(message.failure) if message.HasField("failure") else None,
    )


def case_scores_to_wire(scores: CaseScores) -> score_pb2.CaseScores:
    """Return the message of a case's scores. Details stay behind: they are for the report."""
    return score_pb2.CaseScores(case_id=scores.case_id, scores=[score_to_wire(score) for score in scores.scores])


def case_scores_from_wire(message: score_pb2.CaseScores) -> CaseScores:
    """Return the scores of a message."""
    return CaseScores(message.case_id, tuple(score_from_wire(score) for score in message.scores))

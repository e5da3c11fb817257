"""Every noun survives the wire, and every stored noun its JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.contract import codec, work_codec
from bakeoff.contract.stored import decode, encode
from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind, Passage, Span, Timing
from bakeoff.domain.benchmark import BenchmarkChoice, BenchmarkManifest, BuildScope, Case, Evidence, Expected
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec, Setting
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import (
    Download,
    EvaluationOptions,
    EvaluationRequest,
    EvaluationState,
    EvaluationStatus,
    ObjectRef,
    Rescoring,
    Stage,
    StageProgress,
)
from bakeoff.domain.prompt import Usage
from bakeoff.domain.recipe import AnswerPart, BuildPart, Continuation, Entrant, LikelihoodPart, QueryMode, Recipe
from bakeoff.domain.score import CaseScores, Outcome, Score
from bakeoff.domain.trace import BenchmarkRevision, DocumentUse, TracedAnswer, TracedDocument
from bakeoff.domain.work import (
    BuildTask,
    DoneFact,
    InferTask,
    IngestTask,
    ItemOutcome,
    PrepareTask,
    ReportTask,
    ScoreTask,
    Task,
)
from bakeoff.v1 import recipe_pb2

text = st.text(st.characters(codec="utf-8"), max_size=20)
some = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
counts = st.integers(0, 2**31)
numbers = st.floats(allow_nan=False, allow_infinity=False)
# On the wire a whole number and a float of the same value are one: JSON does not tell them apart either.
scalars = st.none() | st.booleans() | st.integers(-(2**52), 2**52) | text
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(text, inner, max_size=2), max_leaves=4
)
structs = st.dictionaries(text, json_values, max_size=2)
names = st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True)
times = st.just("") | st.just("2026-01-02T03:04:05.678Z")

specs = st.builds(ComponentSpec, names, st.dictionaries(names, json_values, max_size=2))
some_specs = st.lists(specs, max_size=2).map(tuple)
refs = st.builds(ObjectRef, some, st.from_regex(r"[0-9a-f]{64}", fullmatch=True), counts)
spans = st.builds(Span, counts, counts)
failures = st.builds(Failure, st.sampled_from(FailureKind), text)
evidence = st.builds(Evidence, some, structs, text, st.integers(-3, 9))
expected = st.builds(
    Expected, st.lists(text, max_size=2).map(tuple), st.lists(evidence, max_size=2).map(tuple), scalars, structs
)
choices = st.builds(BenchmarkChoice, specs, text, st.none() | st.integers(1, 99), some_specs)
builds = st.builds(BuildPart, specs, specs, st.none() | specs, st.lists(specs, min_size=1, max_size=2).map(tuple))
modes = st.builds(QueryMode, some, specs, st.integers(1, 999))
likelihood_parts = st.builds(LikelihoodPart, st.sampled_from(Continuation), text, st.booleans())
answer_parts = st.builds(
    AnswerPart, specs, st.integers(1, 99), text, st.none() | specs, st.integers(1, 99), st.none() | likelihood_parts
)
recipes = st.builds(Recipe, text, builds, st.lists(modes, max_size=2).map(tuple), st.none() | answer_parts)
options = st.builds(
    EvaluationOptions, st.integers(-9, 9), st.integers(1, 999), st.none() | st.integers(1, 99), st.floats(0.5, 0.99)
)
entrants = st.builds(Entrant, text, text)
passages = st.builds(
    Passage, counts, numbers, text, text, text, text, spans, st.none() | spans, st.none() | spans, st.none() | text
)
maybe_numbers = st.none() | numbers
scores = st.builds(Score, text, st.sampled_from(Outcome), maybe_numbers, text, st.none() | failures, maybe_numbers)
progress = st.builds(StageProgress, st.sampled_from(Stage), counts, counts, counts, counts, counts, counts)
downloads = st.builds(Download, text, text, counts, st.none() | counts)
cards = st.builds(
    ComponentCard,
    st.sampled_from(ComponentKind),
    names,
    text,
    st.lists(
        st.builds(
            Setting,
            names,
            text,
            scalars,
            st.just(False),
            st.none() | numbers,
            st.none() | numbers,
            st.lists(scalars, max_size=2).map(tuple),
            st.none() | names,
            text,
            st.booleans(),
        ),
        max_size=2,
    ).map(tuple),
    text,
    structs,
)
some_numbers = st.none() | numbers
some_counts = st.none() | counts
usages = st.builds(
    Usage, some_counts, some_counts, some_counts, some_numbers, counts, some_numbers, some_numbers, some_numbers
)
case_answers = st.builds(
    CaseAnswer,
    text,
    st.lists(passages, max_size=2).map(tuple),
    st.none() | text,
    st.none() | failures,
    st.builds(Timing, st.none() | numbers, st.none() | numbers),
    structs,
    st.none() | usages,
    st.lists(text, max_size=2).map(tuple),
)

ROUND_TRIPS: list[tuple[str, st.SearchStrategy[Any], Callable[[Any], Any], Callable[[Any], Any]]] = [
    ("object_ref", refs, codec.object_ref_to_wire, codec.object_ref_from_wire),
    ("component_card", cards, codec.component_card_to_wire, codec.component_card_from_wire),
    ("benchmark_choice", choices, codec.benchmark_choice_to_wire, codec.benchmark_choice_from_wire),
    (
        "manifest",
        st.builds(BenchmarkManifest, text, text, text, text, st.sampled_from(BuildScope), text, text, text, structs),
        codec.manifest_to_wire,
        codec.manifest_from_wire,
    ),
    (
        "case",
        st.builds(Case, text, text, expected, st.dictionaries(text, text, max_size=2), structs),
        codec.case_to_wire,
        codec.case_from_wire,
    ),
    ("recipe", recipes, codec.recipe_to_wire, codec.recipe_from_wire),
    ("entrant", entrants, codec.entrant_to_wire, codec.entrant_from_wire),
    (
        "request",
        st.builds(
            EvaluationRequest,
            text,
            st.lists(choices, max_size=2).map(tuple),
            st.lists(recipes, max_size=2).map(tuple),
            options,
            some,
            text,
            st.none() | st.builds(Rescoring, text, some_specs, st.booleans()),
        ),
        codec.request_to_wire,
        codec.request_from_wire,
    ),
    (
        "evaluation_status",
        st.builds(
            EvaluationStatus,
            text,
            text,
            text,
            st.sampled_from(EvaluationState),
            st.lists(progress, max_size=2).map(tuple),
            text,
            times,
            times,
            st.none() | refs,
            st.lists(downloads, max_size=2).map(tuple),
        ),
        codec.evaluation_status_to_wire,
        codec.evaluation_status_from_wire,
    ),
    ("case_answer", case_answers, codec.case_answer_to_wire, codec.case_answer_from_wire),
    (
        "case_scores",
        st.builds(CaseScores, text, st.lists(scores, max_size=2).map(tuple)),
        codec.case_scores_to_wire,
        codec.case_scores_from_wire,
    ),
    (
        "traced_answer",
        st.builds(
            TracedAnswer,
            st.builds(BenchmarkRevision, text, text, text, text, text, st.dictionaries(text, text, max_size=2)),
            text,
            text,
            text,
            text,
            text,
            text,
            text,
            case_answers,
            st.lists(st.builds(TracedDocument, text, text, text, text, text), max_size=2).map(tuple),
        ),
        codec.traced_answer_to_wire,
        codec.traced_answer_from_wire,
    ),
    (
        "document_use",
        st.builds(DocumentUse, text, text, text, text, counts, text, spans, st.none() | spans),
        codec.document_use_to_wire,
        codec.document_use_from_wire,
    ),
]


@pytest.mark.parametrize(
    ("strategy", "to_wire", "from_wire"), [row[1:] for row in ROUND_TRIPS], ids=[row[0] for row in ROUND_TRIPS]
)
def test_every_noun_survives_the_wire(
    strategy: st.SearchStrategy[Any], to_wire: Callable[[Any], Any], from_wire: Callable[[Any], Any]
) -> None:
    @settings(max_examples=40, deadline=None)
    @given(strategy)
    def survives(noun: object) -> None:
        message = to_wire(noun)
        arrived = type(message).FromString(message.SerializeToString())
        assert from_wire(arrived) == noun

    survives()


bodies = {
    Stage.PREPARE: st.builds(PrepareTask, choices),
    Stage.INGEST: st.builds(IngestTask, refs, st.integers(0, 99)),
    Stage.BUILD: st.builds(
        BuildTask,
        refs,
        text,
        text,
        builds,
        st.dictionaries(text, text, max_size=2),
        st.lists(text, max_size=2).map(tuple),
    ),
    Stage.INFER: st.builds(
        InferTask,
        refs,
        text,
        text,
        entrants,
        text,
        text,
        counts,
        counts,
        modes,
        st.none() | answer_parts,
        st.integers(-9, 9),
        counts,
    ),
    Stage.SCORE: st.builds(ScoreTask, refs, text, text, entrants, counts, counts, text, some_specs, st.integers(-9, 9)),
    Stage.REPORT: st.builds(ReportTask, refs),
}


@pytest.mark.parametrize("stage", Stage)
def test_every_task_survives_the_bus(stage: Stage) -> None:
    @settings(max_examples=40, deadline=None)
    @given(st.builds(Task, some, text, st.just(stage), some, bodies[stage]))
    def survives(task: Task) -> None:
        assert work_codec.task_from_bytes(work_codec.task_to_bytes(task)) == task

    survives()


@settings(max_examples=40, deadline=None)
@given(
    st.builds(
        DoneFact,
        text,
        st.sampled_from(Stage),
        text,
        st.sampled_from(ItemOutcome),
        st.none() | refs,
        st.none() | failures,
        times,
        numbers,
        counts,
        st.dictionaries(text, counts, max_size=2),
        text,
    )
)
def test_every_fact_survives_the_bus(fact: DoneFact) -> None:
    assert work_codec.done_fact_from_bytes(work_codec.done_fact_to_bytes(fact)) == fact


@settings(max_examples=40, deadline=None)
@given(st.builds(Case, text, text, expected, st.dictionaries(text, text, max_size=2), structs))
def test_what_is_stored_reads_back_and_equal_nouns_are_equal_bytes(case: Case) -> None:
    assert decode(encode(case), Case) == case
    assert encode(decode(encode(case), Case)) == encode(case)


def test_bytes_that_are_no_task_are_refused_and_not_guessed() -> None:
    for data in (b"", b"\xff\xff\xff", b"hello"):
        with pytest.raises(InvalidInputError):
            work_codec.task_from_bytes(data)


def test_a_score_that_is_no_number_does_not_come_in() -> None:
    message = codec.case_answer_to_wire(CaseAnswer("c1", (Passage(1, 1.0, "d", "d#0", "k", "s", Span(0, 1)),)))
    message.passages[0].score = float("nan")
    with pytest.raises(InvalidInputError, match=r"'c1'.*'d#0'.*nan"):
        codec.case_answer_from_wire(message)


def test_a_continuation_that_there_is_not_is_told_with_those_that_there_are() -> None:
    message = recipe_pb2.AnswerPart(generator="openai", likelihood=recipe_pb2.LikelihoodPart(continuation="words"))
    with pytest.raises(InvalidInputError) as caught:
        codec.answer_part_from_wire(message)
    assert str(caught.value.violations[0]) == "likelihood.continuation: must be one of text, letter, not 'words'"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bakeoff.contract.stored_answers import decode_answers
from bakeoff.domain.answer import AnswerBatch, Failure, FailureKind
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import NotFoundError
from bakeoff.domain.recipe import AnswerPart, QueryMode
from bakeoff.domain.work import Task
from bakeoff.inference.core import Retrieve, Retrieved
from bakeoff.inference.example_shelf import ExampleShelf
from bakeoff.inference.handlers import infer, make_handler
from bakeoff.inference.registries import generators
from bakeoff.inference.retrieving.opening import EngineOpener
from bakeoff.models.access import ModelAccess
from bakeoff.runtime.items import Result
from bakeoff.runtime.memory_bus import MemoryBus
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.service import Deps, Peers
from bakeoff.runtime.settings import Settings
from tests.builders import a_case, a_passage
from tests.unit.inference.stored_cases import FakeContext, built, infer_task, store_cases

CASES = [a_case(f"c{number}", question=f"Where is boat {number}?") for number in range(5)]
QUOTES = AnswerPart(ComponentSpec("extractive"), passages=3)


class TwoPassages:
    """Finds two passages for every question."""

    def __init__(self, calls: list[list[str]]) -> None:
        self._calls = calls

    def ready(self) -> None:
        """It always is."""

    def __call__(self, queries: Sequence[str]) -> list[Retrieved]:
        self._calls.append(list(queries))
        found = (a_passage("d1", rank=1, text="The boat is at sea."), a_passage("d2", rank=2, text="Land."))
        return [Retrieved(found, retrieve_ms=1.0) for _ in queries]


class Knowledge:
    """Opens a knowledge base that finds two passages, and remembers how it was asked."""

    def __init__(self) -> None:
        self.opened: list[tuple[str, str, int]] = []
        self.calls: list[list[str]] = []

    def __call__(self, kb_id: str, mode: QueryMode, text_ranks: int) -> Retrieve:
        self.opened.append((kb_id, mode.name, text_ranks))
        return TwoPassages(self.calls)


def run(context: FakeContext, knowledge: Knowledge, **changes: Any) -> tuple[Result, AnswerBatch]:
    generators.load()
    task = infer_task(store_cases(context.objects, CASES), **{"stop": 5, **changes})
    models = ModelAccess(Settings())
    result = infer(task, context, EngineOpener(knowledge, models), models, ExampleShelf())
    return result, decode_answers(result.data)


def test_the_batch_has_an_answer_for_each_planned_case_in_order() -> None:
    result, batch = run(FakeContext(), Knowledge(), start=1, stop=4, answer=QUOTES, text_ranks=1)

    assert (batch.benchmark, batch.unit_id, batch.entrant, batch.kb_id) == (
        "harbour",
        "u1",
        "bm25/full_text_search",
        "kb-1",
    )
    assert [answer.case_id for answer in batch.answers] == ["c1", "c2", "c3"]
    assert [answer.text for answer in batch.answers] == ["The boat is at sea."] * 3
    assert [passage.text for passage in batch.answers[0].passages] == ["The boat is at sea.", None]
    assert result.counts == {"cases": 3, "failed_cases": 0}


def test_the_knowledge_base_is_asked_in_the_mode_of_the_entrant_for_the_texts_that_are_needed() -> None:
    knowledge = Knowledge()

    run(FakeContext(), knowledge, answer=QUOTES, text_ranks=1)

    assert knowledge.opened == [("kb-1", "full_text_search", 3)]
    assert knowledge.calls == [[case.query for case in CASES]]


def test_without_an_answer_part_there_are_no_answers() -> None:
    _, batch = run(FakeContext(), Knowledge())

    assert [answer.text for answer in batch.answers] == [None] * 5


def test_when_the_knowledge_base_was_not_built_every_case_fails_for_that_reason() -> None:
    failure = Failure(FailureKind.PARSE, "document 'd1' is no PDF")
    knowledge = Knowledge()

    result, batch = run(FakeContext(build=built(failure)), knowledge)

    assert [answer.failure for answer in batch.answers] == [failure] * 5
    assert [answer.case_id for answer in batch.answers] == [case.case_id for case in CASES]
    assert result.counts == {"cases": 5, "failed_cases": 5}
    assert knowledge.opened == []


def test_an_isolated_item_asks_its_cases_one_by_one() -> None:
    failure = Failure(FailureKind.INFRASTRUCTURE, "the case killed the process that worked on it (signal SIGKILL)")
    knowledge = Knowledge()

    _, batch = run(FakeContext(isolated=True, poisoned={"c2": failure}), knowledge)

    assert [answer.failure for answer in batch.answers] == [None, None, failure, None, None]
    assert knowledge.calls == [[case.query] for case in CASES if case.case_id != "c2"]


def test_an_unknown_generator_gives_the_item_up() -> None:
    with pytest.raises(NotFoundError, match="extractive"):
        run(FakeContext(), Knowledge(), answer=AnswerPart(ComponentSpec("extractiv")))


def test_two_runs_differ_in_nothing_but_times() -> None:
    def timeless(batch: AnswerBatch) -> list[object]:
        return [(each.case_id, each.passages, each.text, each.failure, each.metadata) for each in batch.answers]

    first, second = (run(FakeContext(), Knowledge(), answer=QUOTES, text_ranks=2)[1] for _ in range(2))

    assert timeless(first) == timeless(second)


def test_the_result_goes_where_answers_are_kept() -> None:
    task: Task = infer_task(store_cases(FakeContext().objects, CASES), stop=5)

    deps = Deps(Settings(), MemoryObjects(), MemoryBus(), Peers({}))
    assert make_handler(deps).result_key(task) == "evaluations/ev-1/answers/infer-0.json"

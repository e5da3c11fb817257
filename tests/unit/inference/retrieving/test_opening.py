"""Engines over engines, and how their models are asked: seeds of the case, schemas where they are taken, keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, cast

import pytest

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import CancelledItemError, InvalidInputError
from bakeoff.domain.prompt import Completion, Prompt, Usage
from bakeoff.domain.recipe import QueryMode
from bakeoff.inference import core
from bakeoff.inference.core import Answering, answer_cases
from bakeoff.inference.registries import engines, rerankers
from bakeoff.inference.retrieving.model_asking import step_seed
from bakeoff.inference.retrieving.opening import EngineOpener
from bakeoff.models.access import ModelAccess
from bakeoff.models.asking import ModelRequest
from bakeoff.models.choice import ModelChoice
from bakeoff.runtime.settings import Settings
from tests.builders import a_case
from tests.unit.inference.retrieving.scripted import MODEL, USAGE, Knowledge

DOCUMENTS = {f"d{number}": f"boat number {number} of harbour {number % 3}" for number in range(8)}
CASES = [a_case(f"c{number}", question=f"ship {number}") for number in range(7)]


@dataclass
class Endpoint:
    """Models that say what a script makes of a prompt, and keep what they have said."""

    says: Callable[[str], str]
    takes_schema: bool = True
    asked: list[tuple[ModelChoice, ModelRequest]] = field(default_factory=list)
    refused: int = 0
    kept: dict[tuple[str, str, int | None], Completion] = field(default_factory=dict)

    def open(self, choice: ModelChoice) -> Any:
        return _Opened(self, choice)

    def open_lasting(self, choice: ModelChoice) -> Any:
        return self.open(choice)

    def answer(self, choice: ModelChoice, request: ModelRequest) -> Completion | Failure:
        key = (str(choice.settings.parameters), request.prompt.text, request.seed)
        if key in self.kept:
            return self.kept[key]
        if "response_format" in choice.settings.parameters and not self.takes_schema:
            self.refused += 1
            return Failure(FailureKind.INPUT, "response_format is not supported")
        self.asked.append((choice, request))
        return self.kept.setdefault(key, Completion(self.says(request.prompt.text), "stop", USAGE))


@dataclass
class _Opened:
    endpoint: Endpoint
    choice: ModelChoice

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Nothing is open."""

    async def recall(self, prompt: Prompt, *, seed: int | None, sample: int) -> Completion | None:
        return self.endpoint.kept.get((str(self.choice.settings.parameters), prompt.text, seed))

    def ask_all(self, requests: Sequence[ModelRequest], on_answer: Any, *, scope: str) -> None:
        for number, request in reversed(list(enumerate(requests))):
            on_answer(number, self.endpoint.answer(self.choice, request))


def script(told: str) -> str:
    if '"queries"' in told:
        number = told.partition("Question: ship ")[2][:1]
        return json.dumps({"queries": [f"boat {number}", f"harbour {number}"]})
    if '"enough"' in told:
        return json.dumps({"enough": "- harbour 1" in told, "query": "harbour 1"})
    return json.dumps({"ranking": [2, 1]})


def all_of_them(**changes: Any) -> ComponentSpec:
    """Return an engine of all: a model's order over hops over rewritten questions."""
    model = {**MODEL, **changes}
    rewrite = ComponentSpec("rewrite", {**model, "first": "full_text_search", "n": 2})
    multihop = ComponentSpec("multihop", {**model, "first": str(rewrite)})
    return ComponentSpec(
        "rerank", {"first": str(multihop), "reranker": str(ComponentSpec("llm", {**model, "window": 3, "step": 2}))}
    )


@pytest.fixture(autouse=True)
def _loaded() -> None:
    engines.load()
    rerankers.load()


def answers(endpoint: Endpoint, engine: ComponentSpec, cases: Sequence[Case] = CASES, **how: Any) -> list[CaseAnswer]:
    opener = EngineOpener(Knowledge(DOCUMENTS), cast(ModelAccess, endpoint))
    retrieve = opener.on_behalf(seed=how.pop("seed", 7))("kb-1", QueryMode("m", engine, 5), 2)
    return list(answer_cases(cases, retrieve, Answering(text_ranks=2), begin=lambda case_id="": None, **how))


def test_engines_stand_over_each_other_and_tell_of_each_other() -> None:
    (answer, *_) = answers(Endpoint(script), all_of_them())
    told = cast(dict[str, Any], answer.metadata["retrieval"])
    assert told["engine"] == "rerank"
    (hops,) = told["first"]
    assert (hops["engine"], hops["queries"]) == ("multihop", ["ship 0", "harbour 1"])
    assert [each["queries"] for each in hops["first"]] == [["boat 0", "harbour 0"], ["boat", "harbour"]]
    assert len(answer.passages) == 5
    assert [each.text is not None for each in answer.passages] == [True, True, False, False, False]
    assert answer.retrieval_usage is not None
    assert answer.usage is None


def test_what_embedding_every_query_of_a_case_took_is_apart_from_what_models_took() -> None:
    took = Usage(7, 0, None, 0.25, 0)
    opener = EngineOpener(Knowledge(DOCUMENTS, embedding=took), cast(ModelAccess, Endpoint(script)))
    retrieve = opener.on_behalf(seed=7)("kb-1", QueryMode("m", all_of_them(), 5), 2)
    (answer,) = answer_cases(CASES[:1], retrieve, Answering(), begin=lambda case_id="": None)
    # Two hops, each over two rewritten questions; all four had been asked before.
    assert answer.embedding_usage == Usage(4 * 7, 0, None, 4 * 0.25, 0)
    assert answer.retrieval_usage is not None
    assert answer.retrieval_usage.attempts > 0


def parted(size: int) -> Iterator[Sequence[Case]]:
    return (CASES[start : start + size] for start in range(0, len(CASES), size))


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_answers_and_prompts_are_the_same_in_batches_of_any_size_and_one_by_one(size: int) -> None:
    whole, parts, alone = Endpoint(script), Endpoint(script), Endpoint(script)
    expected = answers(whole, all_of_them())
    assert [each for part in parted(size) for each in answers(parts, all_of_them(), part)] == expected
    assert answers(alone, all_of_them(), one_by_one=True) == expected
    prompts = [
        sorted((request.prompt.text, request.seed or 0) for _, request in each.asked) for each in (whole, parts, alone)
    ]
    assert prompts[0] == prompts[1] == prompts[2]


def test_seeds_are_of_the_evaluations_seed_the_case_and_the_step() -> None:
    endpoint = Endpoint(script)
    rewrite = ComponentSpec("rewrite", {**MODEL, "first": "full_text_search"})
    answers(endpoint, rewrite, seed=3)
    assert [request.seed for _, request in endpoint.asked[::-1]] != [None] * len(CASES)
    assert {request.seed for _, request in endpoint.asked} == {step_seed(3, case.case_id, "rewrite") for case in CASES}
    without = Endpoint(script)
    answers(without, ComponentSpec("rewrite", {**rewrite.settings, "send_seed": False}))
    assert {request.seed for _, request in without.asked} == {None}


def test_a_schema_that_is_refused_is_refused_once_and_what_was_said_without_is_found_again() -> None:
    endpoint = Endpoint(script, takes_schema=False)
    found = answers(endpoint, all_of_them())
    asked = len(endpoint.asked)
    assert endpoint.refused == 1
    assert not any("response_format" in choice.settings.parameters for choice, _ in endpoint.asked)
    assert answers(endpoint, all_of_them()) == found
    assert (len(endpoint.asked), endpoint.refused) == (asked, 1), "another process asks nothing again"
    plain = Endpoint(script, takes_schema=False)
    assert answers(plain, all_of_them(structured=False)) == found
    assert plain.refused == 0


def test_an_endpoint_that_takes_schemas_is_held_to_the_one_of_each_step() -> None:
    endpoint = Endpoint(script)
    answers(endpoint, all_of_them())
    schemas = [cast(Any, choice.settings.parameters["response_format"])["json_schema"] for choice, _ in endpoint.asked]
    assert {tuple(each["schema"]["properties"]) for each in schemas} == {
        ("queries",),
        ("enough", "query"),
        ("ranking",),
    }


def test_a_cancellation_ends_the_asking() -> None:
    def cancelled() -> None:
        raise CancelledItemError("the evaluation was cancelled")

    opener = EngineOpener(Knowledge(DOCUMENTS), cast(ModelAccess, Endpoint(script)))
    retrieve = opener.on_behalf(seed=0, step=cancelled)("kb-1", QueryMode("m", all_of_them(), 5), 2)
    with pytest.raises(CancelledItemError):
        answer_cases(CASES, retrieve, Answering(), begin=lambda case_id="": None)


def test_a_key_that_is_not_there_is_no_matter_of_a_case() -> None:
    opener = EngineOpener(Knowledge(DOCUMENTS), ModelAccess(Settings()))
    with pytest.raises(InvalidInputError, match="there is no key named 'nobody'"):
        opener.on_behalf(seed=0)("kb-1", QueryMode("m", all_of_them(key="nobody"), 5), 2)


def test_a_large_batch_is_searched_in_slices_and_the_same_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bakeoff.inference.retrieving.searching.BATCH_QUERIES", 3)
    knowledge = Knowledge(DOCUMENTS)
    opener = EngineOpener(knowledge, cast(ModelAccess, Endpoint(script)))
    engine = ComponentSpec("multihop_sentences", {"first": "full_text_search", "hops": 1})
    retrieve = opener.on_behalf(seed=0)("kb-1", QueryMode("m", engine, 5), 0)
    twice = [*CASES, *(a_case(f"again {case.case_id}", question=case.query) for case in CASES)]
    assert isinstance(retrieve, core.RetrieveCases)
    assert len(retrieve.for_cases(twice)) == len(twice)
    assert [len(each) for each in knowledge.queries] == [3, 3, 1]

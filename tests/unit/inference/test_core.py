from __future__ import annotations

from collections.abc import Sequence

import pytest

from bakeoff.domain.answer import Failure, FailureKind, Passage
from bakeoff.domain.errors import (
    CancelledItemError,
    InvalidInputError,
    NotFoundError,
    OutOfReachError,
)
from bakeoff.inference.core import BATCH_QUERIES, Answering, Retrieved, answer_cases
from bakeoff.inference.generator import Generated
from tests.builders import a_case, a_passage
from tests.unit.inference.stored_cases import FakeContext

CASES = [a_case(f"c{number}", question=f"question {number}") for number in range(4)]


class Shelf:
    """Finds two passages for every question, and fails as told: by question, with an error or a failure."""

    def __init__(self, troubles: dict[str, Exception | Failure] | None = None, *, says_ready: bool = False) -> None:
        self.troubles = troubles or {}
        self.says_ready = says_ready
        self.calls: list[list[str]] = []

    def ready(self) -> None:
        if self.says_ready:
            self.calls.append(["ready?"])

    def __call__(self, queries: Sequence[str]) -> list[Retrieved]:
        self.calls.append(list(queries))
        for query in queries:
            trouble = self.troubles.get(query)
            if isinstance(trouble, Exception):
                raise trouble
        return [self._found(query) for query in queries]

    def _found(self, query: str) -> Retrieved:
        trouble = self.troubles.get(query)
        if isinstance(trouble, Failure):
            return Retrieved(failure=trouble, retrieve_ms=1.0)
        found = (a_passage("d1", rank=1, text=f"about {query}"), a_passage("d2", rank=2, text="else"))
        return Retrieved(found, retrieve_ms=1.0)


class Echo:
    """Answers with the first passage's text, and raises as told, by case."""

    def __init__(self, troubles: dict[str, BaseException | object] | None = None) -> None:
        self.troubles = troubles or {}
        self.seen: list[tuple[str, tuple[Passage, ...], int]] = []

    def generate(self, question: str, passages: Sequence[Passage], *, seed: int, case_id: str) -> Generated:
        self.seen.append((case_id, tuple(passages), seed))
        trouble = self.troubles.get(case_id)
        if isinstance(trouble, BaseException):
            raise trouble
        if trouble is not None:
            return trouble  # type: ignore[return-value]  # that is the trouble
        return Generated(passages[0].text or "" if passages else "", {"from": case_id})


def test_every_case_has_its_answer_in_the_order_asked() -> None:
    answers = answer_cases(CASES, Shelf(), Answering(Echo()), begin=FakeContext().begin)

    assert [answer.case_id for answer in answers] == ["c0", "c1", "c2", "c3"]
    assert [answer.text for answer in answers] == [f"about question {number}" for number in range(4)]
    assert answers[1].metadata == {"from": "c1"}
    assert answers[1].timing.retrieve_ms == 1.0
    assert answers[1].timing.generate_ms is not None


def test_questions_are_retrieved_together() -> None:
    shelf = Shelf()
    cases = [a_case(f"c{number}", question=f"q{number}") for number in range(BATCH_QUERIES + 1)]

    answers = answer_cases(cases, shelf, Answering(), begin=FakeContext().begin)

    assert len(answers) == BATCH_QUERIES + 1
    assert [len(call) for call in shelf.calls] == [BATCH_QUERIES, 1]


def test_without_a_generator_there_are_passages_and_no_answer() -> None:
    (answer, *_) = answer_cases(CASES, Shelf(), Answering(), begin=FakeContext().begin)

    assert answer.text is None
    assert answer.timing.generate_ms is None
    assert [passage.document_id for passage in answer.passages] == ["d1", "d2"]


def test_the_generator_sees_the_first_passages_and_the_seed() -> None:
    echo = Echo()

    answer_cases(CASES[:1], Shelf(), Answering(echo, passages=1, seed=7), begin=FakeContext().begin)

    ((case_id, passages, seed),) = echo.seen
    assert (case_id, [passage.rank for passage in passages], seed) == ("c0", [1], 7)


@pytest.mark.parametrize(("text_ranks", "kept"), [(0, [None, None]), (1, ["about question 0", None])])
def test_texts_beyond_those_asked_for_are_not_kept(text_ranks: int, kept: list[str | None]) -> None:
    answering = Answering(Echo(), passages=2, text_ranks=text_ranks)

    (answer,) = answer_cases(CASES[:1], Shelf(), answering, begin=FakeContext().begin)

    assert [passage.text for passage in answer.passages] == kept
    assert answer.text == "about question 0"


@pytest.mark.parametrize(
    ("answering", "needed"),
    [
        (Answering(), 0),
        (Answering(text_ranks=3), 3),
        (Answering(Echo(), passages=5, text_ranks=3), 5),
        (Answering(Echo(), passages=5, text_ranks=9), 9),
        (Answering(None, passages=5), 0),
    ],
)
def test_as_many_texts_are_needed_as_the_generator_or_the_report_wants(answering: Answering, needed: int) -> None:
    assert answering.needed_texts == needed


@pytest.mark.parametrize(
    ("error", "kind", "reason"),
    [
        (ValueError("no such thing"), FailureKind.MODEL, "ValueError: no such thing"),
        (InvalidInputError("question too long"), FailureKind.INPUT, "question too long"),
        (SystemExit(3), FailureKind.MODEL, "SystemExit: 3"),
        (RecursionError("deep"), FailureKind.MODEL, "RecursionError: deep"),
    ],
)
@pytest.mark.parametrize("one_by_one", [False, True])
def test_a_generator_that_raises_fails_that_case_alone(
    error: BaseException, kind: FailureKind, reason: str, one_by_one: bool
) -> None:
    answering = Answering(Echo({"c2": error}))

    answers = answer_cases(CASES, Shelf(), answering, begin=FakeContext().begin, one_by_one=one_by_one)

    assert [answer.failure for answer in answers] == [None, None, Failure(kind, reason), None]
    assert answers[2].passages == ()
    assert answers[2].text is None


@pytest.mark.parametrize(
    "answer",
    [
        Generated("lone surrogate \ud800"),
        Generated("x", {"value": object()}),
        Generated(3),  # type: ignore[arg-type]
        "no Generated",
    ],
)
def test_an_answer_that_cannot_be_stored_fails_that_case_alone(answer: object) -> None:
    answers = answer_cases(CASES, Shelf(), Answering(Echo({"c1": answer})), begin=FakeContext().begin)

    assert [each.failure.kind if each.failure else None for each in answers] == [None, FailureKind.PARSE, None, None]


@pytest.mark.parametrize("one_by_one", [False, True])
def test_retrieval_that_raises_fails_that_case_alone(one_by_one: bool) -> None:
    shelf = Shelf({"question 1": RuntimeError("bad bytes"), "question 2": InvalidInputError("no such operator")})

    answers = answer_cases(CASES, shelf, Answering(Echo()), begin=FakeContext().begin, one_by_one=one_by_one)

    assert [answer.failure for answer in answers] == [
        None,
        Failure(FailureKind.INFRASTRUCTURE, "RuntimeError: bad bytes"),
        Failure(FailureKind.INPUT, "no such operator"),
        None,
    ]
    assert answers[0].text == "about question 0"


def test_a_question_that_could_not_be_asked_ends_with_that_reason() -> None:
    failure = Failure(FailureKind.INPUT, "the question is empty")

    answers = answer_cases(
        CASES, Shelf({"question 3": failure}), Answering(Echo()), begin=FakeContext().begin
    )  # fmt: skip

    assert [answer.failure for answer in answers] == [None, None, None, failure]


def test_too_few_results_are_noticed() -> None:
    def short(queries: Sequence[str]) -> list[Retrieved]:
        return []

    answers = answer_cases(CASES[:1], short, Answering(), begin=FakeContext().begin)

    assert answers[0].failure == Failure(
        FailureKind.INFRASTRUCTURE, "ValueError: 0 results were retrieved for 1 questions"
    )


@pytest.mark.parametrize("error", [OutOfReachError("down"), CancelledItemError("cancelled"), NotFoundError("no kb")])
@pytest.mark.parametrize("one_by_one", [False, True])
def test_what_is_no_matter_of_a_case_passes_from_retrieval(error: Exception, one_by_one: bool) -> None:
    shelf = Shelf({"question 1": error})

    with pytest.raises(type(error)):
        answer_cases(CASES, shelf, Answering(), begin=FakeContext().begin, one_by_one=one_by_one)


@pytest.mark.parametrize("error", [OutOfReachError("down"), CancelledItemError("cancelled")])
def test_what_is_no_matter_of_a_case_passes_from_the_generator(error: Exception) -> None:
    with pytest.raises(type(error)):
        answer_cases(CASES, Shelf(), Answering(Echo({"c1": error})), begin=FakeContext().begin)


@pytest.mark.parametrize("one_by_one", [False, True])
def test_a_cancelled_evaluation_stops_before_the_next_case(one_by_one: bool) -> None:
    echo = Echo()

    with pytest.raises(CancelledItemError):
        answer_cases(CASES, Shelf(), Answering(echo), begin=FakeContext(cancelled_at="c2").begin, one_by_one=one_by_one)
    assert [case_id for case_id, *_ in echo.seen] == ["c0", "c1"]


@pytest.mark.parametrize("one_by_one", [False, True])
def test_a_case_that_killed_a_process_is_failed_and_not_generated_again(one_by_one: bool) -> None:
    failure = Failure(FailureKind.INFRASTRUCTURE, "the case killed the process that worked on it (signal SIGKILL)")
    context, echo = FakeContext(poisoned={"c1": failure}), Echo()

    answers = answer_cases(CASES, Shelf(), Answering(echo), begin=context.begin, one_by_one=one_by_one)

    assert [answer.failure for answer in answers] == [None, failure, None, None]
    assert [case_id for case_id, *_ in echo.seen] == ["c0", "c2", "c3"]


def test_one_by_one_a_case_begins_before_it_is_retrieved() -> None:
    failure = Failure(FailureKind.INFRASTRUCTURE, "kills")
    context, shelf = FakeContext(poisoned={"c1": failure}), Shelf()

    answer_cases(CASES, shelf, Answering(), begin=context.begin, one_by_one=True)

    assert context.begun == ["c0", "c1", "c2", "c3"]
    assert shelf.calls == [["question 0"], ["question 2"], ["question 3"]]


def test_a_case_begins_before_it_is_generated() -> None:
    context = FakeContext()

    class Watching(Echo):
        def generate(self, question: str, passages: Sequence[Passage], *, seed: int, case_id: str) -> Generated:
            assert context.begun[-1] == case_id
            return super().generate(question, passages, seed=seed, case_id=case_id)

    answers = answer_cases(CASES, Shelf(), Answering(Watching()), begin=context.begin)

    assert [answer.failure for answer in answers] == [None] * 4


def test_no_cases_are_no_answers() -> None:
    assert answer_cases([], Shelf(), Answering(), begin=FakeContext().begin) == ()


def test_one_by_one_the_knowledge_base_is_proved_reachable_before_each_case() -> None:
    # So that what goes out of reach with a case in hand can be laid at its door.
    shelf = Shelf(says_ready=True)
    answer_cases(CASES, shelf, Answering(), begin=FakeContext().begin, one_by_one=True)
    assert shelf.calls[::2] == [["ready?"]] * len(CASES)
    assert shelf.calls[1::2] == [[case.query] for case in CASES]

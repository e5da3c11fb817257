"""Calls that answer and score outside of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from bakeoff.client.call import Call, Stream
from bakeoff.contract import codec
from bakeoff.domain.answer import CaseAnswer
from bakeoff.domain.benchmark import Case
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.recipe import AnswerPart, QueryMode
from bakeoff.domain.score import CaseScores
from bakeoff.v1 import inference_service_pb2 as pb
from bakeoff.v1 import scoring_service_pb2 as scoring_pb
from bakeoff.v1.inference_service_pb2_grpc import InferenceServiceStub
from bakeoff.v1.scoring_service_pb2_grpc import ScoringServiceStub


def answer(kb_id: str, mode: QueryMode, part: AnswerPart | None, query: str, seed: int) -> Call[CaseAnswer]:
    """Return the call that answers one question from a knowledge base."""
    message = pb.AnswerRequest(
        kb_id=kb_id,
        mode=codec.query_mode_to_wire(mode),
        answer=codec.answer_part_to_wire(part) if part else None,
        query=query,
        seed=seed,
    )
    return Call(InferenceServiceStub, "Answer", message, lambda found: codec.case_answer_from_wire(found.answer))


def answer_rows(part: AnswerPart, rows: Iterable[Case], seed: int) -> Stream[CaseAnswer]:
    """Return the call that answers rows."""

    def read(response: Any) -> CaseAnswer:
        failure = codec.failure_from_wire(response.failure) if response.HasField("failure") else None
        return CaseAnswer(response.row_id, text=None if failure else response.text, failure=failure)

    return Stream(InferenceServiceStub, "GenerateAnswers", _Rows(part, rows, seed), read)


def score(
    evaluators: Sequence[str | ComponentSpec], answered: Iterable[tuple[Case, CaseAnswer]], seed: int
) -> Call[list[CaseScores]]:
    """Return the call that scores answers."""
    message = scoring_pb.ScoreAnswersRequest(
        evaluators=[str(each) for each in evaluators],
        cases=[
            scoring_pb.AnsweredCase(case=codec.case_to_wire(case), answer=codec.case_answer_to_wire(said))
            for case, said in answered
        ],
        seed=seed,
    )
    return Call(
        ScoringServiceStub,
        "ScoreAnswers",
        message,
        lambda found: [codec.case_scores_from_wire(each) for each in found.cases],
    )


@dataclass(frozen=True, slots=True)
class _Rows(Iterable[pb.GenerateAnswersRequest]):
    """The messages of rows; the first says how they are answered."""

    part: AnswerPart
    rows: Iterable[Case]
    seed: int

    def __iter__(self) -> Iterator[pb.GenerateAnswersRequest]:
        for number, row in enumerate(self.rows):
            yield pb.GenerateAnswersRequest(
                row_id=row.case_id,
                question=row.query,
                contexts=cast(Sequence[str], row.metadata.get("contexts", ())),
                choices=cast(Sequence[str], row.metadata.get("choices", ())),
                eval_type=str(row.metadata.get("eval_type", "")),
                answer=codec.answer_part_to_wire(self.part) if number == 0 else None,
                seed=self.seed,
            )

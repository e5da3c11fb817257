"""Collections of small sets for in-context learning: lines of a question with choices, or with an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.preparation.choice_cases import choice_case, index_within
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.icl_records import IclAnswer, IclChoice
from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.preparation.question_set import About, QuestionSet, table_patterns
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.row import Row
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.source_files import SourceFile
from bakeoff.runtime.registry import Is

ANSWERED = (ComponentSpec("exact_match", {"normaliser": "triviaqa"}), ComponentSpec("token_f1"))
CHOSEN = (ComponentSpec("choice_accuracy"),)


@adapters.register("icl")
def icl(
    *,
    path: Annotated[str, Is("folder, file or archive (zip, tar.gz) with the collection, or its address", path=True)],
    dataset: Annotated[str, Is("name of the set: that of its file without .jsonl, such as boolq")],
    kind: Annotated[
        Literal["multiple_choice", "generation", "language_modeling"],
        Is("what a line is: query, choices, gold; context, answer, aliases; or context, continuation"),
    ] = "multiple_choice",
) -> BenchmarkProtocol:
    """A set of the collections for in-context learning, such as BoolQ, PIQA, OpenBookQA, SIQA, SVAMP or Jeopardy.

    Questions are taken as they stand, with the words that the collection put round them. There is no split for
    examples; the collection takes them from the questions themselves, each but its own.
    """
    about = About(
        name=dataset,
        evaluators=CHOSEN if kind == "multiple_choice" else ANSWERED,
        task_type="multiple_choice" if kind == "multiple_choice" else "question_answering",
        homepage="https://github.com/mosaicml/llm-foundry",
        metadata={"language": "en"},
    )
    return QuestionSet(about, _Layout(dataset, kind), path, "test")


class _Continuation(msgspec.Struct):
    context: str
    continuation: str
    category: str = ""


@dataclass(frozen=True, slots=True)
class _Layout:
    dataset: str
    kind: str

    def patterns(self, split: str) -> Sequence[str]:
        return table_patterns(self.dataset)

    def cases(self, file: SourceFile, split: str, findings: Findings) -> Iterator[Case]:
        for row in read_rows(file):
            yield self._case(row, f"{file.stem}/{row.number}")

    def _case(self, row: Row, case_id: str) -> Case:
        if self.kind == "multiple_choice":
            choice = row.convert(IclChoice)
            right = index_within(row, "gold", choice.gold, len(choice.choices))
            return choice_case(case_id, choice.query, choice.choices, right, labels=_labels(choice.category))
        if self.kind == "language_modeling":
            record = row.convert(_Continuation)
            return Case(case_id, record.context, Expected((record.continuation,)), _labels(record.category))
        answered = row.convert(IclAnswer)
        answers = tuple(dict.fromkeys((answered.answer, *answered.aliases)))
        more: dict[str, object] = {"solution": answered.chain_of_thought} if answered.chain_of_thought else {}
        return Case(case_id, answered.context, Expected(answers, metadata=more), _labels(answered.category))


def _labels(category: str) -> dict[str, str]:
    return {"category": category} if category else {}

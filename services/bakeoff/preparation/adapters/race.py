"""RACE: questions with choices about articles, every question of every article."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from bakeoff.domain.benchmark import Case, Evidence
from bakeoff.preparation.choice_cases import choice_case, chosen_by, index_of_letter
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.preparation.question_set import About, QuestionSet, table_patterns
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.row import Row
from bakeoff.preparation.row_files import read_rows
from bakeoff.preparation.source_files import SourceFile
from bakeoff.runtime.registry import Is


@adapters.register("race")
def race(
    *,
    path: Annotated[str, Is("folder, file or archive (zip, tar.gz) with RACE, or its address", path=True)],
    split: Annotated[str, Is("split whose questions are asked")] = "test",
    level: Annotated[Literal["all", "middle", "high"], Is("school level; all means both")] = "all",
    language: Annotated[str, Is("language of the articles, such as zh for C3 in this layout")] = "en",
    examples: Annotated[str | None, Is("where the split dev is; null means in the same folder", path=True)] = None,
) -> BenchmarkProtocol:
    """Reading comprehension of RACE: 3,498 questions of high and 1,436 of middle school in the test split.

    Articles of the original, one a file or in one list, with evidence or without, and rows of one question each.

    Source: Lai et al. 2017, RACE, arXiv:1704.04683; with evidence: Cui et al. 2022, ExpMRC, arXiv:2105.04126.
    """
    about = About(
        name="race",
        evaluators=chosen_by("first_option"),
        task_type="multiple_choice",
        homepage="https://www.cs.cmu.edu/~glai1/data/race/",
        citation="Lai et al. 2017, RACE, arXiv:1704.04683",
        example_split="dev",
        metadata={"language": language},
    )
    return QuestionSet(about, _Layout(level, language), path, split, examples)


class _Article(msgspec.Struct):
    id: str
    article: str
    questions: list[str]
    options: list[list[str]]
    answers: list[str]
    evidences: list[list[str]] | None = None


class _Question(msgspec.Struct):
    example_id: str
    article: str
    question: str
    options: list[str]
    answer: str


@dataclass(frozen=True, slots=True)
class _Layout:
    level: str
    language: str

    def patterns(self, split: str) -> Sequence[str]:
        level = "*" if self.level == "all" else self.level
        return (f"{split}/{level}/*.txt", *table_patterns(split, f"{level}/{split}", f"*[-_]{split}"))

    def cases(self, file: SourceFile, split: str, findings: Findings) -> Iterator[Case]:
        seen: dict[str, int] = {}
        for row in read_rows(file):
            if "questions" in row.values:
                yield from self._article(row, file)
                continue
            question = row.convert(_Question)
            number = seen[question.example_id] = seen.get(question.example_id, -1) + 1
            right = index_of_letter(row, "answer", question.answer, len(question.options))
            yield self._case(question.example_id, number, question.question, question.options, right, question.article)

    def _article(self, row: Row, file: SourceFile) -> Iterator[Case]:
        article = row.convert(_Article)
        lengths = {len(article.questions), len(article.options), len(article.answers)}
        if len(lengths) > 1 or (article.evidences is not None and len(article.evidences) not in lengths):
            raise row.fault("", f"article {article.id!r} has not as many options and answers as questions")
        for number, question in enumerate(article.questions):
            options = article.options[number]
            right = index_of_letter(row, f"answers[{number}]", article.answers[number], len(options))
            told = article.evidences[number] if article.evidences else []
            yield self._case(article.id, number, question, options, right, article.article, told, file.name)

    def _case(
        self,
        article_id: str,
        number: int,
        question: str,
        options: Sequence[str],
        right: int,
        article: str,
        told: Sequence[str] = (),
        place: str = "",
    ) -> Case:
        level = next((level for level in ("high", "middle") if level in f"{place}/{article_id}"), "")
        labels = {"language": self.language} | ({"level": level} if level else {})
        evidence = tuple(Evidence(text=text) for text in dict.fromkeys(told) if text.strip())
        return choice_case(
            f"{article_id}/{number}",
            question,
            options,
            right,
            labels=labels,
            contexts=[article],
            evidence=evidence,
            metadata={"alternative_evidence": True} if evidence else {},
        )

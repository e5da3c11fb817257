"""Evaluators over several samples of an answer: each sample is scored by another evaluator, and one figure is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bakeoff.domain.answer import FailureKind
from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import MetricCard, Outcome, Score
from bakeoff.scoring.evaluator import AnsweredCase, Evaluator, ScoringContext, Verdict, failed, not_applicable, scored
from bakeoff.scoring.registries import evaluators


@dataclass(frozen=True, slots=True)
class Method:
    """One metric of an evaluator, by which each sample is scored."""

    evaluator: Evaluator
    card: MetricCard

    @classmethod
    def of(cls, signature: str, metric: str = "") -> Method:
        """Make the evaluator of a signature.

        Args:
            signature: Such as `gsm8k(mode="flexible")`.
            metric: Which of its metrics counts; empty when it has only one.

        Raises:
            NotFoundError: there is no evaluator of that name.
            InvalidInputError: the signature or a setting is wrong; it has no such metric, or several and none is named;
                or it does not judge the words of an answer.
        """
        evaluator = evaluators.make(ComponentSpec.parse(signature))
        named = {card.name: card for card in evaluator.metrics}
        if (metric and metric not in named) or (not metric and len(named) != 1):
            said = repr(metric) if metric else "nothing"
            raise InvalidInputError(f"{signature} has the metrics {', '.join(named)}; `metric` says {said}")
        card = named[metric] if metric else next(iter(named.values()))
        if isinstance(evaluator, OverSamples) or not card.needs_answer:
            raise InvalidInputError(f"{signature} judges no single answer: {card.name} cannot score samples")
        if card.lower_is_better:
            raise InvalidInputError(f"{signature} is better when it is lower: {card.name} cannot score samples")
        return cls(evaluator, card)


Figure = Callable[[Case, Sequence[str], Sequence[Score]], tuple[float | None, Json]]
"""Makes one value of a case's samples and their scores, with what is to be shown of it. Of samples that could not be
read the scores have no value; when it has none for that reason, it fails as they did."""
Kept = Callable[[Sequence[str]], Sequence[str]]
"""Chooses the samples that are scored."""


def all_of(samples: Sequence[str]) -> Sequence[str]:
    """Return all samples: each is scored."""
    return samples


@dataclass(frozen=True, slots=True)
class OverSamples:
    """Scores the samples of each answer, and makes one figure of them.

    A sample that cannot be read is a wrong one, as an answer is. A sample that failed for another reason, such as a
    sandbox that cannot be had, fails the case: its figure is not known.
    """

    card: MetricCard
    method: Method
    figure: Figure
    kept: Kept = all_of

    @property
    def metrics(self) -> tuple[MetricCard, ...]:
        """The one metric."""
        return (self.card,)

    def not_applicable(self, case: Case) -> str:
        """Return the reason that the evaluator of a sample has."""
        return self.method.evaluator.not_applicable(case)

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Score every different sample of every case once, all together."""
        samples = [self.kept(samples_of(each)) for each in cases]
        asked = [(row, text) for row, texts in enumerate(samples) for text in dict.fromkeys(texts)]
        single = [_alone(cases[row], text) for row, text in asked]
        verdicts = self.method.evaluator.score(single, context) if single else []
        known = {each: self._score(verdict) for each, verdict in zip(asked, verdicts, strict=True)}
        taken: list[list[object]] = [[] for _ in cases]
        for (row, _), verdict in zip(asked, verdicts, strict=True):
            taken[row].append(verdict.details.get(self.method.card.name))
        return [
            with_details(
                self._verdict(cases[row], texts, [known[row, text] for text in texts]),
                self.card.name,
                judging_of(taken[row]),
            )
            for row, texts in enumerate(samples)
        ]

    def _score(self, verdict: Verdict) -> Score:
        return next(score for score in verdict.scores if score.metric == self.method.card.name)

    def _verdict(self, each: AnsweredCase, texts: Sequence[str], scores: Sequence[Score]) -> Verdict:
        for score in scores:
            if score.failure and score.failure.kind is not FailureKind.PARSE:
                return Verdict((failed(self.card.name, score.failure),))
            if score.outcome is Outcome.NOT_APPLICABLE:
                return Verdict((not_applicable(self.card.name, score.reason),))
        value, details = self.figure(each.case, texts, scores)
        unread = next((score.failure for score in scores if score.failure), None)
        score = failed(self.card.name, unread) if value is None and unread else scored(self.card, value or 0.0)
        return Verdict((score,), {self.card.name: details})


def samples_of(each: AnsweredCase) -> tuple[str, ...]:
    """Return all samples of an answer; the answer itself when the recipe asks for one."""
    return each.answer.samples or (each.answer.text or "",)


def right_of(scores: Sequence[Score]) -> int:
    """Return how many samples are right."""
    return sum(score.value == 1.0 for score in scores)


def judging_of(details: Sequence[object]) -> Json:
    """Return what a judging model took for the samples of an answer, from the details of each; empty when none judged.

    Sums of the numbers that are told as `judge_…`, and of `inconsistent`; None of what is known of no sample.
    """
    judged = [each for each in details if isinstance(each, Mapping) and "judge_answers" in each]
    names = sorted({name for each in judged for name in each if name.startswith("judge_") or name == "inconsistent"})
    known = {name: [each[name] for each in judged if each.get(name) is not None] for name in names}
    return {name: sum(values) if values else None for name, values in known.items()}


def with_details(verdict: Verdict, name: str, more: Json) -> Verdict:
    """Return a verdict with more among the details of a metric; itself when there is no more."""
    if not more:
        return verdict
    told = verdict.details.get(name)
    return replace(verdict, details={**verdict.details, name: {**(told if isinstance(told, dict) else {}), **more}})


def _alone(each: AnsweredCase, text: str) -> AnsweredCase:
    return AnsweredCase(each.case, replace(each.answer, text=text, samples=()))

"""Log-probabilities of given texts, as a generator leaves them beside its answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import MetricCard
from bakeoff.scoring.evaluator import Verdict, failed

KEY = "logprobs"
"""Key of CaseAnswer.metadata; below it `choices` (a list), `better`, `rejected` and `text`."""


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How likely a model holds a text."""

    sum: float
    """Sum of the tokens' natural log-probabilities."""
    chars: int
    """Length in characters, without the space that joins it to the prompt; likewise the others."""
    bytes: int
    """Length in bytes of UTF-8."""
    tokens: int
    """Length in the model's tokens."""

    @property
    def per_char(self) -> float:
        """Mean log-probability of a character."""
        return self.sum / max(self.chars, 1)

    @property
    def per_byte(self) -> float:
        """Mean log-probability of a byte."""
        return self.sum / max(self.bytes, 1)

    @property
    def perplexity(self) -> float:
        """Perplexity of a token, from 1; lower is likelier.

        Raises:
            InvalidInputError: it is too large for a number.
        """
        try:
            return math.exp(-self.sum / max(self.tokens, 1))
        except OverflowError as error:
            raise InvalidInputError(f"the perplexity of {self.sum} over {self.tokens} tokens is too large") from error


def likelihoods(answer: CaseAnswer, name: str) -> tuple[Likelihood, ...] | None:
    """Return the likelihoods that an answer has under a name; one for each choice under `choices`, else one.

    Returns:
        None when there are none: the endpoint gives no log-probabilities of prompts.

    Raises:
        InvalidInputError: what stands there is no likelihood.
    """
    stored = answer.metadata.get(KEY)
    found = stored.get(name) if isinstance(stored, Mapping) else None
    if found is None:
        return None
    return tuple(
        _likelihood(one, answer.case_id, name) for one in (found if isinstance(found, list | tuple) else [found])
    )


def _likelihood(found: object, case_id: str, name: str) -> Likelihood:
    try:
        likelihood = msgspec.convert(found, Likelihood)
    except msgspec.ValidationError as error:
        raise InvalidInputError(f"case {case_id!r}: {KEY}.{name} is no likelihood, but {found!r}: {error}") from error
    lengths = (likelihood.chars, likelihood.bytes, likelihood.tokens)
    if not math.isfinite(likelihood.sum) or min(lengths) < 0:
        raise InvalidInputError(f"case {case_id!r}: {KEY}.{name} must be finite, with lengths from 0, not {found!r}")
    return likelihood


def unmeasured(metrics: Sequence[MetricCard]) -> Verdict:
    """Return the verdict on an answer without likelihoods: a failure of the model's endpoint."""
    reason = "the endpoint gives no prompt log-probabilities, so the likelihood of a given text is not known"
    return Verdict(tuple(failed(card.name, Failure(FailureKind.MODEL, reason)) for card in metrics))

"""Log-probabilities of given texts, as a generator leaves them beside its answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from bakeoff.domain.answer import CaseAnswer, Failure
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import MetricCard
from bakeoff.scoring.evaluator import Verdict, failed, not_applicable

KEY = "logprobs"
"""Key of CaseAnswer.metadata; below it the lists `choices` and `unconditional`, and `better`, `rejected`, `answer` and
`text`; or `failure` with its kind and reason."""
FAILURE = "failure"
NOT_ASKED = "the recipe asks for no likelihoods: its answer part has no `likelihood`"
NOT_AMONG = "the recipe's `likelihood` does not weigh what this metric needs"


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
        return perplexity_of(self.sum, max(self.tokens, 1))

    @property
    def bits_per_byte(self) -> float:
        """Bits that a byte takes, from 0; lower is likelier."""
        return -self.per_byte / math.log(2)


def perplexity_of(total: float, units: int) -> float:
    """Return e to the power of minus the mean log-probability of a unit.

    Args:
        total: Sum of log-probabilities.
        units: Tokens, words or bytes, from 1.

    Raises:
        InvalidInputError: there are no units, or it is too large for a number.
    """
    if units < 1:
        raise InvalidInputError(f"a perplexity needs at least one unit, not {units}")
    try:
        return math.exp(-total / units)
    except OverflowError as error:
        raise InvalidInputError(f"the perplexity of {total} over {units} units is too large") from error


def corpus_perplexity(counted: Iterable[tuple[float, int]]) -> float:
    """Return the perplexity of a corpus: of all its units together, which is no mean of its cases' perplexities.

    Args:
        counted: Sum of log-probabilities and number of units of each case.

    Raises:
        InvalidInputError: there are no units, or it is too large for a number.

    Source: lm-evaluation-harness, weighted_perplexity.
    """
    rows = list(counted)
    return perplexity_of(math.fsum(total for total, _ in rows), sum(units for _, units in rows))


def likelihoods(answer: CaseAnswer, name: str) -> tuple[Likelihood, ...] | None:
    """Return the likelihoods that an answer has under a name; one for each choice under `choices`, else one.

    Returns:
        None when there are none; see `unmeasured`.

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


def unmeasured(metrics: Sequence[MetricCard], answer: CaseAnswer) -> Verdict:
    """Return the verdict on an answer without the likelihoods that are needed.

    Not applicable when the recipe asked for none, as words are that a recipe does not make; failed when it asked and
    got none, with what is known of why.

    Raises:
        InvalidInputError: what stands there as the failure is none.
    """
    stored = answer.metadata.get(KEY)
    if not isinstance(stored, Mapping) or FAILURE not in stored:
        reason = NOT_ASKED if stored is None else NOT_AMONG
        return Verdict(tuple(not_applicable(card.name, reason) for card in metrics))
    try:
        failure = msgspec.convert(stored[FAILURE], Failure)
    except msgspec.ValidationError as error:
        raise InvalidInputError(f"case {answer.case_id!r}: {KEY}.{FAILURE} is no failure: {error}") from error
    return Verdict(tuple(failed(card.name, failure) for card in metrics))

"""Answers of a model that is asked how likely it finds given texts, beside what it says or instead of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.failing import failure_of
from bakeoff.domain.recipe import LikelihoodPart
from bakeoff.inference.model_answers import Asking, ask_model, usage_of
from bakeoff.inference.weighed_texts import WeighedTexts, weighed_texts
from bakeoff.models.likelihood import Weighed

KEY = "logprobs"
"""Key of CaseAnswer.metadata; below it a list under `choices` and `unconditional`, one each under `better`,
`rejected`, `answer` and `text`; or why there are none under `failure`."""
LISTS = ("choices", "unconditional")
NONE_GIVEN = "the endpoint gives no prompt log-probabilities, so the likelihood of a given text is not known"

TOO_SHORT = "a text of a single token that stands alone has no likelihood: nothing comes before it"


@dataclass(slots=True)
class _Open:
    """A case whose likelihoods are still to come."""

    texts: WeighedTexts
    outcomes: dict[int, Weighed | Failure] = field(default_factory=dict)

    @property
    def failure(self) -> Failure | None:
        """Why one of its texts could not be weighed."""
        for number, outcome in sorted(self.outcomes.items()):
            if isinstance(outcome, Failure):
                return outcome
            if self.texts.texts[number].text and not outcome.likelihood.tokens:
                return Failure(FailureKind.INPUT, TOO_SHORT)
        return None

    @property
    def weighed(self) -> list[Weighed]:
        """What was weighed, in the order of the texts."""
        return [outcome for _, outcome in sorted(self.outcomes.items()) if isinstance(outcome, Weighed)]


def answer_with_model(
    cases: Sequence[Case],
    retrieved: Sequence[CaseAnswer],
    asking: Asking,
    *,
    first: int = 0,
    step: Callable[[], None] = lambda: None,
) -> tuple[CaseAnswer, ...]:
    """Return what retrieval came to with what the model said and how likely it finds what it was shown.

    Where the endpoint gives no log-probabilities of prompts, answers are generated whatever the recipe says, and each
    answer says that and why; then what needs likelihoods fails, and what reads answers has some to read.

    Args:
        cases: What is asked.
        retrieved: As `ask_model`.
        asking: How the model is asked.
        first: Row of the first case in its benchmark, from 0.
        step: Is told of every answer, and may raise to end the asking.

    Raises:
        OutOfReachError: a part of the platform does not answer.
        CancelledItemError: the evaluation was cancelled.
    """
    part = asking.likelihood
    if part is None:
        return ask_model(cases, retrieved, asking, first=first, step=step)
    found, none_given = _weigh(cases, retrieved, asking, part, first, step)
    generated = part.generate or bool(none_given)
    answers = ask_model(cases, retrieved, asking, first=first, step=step) if generated else tuple(retrieved)
    return tuple(
        answer if was.failure else _joined(answer, each, generated, none_given)
        for answer, was, each in zip(answers, retrieved, found, strict=True)
    )


def _weigh(
    cases: Sequence[Case],
    retrieved: Sequence[CaseAnswer],
    asking: Asking,
    part: LikelihoodPart,
    first: int,
    step: Callable[[], None],
) -> tuple[list[_Open | Failure | None], str]:
    """Return what each case came to, None where it is not weighed; and why nothing is, if so."""
    found: list[_Open | Failure | None] = []
    for row, (case, answer) in enumerate(zip(cases, retrieved, strict=True)):
        if answer.failure is not None:
            found.append(None)
            continue
        shown = answer.passages[: asking.passages]
        try:
            found.append(_Open(weighed_texts(asking.prompting, part, case, shown, position=first + row)))
        except Exception as error:  # whatever a template does with a case fails that case, and no other
            found.append(failure_of(error, FailureKind.INPUT))
    open_cases = [each for each in found if isinstance(each, _Open)]
    numbered = [(each, number) for each in open_cases for number in range(len(each.texts.texts))]

    def on_weighed(number: int, outcome: Weighed | Failure) -> None:
        each, text = numbered[number]
        each.outcomes[text] = outcome
        step()

    weighings = [each.texts.texts[number].weighing for each, number in numbered]
    return found, asking.weigh_all(weighings, on_weighed) if weighings else ""


def _joined(answer: CaseAnswer, found: _Open | Failure | None, generated: bool, none_given: str) -> CaseAnswer:
    if none_given:
        reason = f"{NONE_GIVEN} ({none_given})"
        told: dict[str, object] = {"failure": _told(Failure(FailureKind.MODEL, reason)), "fallback": "generation"}
        return replace(answer, metadata={**answer.metadata, KEY: told})
    failure = found.failure if isinstance(found, _Open) else found
    if isinstance(found, _Open):
        answer = _with_usage(answer, found)
        told = {"failure": _told(failure)} if failure else _likelihoods(found)
        metadata = {**found.texts.facts, **answer.metadata, KEY: told}
        answer = replace(answer, metadata=metadata)
    elif failure:
        answer = replace(answer, metadata={**answer.metadata, KEY: {"failure": _told(failure)}})
    # Where an answer was generated it stands, whatever became of the likelihoods.
    return answer if generated or failure is None else replace(answer, passages=(), failure=failure)


def _with_usage(answer: CaseAnswer, found: _Open) -> CaseAnswer:
    usages = [each.usage for each in found.weighed]
    if not usages:
        return answer
    usage = usage_of([answer.usage, *usages] if answer.usage else usages)
    if answer.usage:
        # Likelihoods have no first token: the times of tokens are those of what was generated.
        times = (answer.usage.first_token_ms, answer.usage.inter_token_ms)
        usage = replace(usage, first_token_ms=times[0], inter_token_ms=times[1])
    return replace(answer, usage=usage, timing=replace(answer.timing, generate_ms=usage.latency_ms))


def _likelihoods(found: _Open) -> dict[str, object]:
    told: dict[str, object] = {}
    for text, weighed in zip(found.texts.texts, found.weighed, strict=True):
        one = {
            "sum": weighed.likelihood.logprob,
            "chars": len(text.text),
            "bytes": len(text.text.encode()),
            "tokens": weighed.likelihood.tokens,
        }
        if text.name in LISTS:
            told.setdefault(text.name, []).append(one)  # type: ignore[attr-defined]
        else:
            told[text.name] = one
    return told


def _told(failure: Failure) -> dict[str, str]:
    return {"kind": failure.kind.value, "reason": failure.reason}

"""A model puts passages in order by naming their numbers, a window of them at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.domain.answer import Failure
from bakeoff.domain.benchmark import Json
from bakeoff.domain.prompt import Completion
from bakeoff.inference.retrieving.prompt_texts import PromptText, numbered
from bakeoff.inference.retrieving.replies import (
    UnreadableReplyError,
    object_of,
    unanswered,
    unreadable,
    whole_number_of,
)
from bakeoff.inference.retrieving.reranking import Order
from bakeoff.inference.retrieving.searching import Asked, AskModel, EngineModel

STEP = "putting passages in order"
RANKING = "ranking"
FORM = '{"ranking": [number of the most helpful passage, number of the next, …]}'
SCHEMA: Json = {
    "type": "object",
    "properties": {RANKING: {"type": "array", "items": {"type": "integer"}}},
    "required": [RANKING],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Listwise:
    """Sorts windows from the last one to the first, so that good passages move to the front.

    Source: Sun et al. 2023, "Is ChatGPT Good at Search?" (RankGPT), arXiv:2304.09542.
    """

    model: EngineModel
    prompt: PromptText
    window: int
    """Passages that the model sees at once, from 2."""
    step: int
    """By how many the window moves; smaller than the window."""
    chars: int
    """Of each passage."""
    fall_back: bool

    @property
    def facts(self) -> dict[str, object]:
        """The digest of the prompt."""
        return {"prompt": self.prompt.digest}

    def arrange(self, orders: Sequence[Order], ask: AskModel) -> None:
        """Sort one window of every question at a time."""
        windows = {id(order): windows_of(len(order.places), self.window, self.step) for order in orders}
        open_, number = list(orders), 0
        while open_ := [order for order in open_ if order.failure is None and number < len(windows[id(order)])]:
            places = [windows[id(order)][number] for order in open_]
            asked = [self._asked(order, *each, number) for order, each in zip(open_, places, strict=True)]
            for order, each, outcome in zip(open_, places, ask(asked, SCHEMA), strict=True):
                order.replies.append([outcome])
                _sort(order, *each, outcome)
            number += 1

    def _asked(self, order: Order, start: int, stop: int, number: int) -> Asked:
        passages = [order.passages[place] for place in order.places[start:stop]]
        prompt = self.prompt.filled(
            question=order.question.text,
            passages=numbered(passages, self.chars),
            n=str(len(passages)),
            form=FORM,
        )
        return Asked(order.question.case_id, f"order {number}", prompt)


def windows_of(passages: int, window: int, step: int) -> list[tuple[int, int]]:
    """Return the windows over so many passages, from the last to the first, as `[start, stop)`; the first begins at 0.

    Args:
        passages: How many there are.
        window: Passages of a window, from 2.
        step: By how many it moves, from 1, smaller than the window.
    """
    windows, stop = [], passages
    while stop > 0:
        start = max(stop - window, 0)
        windows.append((start, stop))
        stop = stop - step if start else 0
    return windows


@dataclass(frozen=True, slots=True)
class Permutation:
    """An order that a model gave, made whole."""

    places: tuple[int, ...]
    """Each of 0 … n - 1 once."""
    invented: int = 0
    """Numbers that no passage has: dropped."""
    repeated: int = 0
    """Numbers that stood there before: dropped."""
    missing: int = 0
    """Passages that were not named: at the end, in the order in which they stood."""


def permutation_of(text: str, n: int) -> Permutation:
    """Return the order of n passages that a reply gives.

    Raises:
        UnreadableReplyError: there is no list of whole numbers, or none of them is that of a passage.
    """
    values = object_of(text).get(RANKING)
    if not isinstance(values, list):
        raise UnreadableReplyError(f"{RANKING!r} must be a list of numbers")
    numbers = [whole_number_of(value, RANKING) for value in values]
    named = list(dict.fromkeys(number - 1 for number in numbers if 1 <= number <= n))
    if not named:
        raise UnreadableReplyError(f"{RANKING!r} names none of the passages 1 to {n}")
    known = sum(1 <= number <= n for number in numbers)
    missing = [place for place in range(n) if place not in named]
    return Permutation((*named, *missing), len(numbers) - known, known - len(named), len(missing))


def _sort(order: Order, start: int, stop: int, outcome: Completion | Failure) -> None:
    if isinstance(outcome, Failure):
        order.failure = unanswered(STEP, outcome)
        return
    try:
        told = permutation_of(outcome.text, stop - start)
    except UnreadableReplyError as error:
        order.failure = unreadable(STEP, outcome, error)
        return
    order.count("invented", told.invented)
    order.count("repeated", told.repeated)
    order.count("missing", told.missing)
    window = order.places[start:stop]
    order.places[start:stop] = [window[place] for place in told.places]

"""A model rates each passage by itself; the ratings put them in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.domain.answer import Failure
from bakeoff.domain.benchmark import Json
from bakeoff.domain.prompt import Completion
from bakeoff.inference.retrieving.prompt_texts import PromptText, shown
from bakeoff.inference.retrieving.replies import (
    UnreadableReplyError,
    object_of,
    unanswered,
    unreadable,
    whole_number_of,
)
from bakeoff.inference.retrieving.reranking import Order
from bakeoff.inference.retrieving.searching import Asked, AskModel, EngineModel

STEP = "rating a passage"
RATING = "rating"
HIGHEST = 10
FORM = '{"rating": a whole number from 0 to 10}'
SCHEMA: Json = {
    "type": "object",
    "properties": {RATING: {"type": "integer", "minimum": 0, "maximum": HIGHEST}},
    "required": [RATING],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Pointwise:
    """Rates all passages of all questions at the same time; equal ratings stay in the order of the search."""

    model: EngineModel
    prompt: PromptText
    chars: int
    """Of each passage."""
    fall_back: bool

    @property
    def facts(self) -> dict[str, object]:
        """The digest of the prompt."""
        return {"prompt": self.prompt.digest}

    def arrange(self, orders: Sequence[Order], ask: AskModel) -> None:
        """Rate everything, and sort."""
        asked = [self._asked(order, place) for order in orders for place in order.places]
        outcomes = iter(ask(asked, SCHEMA) if asked else [])
        for order in orders:
            replies = [next(outcomes) for _ in order.places]
            order.replies.append(replies)
            ratings = [_rating(outcome) for outcome in replies]
            order.failure = next((each for each in ratings if isinstance(each, Failure)), None)
            known = [each for each in ratings if isinstance(each, int)]
            if order.failure is None:
                order.places.sort(key=lambda place: -known[place])  # called at once

    def _asked(self, order: Order, place: int) -> Asked:
        passage = order.passages[place]
        prompt = self.prompt.filled(
            question=order.question.text, passage=shown(passage, self.chars), highest=str(HIGHEST), form=FORM
        )
        # By the passage, not by its rank: the same passage has the same rating wherever it was found.
        return Asked(order.question.case_id, f"rate {passage.chunk_id}", prompt)


def rating_of(text: str) -> int:
    """Return the rating that a reply gives, from 0 to 10.

    Raises:
        UnreadableReplyError: there is no whole number in that range.
    """
    rating = whole_number_of(object_of(text).get(RATING), RATING)
    if not 0 <= rating <= HIGHEST:
        raise UnreadableReplyError(f"{RATING!r} must be from 0 to {HIGHEST}, not {rating}")
    return rating


def _rating(outcome: Completion | Failure) -> int | Failure:
    if isinstance(outcome, Failure):
        return unanswered(STEP, outcome)
    try:
        return rating_of(outcome.text)
    except UnreadableReplyError as error:
        return unreadable(STEP, outcome, error)

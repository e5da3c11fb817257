"""What comes next in a search by hops: a model says it, or the best sentence that was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.domain.answer import Failure, Passage
from bakeoff.domain.benchmark import Json
from bakeoff.domain.prompt import Completion
from bakeoff.inference.generators.extractive import Extractive
from bakeoff.inference.retrieving.hopping import Next, Trail
from bakeoff.inference.retrieving.prompt_texts import PromptText, numbered
from bakeoff.inference.retrieving.replies import UnreadableReplyError, object_of, unanswered, unreadable
from bakeoff.inference.retrieving.searching import Asked, AskModel

STEP = "making the next query"
ENOUGH, QUERY = "enough", "query"
FORM = '{"enough": true or false, "query": "…, empty when enough"}'
SCHEMA: Json = {
    "type": "object",
    "properties": {ENOUGH: {"type": "boolean"}, QUERY: {"type": "string"}},
    "required": [ENOUGH, QUERY],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ModelScout:
    """Asks a model for the next query, or whether there is enough."""

    prompt: PromptText
    passages: int
    """First passages of each hop that it is shown."""
    chars: int
    """Of each passage."""

    @property
    def facts(self) -> dict[str, object]:
        """The digest of the prompt."""
        return {"prompt": self.prompt.digest}

    def next(self, trails: Sequence[Trail], ask: AskModel) -> list[Next]:
        """Return what the model says of each trail."""
        outcomes = ask([self._asked(trail) for trail in trails], SCHEMA)
        for trail, outcome in zip(trails, outcomes, strict=True):
            trail.steps.asked([outcome])
        return [next_of(outcome) for outcome in outcomes]

    def _asked(self, trail: Trail) -> Asked:
        shown = {each.chunk_id: each for ranking in trail.rankings for each in ranking[: self.passages]}
        prompt = self.prompt.filled(
            question=trail.question.text,
            queries="\n".join(f"- {' '.join(query.split())}" for query in trail.queries),
            passages=numbered(list(shown.values()), self.chars),
            form=FORM,
        )
        return Asked(trail.question.case_id, f"hop {len(trail.queries) + 1}", prompt)


def next_of(outcome: Completion | Failure) -> Next:
    """Return what a model replied to the question what comes next."""
    if isinstance(outcome, Failure):
        return Next(failure=unanswered(STEP, outcome))
    try:
        reply = object_of(outcome.text)
        enough, query = reply.get(ENOUGH), reply.get(QUERY, "")
        if not isinstance(enough, bool):
            raise UnreadableReplyError(f"{ENOUGH!r} must be true or false")
        if enough:
            return Next(ended="enough")
        if not isinstance(query, str) or not query.strip():
            raise UnreadableReplyError(f"it is not enough, and {QUERY!r} is no text that could be searched for")
    except UnreadableReplyError as error:
        return Next(failure=unreadable(STEP, outcome, error))
    return Next(" ".join(query.split()))


@dataclass(frozen=True, slots=True)
class SentenceScout:
    """Takes the found sentence that shares most with the question, and puts it behind the last query; asks no model."""

    passages: int
    """First passages of the last hop that it looks at."""
    sentences: Extractive

    @property
    def facts(self) -> dict[str, object]:
        """Nothing is to be known of it."""
        return {}

    def next(self, trails: Sequence[Trail], ask: AskModel) -> list[Next]:
        """Return the next query of each trail."""
        return [self._next(trail) for trail in trails]

    def _next(self, trail: Trail) -> Next:
        for passages in self._groups(trail):
            said = self.sentences.generate(trail.question.text, passages, seed=0, case_id=trail.question.case_id).text
            if said and said not in trail.queries[-1]:
                return Next(f"{trail.queries[-1]} {said}")
        return Next(ended="nothing_new")

    def _groups(self, trail: Trail) -> Sequence[Sequence[Passage]]:
        """Return the passages that no earlier hop has shown, together and then one by one."""
        before = {each.chunk_id for ranking in trail.rankings[:-1] for each in ranking[: self.passages]}
        fresh = [each for each in trail.rankings[-1][: self.passages] if each.chunk_id not in before]
        return [fresh, *([each] for each in fresh)] if fresh else []

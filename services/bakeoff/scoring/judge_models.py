"""Asking models that judge: many requests at once, with a schema for the answer where the endpoint takes one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.benchmark import Json
from bakeoff.domain.prompt import Completion
from bakeoff.models.access import ModelAccess
from bakeoff.models.asking import ModelRequest
from bakeoff.models.choice import ModelChoice

Outcomes = list[Completion | Failure]


class Models(Protocol):
    """What evaluators ask models with; a function of one's own will do in a notebook."""

    def __call__(self, choice: ModelChoice, requests: Sequence[ModelRequest], schema: Json | None) -> Outcomes:
        """Return what each request came to, in their order.

        Args:
            choice: The model.
            requests: What it is told.
            schema: JSON schema of the answers, for endpoints that hold models to one; None when none is wanted.

        Raises:
            InvalidInputError: the model's key is not there.
            OutOfReachError: a part of the platform does not answer.
            CancelledItemError: the evaluation was cancelled.
        """


@dataclass(slots=True)
class OpenedModels:
    """Models of endpoints. What is stored is not asked again; whether an endpoint takes schemas is found out once."""

    access: ModelAccess
    step: Callable[[], None] = lambda: None
    """Is told of every answer, and may raise to end the asking."""
    takes_schema: dict[tuple[str, str], bool] = field(default_factory=dict)
    """By address and model; shared between items."""

    def __call__(self, choice: ModelChoice, requests: Sequence[ModelRequest], schema: Json | None) -> Outcomes:
        """Ask as `Models` says. An endpoint that refuses the schema is asked without, and its answer read strictly."""
        endpoint = (choice.settings.base_url, choice.settings.model)
        if not requests:
            return []
        if schema is None or self.takes_schema.get(endpoint) is False:
            return self._ask(choice, requests)
        found: list[Completion | Failure | None] = [None] * len(requests)
        if endpoint not in self.takes_schema:
            # Answers of an endpoint that refused the schema before: it need not be asked to refuse it again.
            found = list(self._recall(choice, requests))
        open_ = [place for place, outcome in enumerate(found) if outcome is None]
        structured = with_schema(choice, schema)
        # One request finds out for all: a hundred refusals would be impolite.
        first = 0 if endpoint in self.takes_schema else 1
        for places in (open_[:first], open_[first:]):
            if self.takes_schema.get(endpoint) is False:
                asked = self._ask(choice, [requests[place] for place in places])
            else:
                asked = self._with_schema(endpoint, choice, structured, [requests[place] for place in places])
            for place, outcome in zip(places, asked, strict=True):
                found[place] = outcome
        return [outcome for outcome in found if outcome is not None]

    def _with_schema(
        self, endpoint: tuple[str, str], choice: ModelChoice, structured: ModelChoice, requests: list[ModelRequest]
    ) -> Outcomes:
        outcomes = self._ask(structured, requests)
        if any(isinstance(outcome, Completion) for outcome in outcomes):
            self.takes_schema[endpoint] = True
        refused = [place for place, outcome in enumerate(outcomes) if _refused(outcome)]
        for place, outcome in zip(refused, self._ask(choice, [requests[place] for place in refused]), strict=True):
            outcomes[place] = outcome
            if isinstance(outcome, Completion):
                self.takes_schema.setdefault(endpoint, False)
        return outcomes

    def _ask(self, choice: ModelChoice, requests: Sequence[ModelRequest]) -> Outcomes:
        from bakeoff.models.answering import answer_all  # see `ModelAccess.open`

        outcomes: dict[int, Completion | Failure] = {}

        def on_answer(number: int, outcome: Completion | Failure) -> None:
            outcomes[number] = outcome
            self.step()

        if requests:
            answer_all(self.access.open(choice), requests, on_answer)
        return [outcomes[number] for number in range(len(requests))]

    def _recall(self, choice: ModelChoice, requests: Sequence[ModelRequest]) -> list[Completion | None]:
        from bakeoff.models.answering import recall_all

        return recall_all(self.access.open(choice), requests)


def with_schema(choice: ModelChoice, schema: Json) -> ModelChoice:
    """Return a model that is asked to answer by a JSON schema."""
    asked = {"type": "json_schema", "json_schema": {"name": "judgement", "strict": True, "schema": schema}}
    settings = replace(choice.settings, parameters={**choice.settings.parameters, "response_format": asked})
    return replace(choice, settings=settings)


def _refused(outcome: Completion | Failure) -> bool:
    return isinstance(outcome, Failure) and outcome.kind is FailureKind.INPUT

"""Asking the model of an engine: seeds of (seed, case, step), and a JSON schema where the endpoint takes one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.benchmark import Json
from bakeoff.domain.identity import digest_of
from bakeoff.domain.prompt import Completion
from bakeoff.inference.model_answers import SEEDS
from bakeoff.inference.retrieving.searching import Asked, EngineModel
from bakeoff.models.access import ModelAccess
from bakeoff.models.asking import ModelRequest
from bakeoff.models.choice import ModelChoice

Outcomes = list[Completion | Failure]


def step_seed(seed: int, case_id: str, step: str) -> int:
    """Return the seed of one step of a case: of (seed, case id, step) alone; from 0, below 2^31 - 1."""
    return int(digest_of({"seed": seed, "case": case_id, "step": step})[:12], 16) % SEEDS


@dataclass(slots=True)
class SchemaTakers:
    """Which endpoints hold models to a schema; shared by all that a process asks."""

    known: dict[tuple[str, str], bool] = field(default_factory=dict)
    """By address and model."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks one model on behalf of an evaluation."""

    model: EngineModel
    access: ModelAccess
    seed: int
    scope: str
    step: Callable[[], None]
    """Is told of every reply, and may raise to end the asking."""
    takers: SchemaTakers

    def __call__(self, asked: Sequence[Asked], schema: Json) -> Outcomes:
        """Ask as `AskModel` says. An endpoint that refuses the schema is asked without."""
        choice = self.model.choice
        requests = [self._request(each) for each in asked]
        endpoint = (choice.settings.base_url, choice.settings.model)
        if not self.model.structured or self.takers.known.get(endpoint) is False:
            return self._ask(choice, requests)
        found: list[Completion | Failure | None] = [None] * len(requests)
        if endpoint not in self.takers.known:
            # What an endpoint without schemas replied before: it need not be asked to refuse one again.
            found = list(self._recall(choice, requests))
        # One request finds out for all: a hundred refusals would be impolite.
        while open_ := [place for place, outcome in enumerate(found) if outcome is None]:
            places = open_ if endpoint in self.takers.known else open_[:1]
            outcomes = self._probing(endpoint, schema, [requests[place] for place in places])
            for place, outcome in zip(places, outcomes, strict=True):
                found[place] = outcome
        return [outcome for outcome in found if outcome is not None]

    def _probing(self, endpoint: tuple[str, str], schema: Json, requests: Sequence[ModelRequest]) -> Outcomes:
        choice = self.model.choice
        if self.takers.known.get(endpoint) is False:
            return self._ask(choice, requests)
        outcomes = self._ask(with_schema(choice, schema), requests)
        if any(isinstance(outcome, Completion) for outcome in outcomes):
            self.takers.known[endpoint] = True
        refused = [place for place, outcome in enumerate(outcomes) if _refused(outcome)]
        again = self._ask(choice, [requests[place] for place in refused])
        for place, outcome in zip(refused, again, strict=True):
            outcomes[place] = outcome
            if isinstance(outcome, Completion):
                self.takers.known.setdefault(endpoint, False)
        return outcomes

    def _request(self, asked: Asked) -> ModelRequest:
        seed = step_seed(self.seed, asked.case_id, asked.step) if self.model.choice.send_seed else None
        return ModelRequest(asked.prompt, seed)

    def _ask(self, choice: ModelChoice, requests: Sequence[ModelRequest]) -> Outcomes:
        outcomes: dict[int, Completion | Failure] = {}

        def on_answer(number: int, outcome: Completion | Failure) -> None:
            outcomes[number] = outcome
            self.step()

        if requests:
            self.access.open_lasting(choice).ask_all(requests, on_answer, scope=self.scope)
        return [outcomes[number] for number in range(len(requests))]

    def _recall(self, choice: ModelChoice, requests: Sequence[ModelRequest]) -> list[Completion | None]:
        from bakeoff.models.answering import recall_all  # see `ModelAccess.open`

        return recall_all(self.access.open(choice), requests) if requests else []


def with_schema(choice: ModelChoice, schema: Json) -> ModelChoice:
    """Return a model that is asked to reply by a JSON schema."""
    asked = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}
    settings = replace(choice.settings, parameters={**choice.settings.parameters, "response_format": asked})
    return replace(choice, settings=settings)


def _refused(outcome: Completion | Failure) -> bool:
    return isinstance(outcome, Failure) and outcome.kind is FailureKind.INPUT

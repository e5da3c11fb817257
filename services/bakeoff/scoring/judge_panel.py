"""Who judges: functions in a notebook, or one model that is asked as often as there are votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bakeoff.domain.answer import Failure
from bakeoff.domain.benchmark import Json
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.identity import digest_of
from bakeoff.domain.prompt import Completion
from bakeoff.models.asking import ModelRequest
from bakeoff.models.choice import ModelChoice
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.judge_questions import AskPanel, JudgeRequest
from bakeoff.scoring.judging import Ask, by_callables

SEEDS = 2**31 - 1
"""Seeds are at least 0 and below this: what every endpoint takes."""


class Panel(Protocol):
    """Some judges, each with one vote."""

    @property
    def votes(self) -> int:
        """How many they are, from 1."""

    def panel(self, schema: Json, context: ScoringContext) -> AskPanel:
        """Return what asks them.

        Args:
            schema: JSON schema of their answers.
            context: What else scores depend on.

        Raises:
            InvalidInputError: no model can be asked here.
        """


@dataclass(frozen=True, slots=True)
class FunctionPanel:
    """Judges that are functions."""

    judges: tuple[Ask, ...]

    @property
    def votes(self) -> int:
        """One each."""
        return len(self.judges)

    def panel(self, schema: Json, context: ScoringContext) -> AskPanel:
        """Return what calls them, one after the other."""
        return by_callables(self.judges)


@dataclass(frozen=True, slots=True)
class ModelPanel:
    """One model with several votes: each is a sample of its own, with a seed of its own."""

    choice: ModelChoice
    votes: int = 1
    structured: bool = True
    """Whether the endpoint is asked to hold the model to the schema."""

    def panel(self, schema: Json, context: ScoringContext) -> AskPanel:
        """Return what asks the model everything at once."""
        models = context.models
        if models is None:
            raise InvalidInputError("a model is to judge, and no model can be asked here")

        def ask(requests: Sequence[JudgeRequest]) -> list[Completion | Failure]:
            told = [
                ModelRequest(each.prompt, self._seed(context.seed, each.case_id, each.judge), each.judge)
                for each in requests
            ]
            return models(self.choice, told, schema if self.structured else None)

        return ask

    def _seed(self, seed: int, case_id: str, vote: int) -> int | None:
        if not self.choice.send_seed:
            return None
        return int(digest_of({"seed": seed, "case": case_id, "vote": vote})[:12], 16) % SEEDS

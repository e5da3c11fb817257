"""How a recipe's answer part asks its model."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import partial

from bakeoff.domain.recipe import AnswerPart
from bakeoff.inference.examples.pools import ExamplePools
from bakeoff.inference.model_answers import Asking
from bakeoff.inference.prompted import Prompting
from bakeoff.models.access import ModelAccess
from bakeoff.models.choice import ModelChoice
from bakeoff.models.lasting import WhileWaiting


def asking_of(
    part: AnswerPart,
    choice: ModelChoice,
    models: ModelAccess,
    examples: ExamplePools,
    *,
    seed: int,
    scope: str = "",
    waiting: WhileWaiting = nullcontext,
) -> Asking:
    """Return how an answer part asks its model.

    Args:
        part: Template, examples, passages, samples and what is weighed.
        choice: The model.
        models: Opens it.
        examples: Cases that may be shown.
        seed: With the case id, the source of everything random.
        scope: On whose behalf; see `Model.batch`.
        waiting: Entered while the model would take more than it is asked; see `LastingModel.ask_all`.

    Raises:
        NotFoundError: there is no example retriever of that name.
        InvalidInputError: the template cannot be read, a setting is wrong, or the key is missing.
    """
    from bakeoff.models.weighing import weigh_all  # see `ModelAccess.open`

    asking = Asking(
        Prompting.of(part, examples, chat=choice.chat, system=choice.system),
        partial(models.open_lasting(choice).ask_all, scope=scope, waiting=waiting),
        part.samples,
        seed,
        choice.send_seed,
        part.passages,
    )
    if part.likelihood is None:
        return asking
    return replace(asking, likelihood=part.likelihood, weigh_all=partial(weigh_all, models.open(choice)))

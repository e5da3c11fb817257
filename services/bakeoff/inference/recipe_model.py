"""How a recipe's answer part asks its model."""

from __future__ import annotations

from functools import partial

from bakeoff.domain.recipe import AnswerPart
from bakeoff.inference.examples.pools import ExamplePools
from bakeoff.inference.model_answers import Asking
from bakeoff.inference.prompted import Prompting
from bakeoff.models.access import ModelAccess
from bakeoff.models.choice import ModelChoice


def asking_of(
    part: AnswerPart, choice: ModelChoice, models: ModelAccess, examples: ExamplePools, *, seed: int
) -> Asking:
    """Return how an answer part asks its model.

    Args:
        part: Template, examples, passages and samples.
        choice: The model.
        models: Opens it.
        examples: Cases that may be shown.
        seed: With the case id, the source of everything random.

    Raises:
        NotFoundError: there is no example retriever of that name.
        InvalidInputError: the template cannot be read, a setting is wrong, or the key is missing.
    """
    from bakeoff.models.answering import answer_all  # see `ModelAccess.open`

    return Asking(
        Prompting.of(part, examples, chat=choice.chat),
        partial(answer_all, models.open(choice)),
        part.samples,
        seed,
        choice.send_seed,
        part.passages,
    )

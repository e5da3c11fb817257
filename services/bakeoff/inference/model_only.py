"""What only a model is told: a generator that asks none would overlook it, and nobody would notice."""

from __future__ import annotations

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.recipe import AnswerPart


def check_asks_no_model(part: AnswerPart) -> None:
    """Check an answer part whose generator asks no model.

    Raises:
        InvalidInputError: it has a template, examples, samples or likelihoods, which only a model looks at.
    """
    problem = f"needs a generator that asks a model, such as openai; {part.generator.name} asks none"
    faults = [Violation(f"answer.{name}", problem) for name in part.told_to_models]
    if faults:
        raise InvalidInputError("nothing can be answered so", faults)

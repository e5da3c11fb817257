"""Evaluators that compare entrants: whom they name, and the answers that their score items wait for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.recipe import Entrant, Recipe
from bakeoff.domain.work import InferTask, PlanItem, ScoreTask

OPPONENT = "opponent"
"""Setting by which an evaluator names the entrant that the others are compared with."""


def opponent_of(named: str, recipes: Sequence[Recipe]) -> str:
    """Return the entrant that is meant, as `recipe/mode`.

    Args:
        named: An entrant, a recipe with one query mode, or empty for the first entrant.
        recipes: Those of the evaluation.

    Raises:
        InvalidInputError: there is no such entrant, or nobody to compare it with; names the entrants.
    """
    entrants = [str(Entrant.of(recipe, mode)) for recipe in recipes for mode in recipe.modes]
    if len(entrants) < 2:
        raise InvalidInputError("a duel needs two entrants, and this evaluation has one")
    meant = [each for each in entrants if each == named or each.rpartition("/")[0] == named]
    if not named:
        return entrants[0]
    if len(meant) != 1:
        what = "several entrants are" if meant else "no entrant is"
        raise InvalidInputError(f"{what} named {named!r}; known: {', '.join(entrants)}")
    return meant[0]


def with_opponents(specs: Sequence[ComponentSpec], recipes: Sequence[Recipe]) -> tuple[ComponentSpec, ...]:
    """Return evaluators of which those that compare entrants name theirs in full.

    Raises:
        InvalidInputError: as `opponent_of`.
    """
    return tuple(
        replace(spec, settings={**spec.settings, OPPONENT: opponent_of(str(spec.settings[OPPONENT]), recipes)})
        if OPPONENT in spec.settings
        else spec
        for spec in specs
    )


def with_opponents_answers(items: Sequence[PlanItem]) -> tuple[PlanItem, ...]:
    """Return items of which each score waits for the answers of its opponents to the same cases, too."""
    asked = {
        (body.benchmark, body.unit_id, body.cases_start, body.cases_stop, str(body.entrant)): item.task.item
        for item in items
        if isinstance(body := item.task.body, InferTask)
    }
    return tuple(_waiting(item, asked) for item in items)


def _waiting(item: PlanItem, asked: dict[tuple[str, str, int, int, str], str]) -> PlanItem:
    body = item.task.body
    if not isinstance(body, ScoreTask):
        return item
    named = {str(spec.settings[OPPONENT]) for spec in body.evaluators if OPPONENT in spec.settings}
    opponents = {
        name: asked[body.benchmark, body.unit_id, body.cases_start, body.cases_stop, name]
        for name in sorted(named - {str(body.entrant)})
    }
    own = f"{Stage.INFER.value}/{body.infer_item}"
    needs = (own, *(f"{Stage.INFER.value}/{each}" for each in opponents.values()))
    return replace(item, task=replace(item.task, body=replace(body, opponents=opponents)), needs=needs)

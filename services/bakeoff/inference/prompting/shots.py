"""How one example is shown: an ice_template without its place for examples, and without the instruction."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from bakeoff.inference.prompting.bodies import (
    EXAMPLES_SLOT,
    Body,
    Dialogue,
    Item,
    LabelWise,
    Part,
    Place,
    Plain,
    Text,
    places_between_turns,
    places_of,
    plain_bodies,
)

Fault = Callable[[str, str], NoReturn]


def fitting_shot(
    item: Body, shown: Body | None, *, alone: bool, token_given: bool, repeat_instruction: bool, fault: Fault
) -> Body | None:
    """Return how an example is shown, after checking that it has one place in the question and fits there.

    Args:
        item: How the question is asked.
        shown: The ice_template; None when there is none.
        alone: Whether the ice_template is also how the question is asked.
        token_given: Whether the template names an ice_token, which must then be used.
        repeat_instruction: Whether each example repeats what stands before the place, and a dialogue's begin and end.
        fault: Raises for a field and its problem.

    Returns:
        None when the template shows no examples.
    """
    field = "ice_template" if alone else "prompt_template"
    for body in plain_bodies(item):
        places = places_of(body)
        if places > 1:
            fault(field, f"must say once where the examples go, not {places} times")
        if not places and token_given:
            fault(field, "does not have the ice_token, so examples have no place in it")
        if not places and shown is not None and not alone:
            fault(field, "needs the ice_token or {examples} where the examples of the ice_template go")
        if places and shown is not None:
            _check_fit(body, shown, field, fault)
    placed = [bool(places_of(body)) for body in plain_bodies(item)]
    if any(placed) and not all(placed):
        fault(field, "must say where the examples go for every label, or for none")
    return _shot(shown, repeat_instruction) if shown is not None and any(placed) else None


def _check_fit(body: Plain, shown: Body, field: str, fault: Fault) -> None:
    between_turns = bool(places_between_turns(body))
    for example in plain_bodies(shown):
        if isinstance(example, Dialogue) and not between_turns:
            fault(
                field, "has the examples' place within a text, but the ice_template is a dialogue: put it between turns"
            )
        if isinstance(example, Text) and between_turns:
            fault(field, "has the examples' place between turns, but the ice_template is text: put it within a prompt")


def _shot(shown: Body, repeat_instruction: bool) -> Body:
    if isinstance(shown, LabelWise):
        return LabelWise(tuple((label, _plain_shot(body, repeat_instruction)) for label, body in shown.bodies))
    return _plain_shot(shown, repeat_instruction)


def _plain_shot(body: Plain, repeat_instruction: bool) -> Plain:
    if isinstance(body, Text):
        return _without_place(body) if repeat_instruction else _without_place(body.behind_examples())
    if repeat_instruction:
        return Dialogue(_turns(body.begin), _turns(body.round), _turns(body.end))
    return Dialogue((), _turns(body.round), ())


def _without_place(text: Text) -> Text:
    return Text(tuple(Part(part.text.replace(EXAMPLES_SLOT, ""), part.when) for part in text.parts))


def _turns(items: tuple[Item, ...]) -> tuple[Item, ...]:
    return tuple(item for item in items if not isinstance(item, Place))

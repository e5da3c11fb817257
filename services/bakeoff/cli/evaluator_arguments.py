"""Evaluators as they are written on a command line: a name, a signature, or JSON; checked before anything is asked."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bakeoff.domain.component import NAME, ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.runtime.registry import check_settings, unknown
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators

OPTION = "--evaluator"
WAYS = 'name, name(setting=value, …) or {"name": {"setting": value}}'


def read_evaluator(text: str) -> ComponentSpec:
    """Read one evaluator.

    Args:
        text: `exact_match`, `token_f1(normaliser="squad")`, `{"token_f1": {"normaliser": "squad"}}`, or, as a report
            has it, `{"name": "token_f1", "settings": {"normaliser": "squad"}}`.

    Raises:
        InvalidInputError: it is none of these; shows it and what is expected.
    """
    if text.lstrip().startswith("{"):
        return _from_json(text)
    try:
        return ComponentSpec.parse(text)
    except InvalidInputError as error:
        known = ", ".join(evaluators.load().names())
        raise InvalidInputError(f"{OPTION}: {error.message}; known: {known}") from None


def check_evaluators(
    chosen: Sequence[ComponentSpec], kept: Sequence[ComponentSpec] = (), *, plugins: Sequence[str] = ()
) -> None:
    """Check that evaluators can be made, and that no two give a metric of one name, by what is installed here.

    One that is not installed here is left to the platform when it was `kept`, and refused when it was chosen.

    Args:
        chosen: What was asked for.
        kept: What stands beside it; the same method twice is one.
        plugins: Modules with further evaluators.

    Raises:
        InvalidInputError: an evaluator is unknown, a setting is wrong, or two give a metric of one name.
    """
    known = evaluators.load(plugins).names()
    violations = []
    for spec in chosen:
        if spec.name not in known:
            violations.append(Violation(OPTION, unknown(ComponentKind.EVALUATOR, spec.name, known)))
        else:
            violations += check_settings(evaluators.card(spec.name), spec, f"{OPTION} {spec.name}")
    if violations:
        raise InvalidInputError("the answers cannot be scored so", violations)
    make_methods(evaluators, [spec for spec in (*kept, *chosen) if spec.name in known])


def _from_json(text: str) -> ComponentSpec:
    try:
        said = json.loads(text)
    except ValueError as error:
        raise InvalidInputError(f"{OPTION}: {text!r} is no JSON: {error}") from None
    if said.keys() == {"name", "settings"}:
        name, settings = said["name"], said["settings"]
    elif len(said) == 1:
        ((name, settings),) = said.items()
    else:
        raise InvalidInputError(f"{OPTION}: {text!r} is no evaluator; write it as {WAYS}")
    if not isinstance(name, str) or not NAME.fullmatch(name) or not isinstance(settings, dict | None):
        raise InvalidInputError(f"{OPTION}: {text!r} is no evaluator; write it as {WAYS}")
    return ComponentSpec(name, settings or {})

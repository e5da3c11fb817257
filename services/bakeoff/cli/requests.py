"""Reading an evaluation file for a command: checked against what is installed, and its sources looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bakeoff.cli.evaluation_file import read_evaluation_file
from bakeoff.cli.local_components import local_cards
from bakeoff.cli.model_checks import asks_models, check_models
from bakeoff.cli.question_checks import check_questions
from bakeoff.domain.component import ComponentCard
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.preparation.check import check_benchmark
from bakeoff.runtime.settings import Settings
from bakeoff.scoring.registries import evaluators


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request that is right as far as can be known here."""

    request: EvaluationRequest
    """With all settings filled in and local paths absolute."""
    cards: Sequence[ComponentCard]
    """What it was checked against."""


def read_request(path: Path, settings: Settings, *, look: bool = True, ask: bool = False) -> ReadRequest:
    """Read an evaluation file, check it, and look whether its local sources are there.

    Args:
        path: The file.
        settings: Name the plug-ins.
        look: Whether the sources must be on this machine.
        ask: Whether endpoints are asked if they have the models.

    Raises:
        NotFoundError: there is no such file.
        InvalidInputError: it has faults, or a benchmark cannot be prepared from what is there; all at once.
    """
    cards = local_cards(settings)
    checked = read_evaluation_file(path, cards, partial(_check, settings=settings, look=look, ask=ask))
    return ReadRequest(checked.request, cards)


def _check(request: EvaluationRequest, settings: Settings, look: bool, ask: bool) -> list[Violation]:
    faults = [*_check_judges(request), *(_check_sources(request, settings) if look else ())]
    if look and not faults:
        faults += check_questions(request, settings)
    if ask and not faults:
        faults += check_models(request, settings)
    return faults


def _check_judges(request: EvaluationRequest) -> list[Violation]:
    """Make the evaluators that ask models: what is wrong with one is told before any model is asked."""
    violations: list[Violation] = []
    for i, choice in enumerate(request.benchmarks):
        for j, spec in enumerate(choice.evaluators):
            if not asks_models(spec):
                continue
            try:
                evaluators.make(spec)
            except InvalidInputError as error:
                place = f"benchmarks[{i}].evaluators[{j}]"
                violations += [replace(each, field=f"{place}.{each.field}") for each in error.violations]
                violations += [] if error.violations else [Violation(place, error.message)]
    return violations


def _check_sources(request: EvaluationRequest, settings: Settings) -> list[Violation]:
    violations: list[Violation] = []
    for i, choice in enumerate(request.benchmarks):
        try:
            check_benchmark(choice, settings)
        except InvalidInputError as error:
            violations += _as_of_request(error, f"benchmarks[{i}].adapter", choice.adapter.name)
    return violations


def _as_of_request(error: InvalidInputError, path: str, adapter: str) -> list[Violation]:
    """Return a benchmark's violations with the fields that they have in the request."""
    if not error.violations:
        return [Violation(path, error.message)]
    return [
        violation if violation.file else replace(violation, field=path + violation.field.removeprefix(adapter))
        for violation in error.violations
    ]

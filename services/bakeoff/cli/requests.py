"""Reading an evaluation file for a command: checked against what is installed, and its sources looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bakeoff.cli.evaluation_file import read_evaluation_file
from bakeoff.cli.local_components import local_cards
from bakeoff.domain.component import ComponentCard
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.preparation.check import check_benchmark
from bakeoff.runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request that is right as far as can be known here."""

    request: EvaluationRequest
    """With all settings filled in and local paths absolute."""
    cards: Sequence[ComponentCard]
    """What it was checked against."""


def read_request(path: Path, settings: Settings, *, look: bool = True) -> ReadRequest:
    """Read an evaluation file, check it, and look whether its local sources are there.

    Args:
        path: The file.
        settings: Name the plug-ins.
        look: Whether the sources must be on this machine.

    Raises:
        NotFoundError: there is no such file.
        InvalidInputError: it has faults, or a benchmark cannot be prepared from what is there; all at once.
    """
    cards = local_cards(settings)
    checked = read_evaluation_file(path, cards, partial(_check_sources, settings=settings) if look else None)
    return ReadRequest(checked.request, cards)


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

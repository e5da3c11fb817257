"""Small benchmarks without documents, read before anything starts: broken rows, and prompts that a case cannot fill."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bakeoff.cli.prepared_here import prepared_here
from bakeoff.contract.stored import PreparedReader
from bakeoff.domain.benchmark import BenchmarkChoice, Case, ResourceKind
from bakeoff.domain.errors import InvalidInputError, NotFoundError, Violation
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.recipe import AnswerPart, Recipe
from bakeoff.inference.example_shelf import ExampleShelf
from bakeoff.inference.prompted import Prompting
from bakeoff.inference.prompting.values import column_names, columns_of
from bakeoff.inference.registries import generators
from bakeoff.models.choice import ModelChoice
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.sources import is_remote, local_path
from bakeoff.runtime.settings import Settings

LARGEST_BYTES = 16 << 20
"""Files of a benchmark up to which it is read twice, here and by the platform: a second or two."""


def check_questions(request: EvaluationRequest, settings: Settings) -> list[Violation]:
    """Return what is wrong with the rows of small local benchmarks without documents, and with prompts for them.

    Larger and remote ones are read when they are prepared, which is before any model is asked, too.

    Args:
        request: A request whose sources are there.
        settings: Name the plug-ins.
    """
    violations: list[Violation] = []
    with TemporaryDirectory(prefix="bakeoff-") as scratch:
        for number, choice in enumerate(request.benchmarks):
            if not _is_small(choice, settings):
                continue
            try:
                prepared = prepared_here(choice, Path(scratch) / str(number), settings)
            except InvalidInputError as error:
                violations += error.violations or (Violation(f"benchmarks[{number}].adapter", error.message),)
            else:
                violations += _prompts(request, choice, prepared)
    return violations


def _is_small(choice: BenchmarkChoice, settings: Settings) -> bool:
    adapter = adapters.load(settings.plugin_modules).make(choice.adapter)
    resources = adapter.resources()
    if adapter.manifest.metadata.get("documents") is not False or any(is_remote(each.uri) for each in resources):
        return False
    if any(each.kind is ResourceKind.ARCHIVE for each in resources):
        return False
    size = 0
    for resource in resources:
        path = local_path(resource.uri)
        for file in path.rglob("*") if path.is_dir() else (path,):
            size += file.stat().st_size if file.is_file() else 0
            if size > LARGEST_BYTES:
                return False
    return True


def _prompts(request: EvaluationRequest, choice: BenchmarkChoice, prepared: PreparedReader) -> Iterator[Violation]:
    cases = tuple(prepared.cases())
    name = choice.name or prepared.manifest.benchmark.name
    for number, recipe in enumerate(request.recipes):
        if part := _asking(recipe):
            for fault in _prompt(part, cases, prepared):
                yield Violation(f"recipes[{number}].answer.{fault.field}", f"{fault.problem} (benchmark {name!r})")


def _asking(recipe: Recipe) -> AnswerPart | None:
    """Return the answer part of a recipe that asks a model without passages; what else is wrong is told elsewhere."""
    if recipe.answer is None or recipe.query:
        return None
    try:
        generator = generators.make(recipe.answer.generator)
    except (InvalidInputError, NotFoundError):
        return None
    return recipe.answer if isinstance(generator, ModelChoice) else None


def _prompt(part: AnswerPart, cases: tuple[Case, ...], prepared: PreparedReader) -> Iterator[Violation]:
    pools = ExampleShelf().of(prepared)
    try:
        prompting = Prompting.of(part, pools)
        retriever = prompting.retriever
        for fault in dict.fromkeys(fault for case in cases for fault in pools.check(retriever, case)):
            yield Violation(f"examples.{fault.field}".rstrip("."), fault.problem)
        if prompting.template is not None:
            shown = columns_of(pools) if retriever.count else None
            prompting.template.check(columns_of(cases), example_columns=shown)
    except InvalidInputError as error:
        for fault in error.violations or (Violation("", error.message),):
            yield Violation("template", fault.problem + _first_without(fault.field.rpartition(".")[2], cases))
    except NotFoundError:
        return  # no such retriever: told with the components


def _first_without(slot: str, cases: tuple[Case, ...]) -> str:
    lacking = next((case for case in cases if slot and slot not in column_names(case)), None)
    if lacking is None or all(slot not in column_names(case) for case in cases):
        return ""
    row = lacking.metadata.get("row")
    return f"; the case {lacking.case_id!r}{f' (row {row})' if row else ''} has no such column"

"""Evaluation and recipe files: YAML that becomes an evaluation request, or the list of all that is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bakeoff.cli import shape
from bakeoff.cli.companions import read_with_companions
from bakeoff.cli.component_values import UNREADABLE, read_component
from bakeoff.cli.draft import Draft, Found
from bakeoff.cli.likelihood_part import read_likelihood
from bakeoff.cli.setting_paths import local_path
from bakeoff.cli.yaml_values import Value, parse
from bakeoff.control.checking import Checked, check_request
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentCard, ComponentKind
from bakeoff.domain.errors import InvalidInputError, NotFoundError, Violation
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest
from bakeoff.domain.recipe import AnswerPart, BuildPart, QueryMode, Recipe

LARGEST_FILE = 4 << 20  # bytes; a request must fit into 64 KiB in the end


Further = Callable[[EvaluationRequest], Sequence[Violation]]
"""A check of a request that is right so far, such as whether its data is there; fields are those of the request."""


def read_evaluation_file(path: Path, cards: Sequence[ComponentCard], further: Further | None = None) -> Checked:
    """Read and check an evaluation file.

    Args:
        path: The file. Its name stands in the messages as it is given here.
        cards: The components that are known.
        further: Asked when nothing else is wrong; None asks nothing more.

    Returns:
        The request with all settings filled in and local paths absolute; no violations; and the kinds that could not
        be checked because there is no card of theirs.

    Raises:
        NotFoundError: there is no such file.
        InvalidInputError: the file cannot be read or has faults; all of them at once, with their lines.
    """
    return read_evaluation(read_text(path), str(path), cards, further)


def read_evaluation(text: str, file: str, cards: Sequence[ComponentCard], further: Further | None = None) -> Checked:
    """Read and check the text of an evaluation file.

    Args:
        text: YAML.
        file: Name of the file, for messages; paths in it are relative to its folder.
        cards: The components that are known.
        further: Asked when nothing else is wrong; None asks nothing more.

    Raises:
        InvalidInputError: the text has faults; all of them at once, with their lines.
    """
    value, faults = parse(text, file)
    if value is None:
        raise _faulty(file, faults)
    return check_evaluation(value, faults, file, cards, further)


def check_evaluation(
    value: Value,
    faults: list[Violation],
    file: str,
    cards: Sequence[ComponentCard],
    further: Further | None = None,
) -> Checked:
    """Check an evaluation that has been read, from a file or from anywhere else.

    Args:
        value: The whole evaluation.
        faults: What is wrong with it so far.
        file: What it is called in messages.
        cards: The components that are known.
        further: Asked when nothing else is wrong; None asks nothing more.

    Raises:
        InvalidInputError: it has faults; all of them at once.
    """
    draft = Draft(cards)
    draft.faults = faults
    checked = check_request(_request(value, draft), cards)
    violations = draft.faults + draft.located(checked.violations)
    if not violations and further is not None:
        violations = draft.located(further(checked.request))
    if violations:
        raise _faulty(file, violations)
    return checked


def _faulty(file: str, violations: Sequence[Violation]) -> InvalidInputError:
    """Return the error for a file: violations by line, those of the file itself before those of its recipe files."""
    count = len(violations)
    ordered = sorted(violations, key=lambda one: (one.file != file, one.file or "", one.line or 0))
    return InvalidInputError(f"{file} has {count} fault{'s' if count != 1 else ''}:", ordered)


def read_text(path: Path) -> str:
    """Return a file's text.

    Raises:
        NotFoundError: there is no such file.
        InvalidInputError: it is a folder, too large, unreadable, or not UTF-8.
    """
    try:
        if path.is_file() and path.stat().st_size > LARGEST_FILE:
            raise InvalidInputError(f"{path} has {path.stat().st_size:,} bytes; allowed are {LARGEST_FILE:,}")
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise NotFoundError(f"there is no file {str(path)!r}") from None
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{path} is not UTF-8: byte {error.start} is {error.object[error.start]:#04x}"
        ) from None
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read: {error.strerror}") from None


def _request(value: Value, draft: Draft) -> EvaluationRequest:
    draft.place("", value)
    found = draft.mapping(value, shape.EVALUATION)
    said: dict[str, Any] = draft.scalars(found, shape.EVALUATION, "")
    options: dict[str, Any] = {}
    if "options" in found:
        options = draft.scalars(draft.mapping(found["options"], shape.OPTIONS), shape.OPTIONS, "options")
    for name in ("benchmarks", "recipes"):
        if name in found:
            draft.place(name, found[name])
    benchmarks = [_benchmark(item, draft, f"benchmarks[{i}]") for i, item in _items(found, "benchmarks", draft)]
    recipes = [_recipe(item, draft, f"recipes[{i}]") for i, item in _items(found, "recipes", draft)]
    return EvaluationRequest(
        **{"name": "", **said},
        benchmarks=tuple(benchmarks),
        recipes=tuple(recipes),
        options=EvaluationOptions(**options),
    )


def _items(found: Found, name: str, draft: Draft, *, alone: bool = False) -> list[tuple[int, Value]]:
    """Return the numbered items of a list; with `alone`, anything else is a list of one."""
    if name not in found:
        return []
    value = found[name]
    if isinstance(value.data, list):
        return list(enumerate(value.data))
    if alone:
        return [(0, value)]
    draft.fault(value, f"must be a list, not {value.described()}")
    return []


def _benchmark(value: Value, draft: Draft, path: str) -> BenchmarkChoice:
    adapter, found = read_with_companions(value, ComponentKind.ADAPTER, shape.BENCHMARK, draft, path)
    said: dict[str, Any] = draft.scalars(found, shape.BENCHMARK, path)
    evaluators = tuple(
        read_component(item, ComponentKind.EVALUATOR, draft, f"{path}.evaluators[{i}]")
        for i, item in _items(found, "evaluators", draft, alone=True)
    )
    return BenchmarkChoice(adapter, **said, evaluators=evaluators)


def _recipe(value: Value, draft: Draft, path: str) -> Recipe:
    if not isinstance(value.data, dict) or "file" not in value.data:
        return _recipe_here(value, draft, path)
    said: dict[str, Any] = draft.scalars(draft.mapping(value, shape.RECIPE_FILE), shape.RECIPE_FILE, path)
    inner = _recipe_file(value.data["file"], str(said["file"]), draft)
    if inner.data is None:
        draft.place(path, inner)
        return Recipe(path, query=(QueryMode("unreadable", UNREADABLE),))
    recipe = _recipe_here(inner, draft, path)
    return replace(recipe, name=said["name"]) if "name" in said else recipe


def _recipe_file(value: Value, name: str, draft: Draft) -> Value:
    """Return what a recipe file holds; when it cannot be read, an empty value where the fault stands."""
    nothing = replace(value, data=None)
    if not name:
        return nothing  # a fault already
    path = local_path(name, value.file)
    try:
        text = read_text(path)
    except NotFoundError:
        there = sorted(file.name for file in path.parent.glob("*.y*ml")) if path.parent.is_dir() else []
        near = f"; there is {', '.join(there[:10])}" if there else ""
        draft.fault(value, f"there is no file {str(path)!r}{near}")
        return nothing
    except InvalidInputError as error:
        draft.fault(value, error.message)
        return nothing
    inner, faults = parse(text, str(path))
    draft.faults.extend(faults)
    if inner is not None and inner.data is None:
        draft.fault(inner, "is empty")
    return inner or Value(None, "", str(path), 1)


def _recipe_here(value: Value, draft: Draft, path: str) -> Recipe:
    draft.place(path, value)
    found = draft.mapping(value, shape.RECIPE)
    said: dict[str, Any] = draft.scalars(found, shape.RECIPE, path)
    if "query" in found:
        draft.place(f"{path}.query", found["query"])
    modes = tuple(_mode(item, draft, f"{path}.query[{i}]") for i, item in _items(found, "query", draft, alone=True))
    if "build" in found and "answer" in found and not modes:  # without an answer, too, the lack of `query` is told
        problem = "is never asked, since the recipe has no `query`: say how it is asked, or leave out `build`"
        draft.fault(found["build"], problem)
    return Recipe(
        **{"name": "", **said},
        build=_build(found["build"], draft, f"{path}.build") if "build" in found else BuildPart(),
        query=modes,
        answer=_answer(found["answer"], draft, f"{path}.answer") if "answer" in found else None,
    )


def _build(value: Value, draft: Draft, path: str) -> BuildPart:
    draft.place(path, value)
    found = draft.mapping(value, shape.BUILD)
    kinds = {"parser": ComponentKind.PARSER, "chunker": ComponentKind.CHUNKER, "embedder": ComponentKind.EMBEDDER}
    parts: dict[str, Any] = {
        name: read_component(found[name], kind, draft, f"{path}.{name}")
        for name, kind in kinds.items()
        if name in found
    }
    if "index" in found and "indexes" in found:
        draft.fault(found["index"], "stands beside `indexes`; keep one of the two")
    name = "indexes" if "indexes" in found else "index"
    if name in found:
        draft.place(f"{path}.indexes", found[name])
        parts["indexes"] = tuple(
            read_component(item, ComponentKind.INDEX, draft, f"{path}.indexes[{i}]")
            for i, item in _items(found, name, draft, alone=True)
        )
    return BuildPart(**parts)


def _mode(value: Value, draft: Draft, path: str) -> QueryMode:
    engine, found = read_with_companions(value, ComponentKind.QUERY_ENGINE, shape.MODE, draft, path)
    said: dict[str, Any] = draft.scalars(found, shape.MODE, path)
    return QueryMode(engine=engine, **{"name": engine.name, **said})


def _answer(value: Value, draft: Draft, path: str) -> AnswerPart:
    generator, found = read_with_companions(value, ComponentKind.GENERATOR, shape.ANSWER, draft, path)
    said: dict[str, Any] = draft.scalars(found, shape.ANSWER, path)
    file = said.pop("template_file", None)
    if file is not None and "template" in said:
        draft.fault(found["template_file"], "stands beside `template`; keep one of the two")
    elif file is not None:
        said["template"] = _template(found["template_file"], file, draft)
    if "examples" in found:
        kind = ComponentKind.EXAMPLE_RETRIEVER
        said["examples"] = read_component(found["examples"], kind, draft, f"{path}.examples")
    if "likelihood" in found:
        said["likelihood"] = read_likelihood(found["likelihood"], draft, f"{path}.likelihood")
    return AnswerPart(generator, **said)


def _template(value: Value, name: str, draft: Draft) -> str:
    try:
        return read_text(local_path(name, value.file))
    except (NotFoundError, InvalidInputError) as error:
        draft.fault(value, str(error))
        return ""

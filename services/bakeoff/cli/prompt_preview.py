"""What a model would be told for one case of an evaluation file, found out here and without asking it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bakeoff.cli.prepared_here import prepared_here
from bakeoff.contract.stored import PreparedReader
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.recipe import AnswerPart, Recipe
from bakeoff.inference.example_shelf import ExampleShelf
from bakeoff.inference.model_answers import seed_of
from bakeoff.inference.prompted import Prompting, Told
from bakeoff.inference.registries import generators
from bakeoff.inference.weighed_texts import WeighedTexts, weighed_texts
from bakeoff.models.bodies import Body, answer_body
from bakeoff.models.choice import ModelChoice
from bakeoff.runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class Preview:
    """What a model would be told, and by which request; and what it would be asked to weigh."""

    told: Told | None
    """None when it is asked for no answer."""
    body: Body | None
    """JSON of the request, without anything about streaming."""
    weighed: WeighedTexts | None = None
    """None when it is asked for no likelihoods."""


def preview(request: EvaluationRequest, recipe_name: str, case_id: str, settings: Settings) -> Preview:
    """Return what a recipe's model would be told for a case.

    Args:
        request: A checked request.
        recipe_name: A recipe of it that asks a model without a knowledge base.
        case_id: A case of one of its benchmarks.
        settings: Where downloads are kept.

    Raises:
        NotFoundError: there is no such recipe or case.
        InvalidInputError: the recipe asks no model, or needs passages; the benchmark cannot be prepared; the case
            lacks what the template shows; or the id is that of cases of several benchmarks.
    """
    part, model = _asking(_recipe(request, recipe_name))
    found = []
    ids: list[str] = []
    with TemporaryDirectory(prefix="bakeoff-") as scratch:
        for number, choice in enumerate(request.benchmarks):
            prepared = prepared_here(choice, Path(scratch) / str(number), settings)
            found += [(choice, prepared, *each) for each in _numbered(prepared, case_id, ids)]
    if not found:
        raise NotFoundError(_no_case(case_id, ids))
    if len(found) > 1:
        names = ", ".join(repr(choice.name or choice.adapter.name) for choice, *_ in found)
        raise InvalidInputError(f"the case {case_id!r} is in {names}; leave only one of them in the file")
    _, prepared, position, case = found[0]
    prompting = Prompting.of(part, ExampleShelf().of(prepared), chat=model.chat, system=model.system)
    weighed = weighed_texts(prompting, part.likelihood, case, (), position=position) if part.likelihood else None
    if part.likelihood and not part.likelihood.generate:
        return Preview(None, None, weighed)
    told = prompting.tell(case, (), position=position)
    seed = seed_of(request.options.seed, case.case_id, 0) if model.send_seed else None
    return Preview(told, answer_body(model.settings, told.assembled.prompt, seed), weighed)


def _recipe(request: EvaluationRequest, name: str) -> Recipe:
    named = {recipe.name: recipe for recipe in request.recipes}
    if name not in named:
        raise NotFoundError(f"the file has no recipe {name!r}; it has: {', '.join(named)}")
    return named[name]


def _asking(recipe: Recipe) -> tuple[AnswerPart, ModelChoice]:
    if recipe.query:
        raise InvalidInputError(
            f"the recipe {recipe.name!r} shows retrieved passages, and nothing is retrieved here; only recipes without "
            "`query` can be shown without a platform"
        )
    generator = generators.make(recipe.answer.generator) if recipe.answer else None
    if recipe.answer is None or not isinstance(generator, ModelChoice):
        made_by = f"by {recipe.answer.generator.name!r}" if recipe.answer else "not at all"
        raise InvalidInputError(f"the recipe {recipe.name!r} asks no model: its answers are made {made_by}")
    return recipe.answer, generator


def _numbered(prepared: PreparedReader, case_id: str, ids: list[str]) -> Iterator[tuple[int, Case]]:
    """Yield the row and the case of that id, and add the ids of all cases to a list."""
    for position, case in enumerate(prepared.cases()):
        ids.append(case.case_id)
        if case.case_id == case_id:
            yield position, case


def _no_case(case_id: str, ids: Sequence[str]) -> str:
    near = difflib.get_close_matches(case_id, ids, n=3) or ids[:3]
    return f"no benchmark of the file has a case {case_id!r}; of its {len(ids):,} cases there are {', '.join(near)}, …"

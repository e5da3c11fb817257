"""Whether an answer is JSON that fits a schema."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.extras import library, must_have
from bakeoff.scoring.json_answers import NotJsonError, json_of
from bakeoff.scoring.one_by_one import OneByOne, every_case
from bakeoff.scoring.registries import evaluators


@evaluators.register("json_schema")
def json_schema(
    *,
    schema: Annotated[dict[str, object], Is("JSON Schema; without $schema it is draft 2020-12")],
    fenced: Annotated[bool, Is("whether a Markdown fence around the JSON is overlooked")] = True,
    name: Annotated[str, Is("what the metric's name says of the schema; empty means the start of its digest")] = "",
) -> OneByOne:
    """Measure whether the answer is one JSON value that fits a schema. References to other addresses are not followed.

    Scale: {0, 1}, higher is better; a mean is the share of answers that fit.
    Not applicable: the recipe makes no answers.
    Source: JSON Schema 2020-12, by the library jsonschema.

    Raises:
        InvalidInputError: the schema is none, or the library is not installed.
    """
    must_have("jsonschema", "json_schema")
    validator = _validator(schema)
    metric = f"json_schema_{name or sha256_hex(json.dumps(schema, sort_keys=True).encode())[:8]}"
    card = MetricCard(metric, "", "", binary=True, needs_answer=True, source="JSON Schema, by jsonschema")

    def judge(each: AnsweredCase) -> Verdict:
        try:
            value = json_of(each.answer.text or "", fenced=fenced)
        except NotJsonError as error:
            return Verdict((scored(card, 0.0),), {metric: {"problems": [f"no JSON: {error}"]}})
        problems = _problems(validator.iter_errors(value))
        return Verdict((scored(card, float(not problems)),), {metric: {"problems": problems[:5]}})

    return OneByOne((card,), every_case, judge)


def _validator(schema: dict[str, object]) -> Any:
    validators, exceptions = library("jsonschema.validators"), library("jsonschema.exceptions")
    kind = validators.validator_for(schema, default=validators.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except exceptions.SchemaError as error:
        problem = f"it is no JSON Schema: {error.message}"
        raise InvalidInputError(
            "the evaluator json_schema cannot be made", [Violation("json_schema.schema", problem)]
        ) from error
    # An empty registry: a reference to an address is an error and no download.
    return kind(schema, registry=library("referencing").Registry())


def _problems(errors: Iterable[Any]) -> list[str]:
    return sorted(f"{error.json_path}: {error.message}" for error in errors)

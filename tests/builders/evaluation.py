"""Builders of what somebody asks for."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest
from bakeoff.domain.recipe import Recipe
from tests.builders.benchmark import a_benchmark
from tests.builders.recipe import a_recipe


def a_request(
    name: str = "a bake-off",
    *,
    benchmarks: Sequence[BenchmarkChoice] | None = None,
    recipes: Sequence[Recipe] | None = None,
    tenant: str = "default",
    key: str = "",
    **options: object,
) -> EvaluationRequest:
    """Return a request of one benchmark and one recipe, unless others are given; `options` are EvaluationOptions'."""
    return EvaluationRequest(
        name,
        tuple([a_benchmark()] if benchmarks is None else benchmarks),
        tuple([a_recipe()] if recipes is None else recipes),
        EvaluationOptions(**options),  # type: ignore[arg-type]  # a wrong one fails the test at once
        tenant,
        key,
    )

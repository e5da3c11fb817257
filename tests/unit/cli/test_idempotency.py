"""Rows F2 and F17 of the replayable cases: what can change a result gives an evaluation another key."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.cli.idempotency import with_key
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.inference.registries import generators
from bakeoff.runtime.settings import Settings
from tests.builders import a_recipe, a_request
from tests.builders.component import some_cards

CARDS = tuple(some_cards())


@pytest.fixture
def request_of_rows(tmp_path: Path) -> EvaluationRequest:
    """An evaluation of a file of rows, scored as the benchmark itself says."""
    (tmp_path / "rows.jsonl").write_text('{"question": "q?", "target": "a"}\n')
    choice = BenchmarkChoice(ComponentSpec("rows", {"path": str(tmp_path / "rows.jsonl")}))
    return replace(a_request(recipes=[a_recipe(answer="extractive")]), benchmarks=(choice,), idempotency_key="")


def key(request: EvaluationRequest, cards: tuple[ComponentCard, ...] = CARDS) -> str:
    return with_key(request, cards, Settings(), fresh=False).idempotency_key


def newer(name: str, kind: ComponentKind = ComponentKind.EVALUATOR) -> tuple[ComponentCard, ...]:
    assert any((card.kind, card.name) == (kind, name) for card in CARDS)
    return tuple(replace(card, version="99") if (card.kind, card.name) == (kind, name) else card for card in CARDS)


def test_the_same_evaluation_has_the_same_key(request_of_rows: EvaluationRequest) -> None:
    assert key(request_of_rows) == key(request_of_rows)


def test_row_f17_a_new_version_of_a_scorer_is_another_evaluation(request_of_rows: EvaluationRequest) -> None:
    name = next(card.name for card in CARDS if card.kind is ComponentKind.EVALUATOR)
    assert key(request_of_rows, newer(name)) != key(request_of_rows)
    named = replace(
        request_of_rows, benchmarks=(replace(request_of_rows.benchmarks[0], evaluators=(ComponentSpec(name),)),)
    )
    assert key(named, newer(name)) != key(named)


def test_other_rules_in_the_file_of_a_mock_are_another_evaluation(
    request_of_rows: EvaluationRequest, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("default: a\n")
    request = replace(request_of_rows, recipes=(a_recipe(answer=f"mock(path={rules})"),))
    cards = (*CARDS, *generators.load().cards())
    before = key(request, cards)
    assert key(request, cards) == before
    rules.write_text("default: b\n")
    assert key(request, cards) != before


def test_row_f2_another_recipe_or_other_rows_are_another_evaluation(
    request_of_rows: EvaluationRequest, tmp_path: Path
) -> None:
    before = key(request_of_rows)
    other = replace(request_of_rows, recipes=(a_recipe(answer="mock"),))
    assert key(other) != before
    (tmp_path / "rows.jsonl").write_text('{"question": "q?", "target": "b, now longer"}\n')
    assert key(request_of_rows) != before

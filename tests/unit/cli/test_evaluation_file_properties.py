"""Whatever stands in a file, the reader either reads it or says what is wrong and where."""

from __future__ import annotations

import json
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.cli.evaluation_file import read_evaluation
from bakeoff.cli.shape import ANSWER, BENCHMARK, BUILD, EVALUATION, MODE, OPTIONS, RECIPE, RECIPE_FILE
from bakeoff.domain.errors import InvalidInputError, Violation
from tests.builders.component import some_cards

CARDS = some_cards()
WORDS = st.sampled_from(
    [key.name for key in (*EVALUATION, *OPTIONS, *BENCHMARK, *RECIPE, *RECIPE_FILE, *BUILD, *MODE, *ANSWER)]
    + [card.name for card in CARDS]
    + ["path", "size", "overlap", "beir(path=x)", "tokens(size=5)", "ndcg(", "k=", "~nobody", "\0"]
)
SCALARS = WORDS | st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4), max_leaves=12
)
FILES = st.fixed_dictionaries(
    {"name": TREES, "benchmarks": st.lists(TREES, max_size=3) | TREES, "recipes": st.lists(TREES, max_size=3) | TREES}
)


def faults(text: str) -> tuple[Violation, ...]:
    try:
        read_evaluation(text, "e.yaml", CARDS)
    except InvalidInputError as error:
        return error.violations or (Violation("", "no violation"),)
    return ()


@settings(max_examples=300, deadline=None)
@given(FILES | TREES)
def test_any_structure_is_read_or_refused_with_places(tree: object) -> None:
    assert all(fault.file and fault.line and fault.problem for fault in faults(json.dumps(tree)))


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_any_text_is_read_or_refused_with_places(text: str) -> None:
    with suppress(UnicodeEncodeError):
        text.encode()
        assert all(fault.file and fault.line and fault.problem for fault in faults(text))

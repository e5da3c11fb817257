from __future__ import annotations

import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.inference.prompting.eval_types import built_in_template, needs_generation
from bakeoff.inference.prompting.library import built_in_names

TABLE = [  # the prior answer generator's: by default, and when generation is forced
    ("key1_text_score", False, False),
    ("key2_qa", True, True),
    ("key2_q_ma", True, True),
    ("key3_q_choices_a", False, True),
    ("key3_q_choices_as", True, True),
    ("key3_q_a_rejected", False, True),
]


@pytest.mark.parametrize(("name", "default", "forced"), TABLE)
def test_which_rows_get_answers(name: str, default: bool, forced: bool) -> None:
    assert needs_generation(name) is default
    assert needs_generation(name, force_generate=True) is forced


@pytest.mark.parametrize("force", [False, True])
def test_an_unknown_type_is_an_error_with_all_six_names(force: bool) -> None:
    with pytest.raises(InvalidInputError) as caught:
        needs_generation("key2_q", force)

    assert all(name in str(caught.value) for name, _, _ in TABLE)


@pytest.mark.parametrize("name", [name for name, _, _ in TABLE])
def test_every_type_has_a_built_in_template(name: str) -> None:
    assert built_in_template(name) in built_in_names()

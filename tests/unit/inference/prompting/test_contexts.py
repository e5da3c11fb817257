from __future__ import annotations

import numpy as np
import pytest

from bakeoff.inference.prompting.contexts import context_items, normalise_context, numbered_passages
from tests.builders import a_passage

AS_BEFORE: list[tuple[object, str | None]] = [  # the prior answer generator's table
    (None, None),
    (float("nan"), None),
    ("", None),
    (" \n", None),
    ([], None),
    ([None, " ", ""], None),
    (" a b ", "a b"),
    (["c1", None, " ", "c2"], "c1\nc2"),
    ([" a ", 5], "a\n5"),
    (5, "5"),
    ("[1] Smith 2003", "[1] Smith 2003"),
    ("[1]", "[1]"),
    ("{not json}", "{not json}"),
]
UNDERSTOOD: list[tuple[object, str | None]] = [  # which it turned into Python's text, or left as JSON
    (("a", "b"), "a\nb"),
    (np.array(["a", "b"]), "a\nb"),
    (np.array([1, 2]), "1\n2"),
    ({"a": 1}, "a: 1"),
    ({"title": "T", "text": "x"}, "title: T\ntext: x"),
    ('["a", "b", null]', "a\nb"),
    ('{"a": 1}', "a: 1"),
    (["a", ("b", "c")], "a\nb\nc"),
    (["a", {"title": "T"}], "a\ntitle: T"),
    (["a", float("nan")], "a"),
    (np.float64("nan"), None),
]


@pytest.mark.parametrize(("given", "text"), AS_BEFORE + UNDERSTOOD, ids=repr)
def test_a_context_becomes_one_text(given: object, text: str | None) -> None:
    assert normalise_context(given) == text


def test_the_single_contexts_stay_apart() -> None:
    assert context_items([" a\nb ", "", "[1]", '["x"]']) == ("a\nb", "[1]", '["x"]')


def test_passages_are_numbered_with_their_documents() -> None:
    texts = {"d/7": " first\n", "é": "second", "x": None}
    found = [a_passage(document, rank=rank, text=text) for rank, (document, text) in enumerate(texts.items(), start=3)]

    assert numbered_passages(found) == "[1] (d/7) first\n\n[2] (é) second\n\n[3] (x) "

"""A component prints as its own signature and reads back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec, Setting
from bakeoff.domain.errors import InvalidInputError

names = st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(names, st.dictionaries(names, values, max_size=4))
def test_every_spec_reads_back_as_it_printed(name: str, settings: dict[str, object]) -> None:
    spec = ComponentSpec(name, settings)
    assert ComponentSpec.parse(str(spec)) == spec


def test_a_bare_word_is_text_and_order_does_not_matter() -> None:
    one = ComponentSpec.parse("bm25(method=lucene, k1=1.5)")
    assert str(one) == 'bm25(k1=1.5, method="lucene")'


@pytest.mark.parametrize(
    "text", ["", "Bm25", "bm25(", "bm25(k1)", "bm25(k1=)", "bm25(k1=1 b=2)", "bm25(k1=1, k1=2)", "a b"]
)
def test_what_is_no_signature_is_refused_with_its_text(text: str) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        ComponentSpec.parse(text)
    assert repr(text) in str(refusal.value)


def test_two_ways_to_write_the_same_resolve_to_one_signature() -> None:
    card = ComponentCard(ComponentKind.INDEX, "bm25", "1", (Setting("k1", "float", 1.5), Setting("b", "float", 0.75)))
    written = (ComponentSpec("bm25"), ComponentSpec("bm25", {"k1": 1.5}), ComponentSpec.parse("bm25(b=0.75)"))
    assert {str(card.resolve(spec)) for spec in written} == {"bm25(b=0.75, k1=1.5)"}
    assert str(card.resolve(ComponentSpec("bm25", {"k1": 1}))) == "bm25(b=0.75, k1=1.0)"

"""Names derived from content: injective, safe, repeatable."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.domain.identity import canonical_json, digest_of, evaluation_id, key_segment, token

ids = st.text(min_size=1, max_size=300)


@given(ids)
def test_a_token_is_a_safe_subject_token_of_bounded_length(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9_-]{1,110}", token(text))


@given(ids, ids)
def test_two_ids_never_share_a_token_or_a_key_segment(one: str, other: str) -> None:
    assert (token(one) == token(other)) == (one == other)
    assert (key_segment(one) == key_segment(other)) == (one == other)


def test_plain_ids_stay_readable() -> None:
    assert token("b0-u00001_x") == "b0-u00001_x"
    assert key_segment("ADI_2009.pdf") == "ADI_2009.pdf"


def test_ids_that_look_encoded_are_encoded_again() -> None:
    assert token("x-abc") != "x-abc"
    assert key_segment("a=20b") == "a=3D20b"


@given(ids)
def test_a_key_segment_has_only_characters_that_every_store_signs_alike(text: str) -> None:
    segment = key_segment(text)
    assert re.fullmatch(r"[A-Za-z0-9._=-]{1,200}", segment)
    assert segment not in (".", "..")


def test_an_empty_id_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        token("")
    with pytest.raises(ValueError, match="empty"):
        key_segment("")


def test_canonical_json_does_not_depend_on_order_and_refuses_nan() -> None:
    assert canonical_json({"b": 1, "a": (1, 2)}) == b'{"a":[1,2],"b":1}'
    assert digest_of({"b": 1, "a": 2}) == digest_of({"a": 2, "b": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(float("nan"))


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=9))
def test_canonical_json_reads_back_as_what_it_was(value: object) -> None:
    assert json.loads(canonical_json(value)) == value


def test_an_evaluation_id_depends_on_tenant_and_key_alone() -> None:
    assert evaluation_id("a", "k") == evaluation_id("a", "k")
    assert evaluation_id("a", "k") != evaluation_id("b", "k")
    # The pair is encoded, not joined: no tenant can make another's id.
    assert evaluation_id("ab", "c") != evaluation_id("a", "bc")

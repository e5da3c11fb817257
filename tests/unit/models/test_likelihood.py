from __future__ import annotations

import math

import msgspec
import pytest

from bakeoff.models.likelihood import Likelihood, likelihood_of
from bakeoff.models.refusals import UnsupportedError
from bakeoff.models.replies import Reply


def reply(tokens: list[str], logprobs: list[float | None], offsets: list[int] | None = None) -> Reply:
    found = {"tokens": tokens, "token_logprobs": logprobs, "text_offset": offsets}
    return msgspec.convert({"choices": [{"text": "x", "logprobs": msgspec.Raw(msgspec.json.encode(found))}]}, Reply)


def test_the_tokens_of_the_continuation_are_added_up() -> None:
    found = likelihood_of(
        reply(["The", " sun", " is", " hot", "!"], [None, -1, -2, -0.25, -0.5]), "The sun is", " hot!"
    )

    assert found == Likelihood(-0.75, 2, 5, 5)
    assert (found.per_character, found.per_byte, found.per_token) == (-0.15, -0.15, -0.375)


def test_lengths_are_characters_and_bytes() -> None:
    found = likelihood_of(reply(["a", "Größe"], [None, -6.0]), "a", "Größe")

    assert (found.characters, found.utf8_bytes) == (5, 7)


def test_a_token_over_the_border_counts_as_the_continuations() -> None:
    assert likelihood_of(reply(["ab", "cd", "e"], [None, -1.0, -2.0]), "abc", "de").logprob == -3.0


def test_tokens_that_were_generated_behind_count_for_nothing() -> None:
    assert likelihood_of(reply(["a", " b", " more"], [None, -1.0, -9.0]), "a", " b").logprob == -1.0


def test_without_a_context_the_first_token_has_no_probability() -> None:
    found = likelihood_of(reply(["a", " b"], [None, -1.5]), "", "a b")

    assert (found.logprob, found.tokens) == (-1.5, 1)
    assert math.exp(-found.per_token) == pytest.approx(4.4817, abs=1e-4)


def test_offsets_help_where_tokens_are_parts_of_characters() -> None:
    tokens = ["a", "bytes:\\xe4\\xb8", "bytes:\\x96"]

    assert likelihood_of(reply(tokens, [None, -1.0, -2.0], [0, 1, 1]), "a", "世").logprob == -3.0


def test_an_empty_continuation_is_certain() -> None:
    assert likelihood_of(reply(["a"], [None]), "a", "") == Likelihood(0, 0, 0, 0)


@pytest.mark.parametrize(
    "without",
    [
        msgspec.convert({"choices": [{"text": " hot"}]}, Reply),
        msgspec.convert({"choices": []}, Reply),
        msgspec.convert({"choices": [{"text": "", "logprobs": msgspec.Raw(b'{"content": [{"token": "x"}]}')}]}, Reply),
        msgspec.convert({"choices": [{"text": "", "logprobs": msgspec.Raw(b"[1]")}]}, Reply),
        reply([" hot"], [-1.0]),  # only what was generated
        reply(["The", " sun", " is", " hot"], [None, -1.0, None, None]),
        reply(["The", " sun"], [None, -1.0]),
        reply(["The", " sun", " is", " hot"], [None, -1.0, -1.0]),
    ],
)
def test_an_endpoint_that_does_not_tell_is_unsupported(without: Reply) -> None:
    with pytest.raises(UnsupportedError):
        likelihood_of(without, "The sun is", " hot")

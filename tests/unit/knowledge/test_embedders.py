"""Embedders: what all of them promise, and what each does."""

from __future__ import annotations

import logging
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import wordllama
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.domain.component import ComponentSpec
from bakeoff.knowledge.embedding import Embedder, normalise
from bakeoff.knowledge.registries import embedders

SPECS = ["hashing", "hashing(dimension=16, stopwords=false)", "wordllama", "wordllama(lowercase=false)"]
TEXTS = ["The light on the pier is green.", "Das Licht am Pier ist grün", "", "  \n", "?!", "港口", "pier " * 300]


def make(spec: str) -> Embedder:
    return embedders.load().make(ComponentSpec.parse(spec))


def test_every_embedder_of_the_registry_is_held_to_the_promises() -> None:
    with_a_model = {"onnx", "openai", "sentence_transformers"}  # held to them in tests of their own

    assert {ComponentSpec.parse(spec).name for spec in SPECS} | with_a_model == {
        name for name in embedders.load().names() if not name.endswith("_for_tests")
    }


@pytest.mark.parametrize("spec", SPECS)
def test_vectors_have_length_one_or_are_zero(spec: str) -> None:
    vectors = make(spec).embed(TEXTS)

    assert vectors.shape == (len(TEXTS), make(spec).dimension)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-6) | (lengths == 0))
    assert lengths[2] == lengths[3] == 0
    assert lengths[0] > 0


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=6))
def test_a_vector_does_not_depend_on_its_neighbours(spec: str, texts: list[str]) -> None:
    embedder = make(spec)
    together = embedder.embed(texts)
    alone = np.concatenate([embedder.embed([text]) for text in texts])

    assert together.tobytes() == alone.tobytes()


@pytest.mark.parametrize("spec", SPECS)
def test_no_texts_have_no_vectors(spec: str) -> None:
    assert make(spec).embed([]).shape == (0, make(spec).dimension)


@pytest.mark.parametrize("spec", SPECS)
def test_texts_that_share_words_are_nearer_than_others(spec: str) -> None:
    query, near, far = make(spec).embed(["green light", "the light is green and bright", "tax forms for bakers"])

    assert query @ near > query @ far + 0.1


def test_hashing_finds_words_by_their_pieces() -> None:
    query, near, far = make("hashing").embed(["harbourmaster", "harbour", "lighthouse"])

    assert query @ near > query @ far + 0.1


def hashed_by_hand(text: str, dimension: int) -> list[float]:
    """The hashing embedder of one text in whole numbers, feature by feature."""
    full = (1 << 64) - 1

    def place(letters: str, seed: int) -> tuple[int, float]:
        key = sum(ord(letter) * pow(0x100000001B3, at + 1) for at, letter in enumerate(letters)) & full
        key = (key + (seed + 1) * 0x9E3779B97F4A7C15) & full
        key = ((key ^ key >> 30) * 0xBF58476D1CE4E5B9) & full
        key = ((key ^ key >> 27) * 0x94D049BB133111EB) & full
        key ^= key >> 31
        return (key >> 1) % dimension, 1.0 if key & 1 else -1.0

    total = [0.0] * dimension
    for word, count in sorted(Counter(re.findall(r"\w+", text.lower())).items()):
        marked = f"<{word}>"
        pieces = [(marked[at : at + size], size) for size in (3, 4, 5) for at in range(len(marked) - size + 1)]
        for letters, seed in [(marked, 0), *pieces]:
            where, sign = place(letters, seed)
            total[where] += sign * (1 + math.log(count)) / (math.sqrt(len(pieces)) if seed else 1)
    length = math.sqrt(sum(value * value for value in total))
    return [value / length if length else 0.0 for value in total]


@settings(max_examples=50, deadline=None)
@given(st.one_of(st.text(max_size=40), st.lists(st.sampled_from(["pier", "mole", "a", "grün"])).map(" ".join)))
def test_hashing_gives_the_numbers_of_its_formula(text: str) -> None:
    [vector] = make("hashing(dimension=16, stopwords=false)").embed([text])

    assert vector.tolist() == pytest.approx(hashed_by_hand(text, 16), abs=1e-6)


def test_hashing_leaves_stop_words_out() -> None:
    with_them, without, nothing = make("hashing").embed(["the mole of the harbour", "mole harbour", "of the"])

    assert with_them.tolist() == without.tolist()
    assert not nothing.any()


def test_wordllama_is_the_mean_of_the_librarys_token_vectors() -> None:
    library = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    texts = ["The light  on the pier is green.", "Das Licht am Pier ist grün", "港口 (12.5 m)", "a\nb", "pier " * 300]
    plain = [" ".join(text.lower().split()) for text in texts]

    expected = normalise(library.embed(plain))

    assert np.abs(make("wordllama").embed(texts) - expected).max() < 1e-5


def test_wordllama_tells_cases_apart_only_when_asked() -> None:
    shouted, said = make("wordllama").embed(["SHALLOW WATER", "shallow water"])
    cased, plain = make("wordllama(lowercase=false)").embed(["SHALLOW WATER", "shallow water"])

    assert shouted.tolist() == said.tolist()
    assert cased @ plain < 0.9


def test_embedding_leaves_the_logging_of_the_process_alone() -> None:
    handlers = list(logging.getLogger().handlers)

    make("wordllama").embed(["pier"])

    assert logging.getLogger().handlers == handlers

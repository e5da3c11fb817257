"""Vectors that are kept by text: found by whoever asks the same, and never asked for twice."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

from bakeoff.contract import object_keys
from bakeoff.models.kept_vectors import KeptVectors, VectorStore, shares
from bakeoff.runtime.memory_objects import MemoryObjects

MODEL = "0" * 64


class Clock:
    """Stands still until it is set."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def vectors(*firsts: float) -> NDArray[np.float32]:
    return np.array([[first, 0.1, -2.0] for first in firsts], np.float32)


def test_what_one_process_kept_another_one_finds_with_its_share_of_the_tokens() -> None:
    objects = MemoryObjects()
    KeptVectors(objects, MODEL).keep(["mole", "the pier"], vectors(1, 2), 24)

    found = KeptVectors(objects, MODEL).find(["the pier", "light", "mole"])

    assert sorted(found) == ["mole", "the pier"]
    assert found["mole"].vector.tobytes() == vectors(1).tobytes()
    assert found["the pier"].vector.tobytes() == vectors(2).tobytes()
    assert (found["mole"].tokens, found["the pier"].tokens) == (24 * 4 / 12, 24 * 8 / 12)


def test_another_model_has_vectors_of_its_own() -> None:
    store = VectorStore(MemoryObjects())
    store.of(MODEL).keep(["mole"], vectors(1), 1)

    assert store.of("1" * 64).find(["mole"]) == {}
    assert list(store.of(MODEL).find(["mole"])) == ["mole"]


def test_what_is_not_finite_is_not_kept() -> None:
    kept = KeptVectors(MemoryObjects(), MODEL)
    kept.keep(["mole"], vectors(float("nan")), 1)

    assert kept.find(["mole"]) == {}


def test_what_somebody_took_away_is_not_there() -> None:
    objects = MemoryObjects()
    kept = KeptVectors(objects, MODEL)
    kept.keep(["mole"], vectors(1), 1)
    for info in list(objects.list(object_keys.kept_vectors(MODEL))):
        objects.delete(info.key)

    assert kept.find(["mole"]) == {}


def test_what_was_looked_for_is_looked_for_again_no_sooner_than_it_is_worth() -> None:
    objects, clock = MemoryObjects(), Clock()
    kept = KeptVectors(objects, MODEL, clock=clock)
    other = KeptVectors(objects, MODEL)
    assert kept.find(["mole"]) == {}  # took no time, so that it is believed for none
    other.keep(["mole"], vectors(1), 1)
    assert list(kept.find(["mole"])) == ["mole"]

    other.keep(["pier"], vectors(2), 1)
    kept._believed_until_s = 5.0  # as after a look that took a quarter of a second
    assert kept.find(["pier"]) == {}
    clock.now_s = 5.0
    assert list(kept.find(["pier"])) == ["pier"]


def test_two_threads_never_ask_for_one_text_at_once() -> None:
    kept = KeptVectors(MemoryObjects(), MODEL)
    asked: list[str] = []
    begun = threading.Barrier(2)

    def ask(texts: list[str]) -> list[str]:
        begun.wait(10)
        left = texts
        while left:
            with kept.asking(left) as mine:
                there = kept.find(mine)
                new = [text for text in mine if text not in there]
                asked.extend(new)
                kept.keep(new, vectors(*map(len, new)), 1)
            left = [text for text in left if text not in mine]
        return sorted(kept.find(texts))

    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(ask, (["a", "bb", "ccc"], ["ccc", "bb", "dddd"])))

    assert found == [["a", "bb", "ccc"], ["bb", "ccc", "dddd"]]
    assert sorted(asked) == ["a", "bb", "ccc", "dddd"]


def test_who_asks_in_vain_lets_others_ask() -> None:
    kept = KeptVectors(MemoryObjects(), MODEL)
    with pytest.raises(RuntimeError), kept.asking(["mole"]):
        raise RuntimeError("no answer")

    with kept.asking(["mole"]) as mine:
        assert mine == ["mole"]


def test_tokens_that_were_not_counted_are_not_known() -> None:
    assert np.isnan(shares(["mole", "pier"], None)).all()
    assert shares(["mole", "é"], 6).tolist() == [4.0, 2.0]

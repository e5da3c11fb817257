from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.inference.examples.bm25_ranking import Bm25Ranking
from bakeoff.inference.examples.draws import STRIDE, LegacyOrders, random_order
from bakeoff.inference.examples.hashed_vectors import hashed_vectors
from bakeoff.inference.examples.pool import ExamplePool
from bakeoff.inference.examples.retriever import ExampleRetriever
from bakeoff.inference.examples.retrievers.topk import TopK
from bakeoff.inference.registries import example_retrievers


def make(signature: str) -> ExampleRetriever:
    return example_retrievers.load().make(ComponentSpec.parse(signature))


def a_case(name: str, question: str = "", answer: str = "") -> Case:
    return Case(name, question or f"question {name}", Expected((answer or f"answer {name}",)))


def numbered(count: int, prefix: str = "") -> list[Case]:
    return [a_case(f"{prefix}{number}") for number in range(count)]


def shown(signature: str, cases: Sequence[Case], pool: Sequence[Case], first: int = 0) -> list[list[str]]:
    """Return the ids of the examples of consecutive cases, of which the first is in a row of the benchmark."""
    retriever = make(signature)
    return [
        [example.case_id for example in retriever.choose(case, pool, position=first + index).examples]
        for index, case in enumerate(cases)
    ]


CHOOSING = ["random(k=2)", "random(k=2, legacy=true)", "bm25(k=2)", "topk(k=2)"]
TESTS = numbered(3, "test")


def test_the_retrievers_that_come_with_bakeoff() -> None:
    assert example_retrievers.load().names() == ["bm25", "fixed", "random", "topk", "zero"]


def test_zero_shows_nothing_and_needs_no_pool() -> None:
    assert shown("zero", TESTS, []) == [[], [], []]
    assert make("zero").check([]) == []


# --- fixed ------------------------------------------------------------------------------------------------------------


def test_fixed_keeps_order_and_repeats_for_every_case() -> None:
    assert shown("fixed(ids=[3, 0, 3])", TESTS, numbered(4)) == [["3", "0", "3"]] * 3
    assert shown("fixed(ids=[])", TESTS, []) == [[], [], []]


def test_fixed_is_checked_before_a_run_with_the_range_that_is_allowed() -> None:
    violations = make("fixed(ids=[0, 4, 9])").check(numbered(4))

    assert [str(violation) for violation in violations] == [
        "ids[1]: is 4, but the pool has 4 examples: 0 to 3 are allowed",
        "ids[2]: is 9, but the pool has 4 examples: 0 to 3 are allowed",
    ]
    assert "ids: is [0], but there are no examples: name them by" in str(make("fixed(ids=[0])").check([])[0])
    with pytest.raises(InvalidInputError, match="0 to 3 are allowed"):
        shown("fixed(ids=[4])", TESTS, numbered(4))


@pytest.mark.parametrize("number", ["-1", "1.0", "true", '"1"', "null"])
def test_fixed_takes_whole_numbers_only(number: str) -> None:
    with pytest.raises(InvalidInputError, match=r"fixed\.ids must be whole numbers from 0, not"):
        make(f"fixed(ids=[0, {number}])")


def test_d10_repeats_in_the_pool_do_not_move_the_numbers_of_fixed() -> None:
    repeated = [case for case in numbered(4) for _ in range(3)]

    assert shown("fixed(ids=[0, 1, 2])", TESTS, repeated) == [["0", "1", "2"]] * 3


# --- random -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seed", "k", "rows"),
    [(123, 3, [[1, 3, 4], [4, 0, 5], [4, 3, 2]]), (43, 2, [[5, 2], [4, 5], [0, 1]])],
)
def test_legacy_draws_the_prior_systems_examples(seed: int, k: int, rows: list[list[int]]) -> None:
    drawn = shown(f"random(k={k}, seed={seed}, legacy=true)", TESTS, numbered(6))

    assert drawn == [[str(number) for number in row] for row in rows]


def test_d2_a_shard_draws_what_its_rows_draw_in_the_whole_set() -> None:
    assert shown("random(k=2, legacy=true)", TESTS[1:3], numbered(6), first=1) == [["4", "5"], ["0", "1"]]


def test_legacy_is_numpys_stream_at_any_row_in_any_order() -> None:
    stream = np.random.RandomState(7)
    rows = [stream.choice(11, 4, replace=False).tolist() for _ in range(3 * STRIDE + 2)]
    orders = LegacyOrders(7)

    assert [orders.order(row, 11)[:4].tolist() for row in reversed(range(len(rows)))] == rows[::-1]


def test_legacy_leaves_the_random_numbers_of_others_alone() -> None:
    np.random.seed(1)  # the global generator is what must not be touched
    before = np.random.get_state()[1].tolist()  # type: ignore[index]
    shown("random(k=2, legacy=true)", TESTS, numbered(6))

    assert np.random.get_state()[1].tolist() == before  # type: ignore[index]


def test_legacy_needs_to_know_the_row() -> None:
    with pytest.raises(InvalidInputError, match=r"case 'a'.*needs the row"):
        make("random(k=1, legacy=true)").choose(a_case("a"), numbered(3))


def test_random_depends_on_seed_and_case_id_alone() -> None:
    pool = numbered(50)
    whole = shown("random(k=5)", TESTS, pool)

    assert shown("random(k=5)", TESTS[::-1], pool)[::-1] == whole
    assert shown("random(k=5)", TESTS[2:], pool[::-1], first=99) == whole[2:]
    assert shown("random(k=5, seed=44)", TESTS, pool) != whole
    assert len({tuple(ids) for ids in whole}) == 3


def test_random_draws_every_order_alike() -> None:
    orders = [tuple(random_order(0, f"case {number}", 3)) for number in range(6000)]

    # Six orders, each with probability 1/6: 1000 expected, standard deviation 29.
    counts = [orders.count(order) for order in sorted(set(orders))]
    assert len(counts) == 6
    assert all(abs(count - 1000) < 5 * 29 for count in counts)


def test_random_orders_hold_each_number_once() -> None:
    assert all(sorted(random_order(1, str(case), 20)) == list(range(20)) for case in range(100))


# --- bm25 and topk ----------------------------------------------------------------------------------------------------

COLOURS = [
    a_case("sky", "What colour is the sky?"),
    a_case("grass", "What colour is grass in spring?"),
    a_case("capital", "Which town is the capital of France?"),
    a_case("sum", "How much is two plus two?"),
]


@pytest.mark.parametrize("signature", ["bm25(k=1)", "topk(k=1)"])
def test_d8_what_is_shown_depends_on_the_question(signature: str) -> None:
    asked = [a_case("a", "What colour has the evening sky?"), a_case("b", "What is the capital of Spain?")]

    assert shown(signature, asked, COLOURS) == [["sky"], ["capital"]]


@pytest.mark.parametrize("signature", ["bm25(k=1)", "topk(k=1)"])
def test_languages_without_spaces_are_found_by_their_characters(signature: str) -> None:
    pool = [a_case("a", "法国的首都是哪里？"), a_case("b", "二加二等于几？")]

    assert shown(signature, [a_case("x", "西班牙首都"), a_case("y", "三加三等于")], pool) == [["a"], ["b"]]


@pytest.mark.parametrize("signature", ["bm25(k=3)", "topk(k=3)"])
def test_d6_ties_go_by_id_whatever_the_order_of_the_pool(signature: str) -> None:
    pool = [a_case(name, "the same question", f"answer {name}") for name in ("c", "a", "d", "b")]

    assert shown(signature, [a_case("x", "the same question")], pool) == [["a", "b", "c"]]
    assert shown(signature, [a_case("x", "the same question")], pool[::-1]) == [["a", "b", "c"]]
    assert shown(signature, [a_case("y", "unrelated")], pool) == [["a", "b", "c"]]


def test_bm25_scores_are_those_of_the_formula() -> None:
    scores = Bm25Ranking(["red red blue", "blue"]).scores("Red?")

    # One of two texts has the word: log(1 + 1.5 / 1.5); twice in 3 words where the mean is 2.
    expected = math.log(2) * 2 / (2 + 1.2 * (1 - 0.75 + 0.75 * 3 / 2))
    assert scores.tolist() == pytest.approx([expected, 0.0])


def test_a_word_that_half_of_the_texts_have_still_counts() -> None:
    # Two of four texts have it: log(1 + 2.5 / 2.5); once in 2 words where the mean is 1.5.
    expected = math.log(2) / (1 + 1.2 * (1 - 0.75 + 0.75 * 2 / 1.5))

    assert Bm25Ranking(["a x", "a y", "z", "w"]).scores("a").tolist() == pytest.approx([expected, expected, 0, 0])


def test_topk_takes_any_embedder_d7() -> None:
    def by_length(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[1.0, len(text)] for text in texts], np.float32)

    pool = [a_case("long", "x" * 9), a_case("short", "y"), a_case("middle", "z" * 3)]
    chosen = TopK(2, by_length).choose(a_case("q", "four"), pool)

    assert [example.case_id for example in chosen.examples] == ["middle", "long"]


def test_hashed_vectors_are_whole_numbers_and_zero_without_words() -> None:
    vectors = hashed_vectors(["Running runners", "?!"])

    assert np.array_equal(vectors, np.round(vectors))
    assert vectors[0].any()
    assert not vectors[1].any()


# --- what all of them promise -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("signature", CHOOSING)
def test_d3_a_case_is_never_its_own_example_by_id(signature: str) -> None:
    pool = numbered(4)

    for row, ids in enumerate(shown(signature, pool, pool)):
        assert str(row) not in ids
        assert len(set(ids)) == 2


@pytest.mark.parametrize("signature", CHOOSING)
def test_d3_a_case_is_never_its_own_example_by_content_and_it_is_counted(signature: str) -> None:
    case = a_case("x", "Who?", "Me")
    pool = [*numbered(3), a_case("twin", " who?", "ME"), a_case("other", "Who?", "You")]

    chosen = make(signature.replace("k=2", "k=4")).choose(case, pool, position=0)

    assert sorted(example.case_id for example in chosen.examples) == ["0", "1", "2", "other"]
    assert chosen.excluded == 1


def test_d3_the_third_of_four_was_shown_itself_and_is_not_any_more() -> None:
    pool = numbered(4)
    unguarded = shown("random(k=2, legacy=true, leak_guard=false)", pool, pool)
    guarded = shown("random(k=2, legacy=true)", pool, pool)

    leaked = [row for row, ids in enumerate(unguarded) if str(row) in ids]
    assert leaked
    assert [row for row, ids in enumerate(guarded) if str(row) in ids] == []
    assert [ids for row, ids in enumerate(guarded) if row not in leaked] == [
        ids for row, ids in enumerate(unguarded) if row not in leaked
    ]


def test_fixed_leaves_the_case_itself_out_and_counts_it() -> None:
    pool = numbered(4)
    chosen = make("fixed(ids=[2, 0, 1])").choose(pool[0], pool)

    assert ([example.case_id for example in chosen.examples], chosen.excluded) == (["2", "1"], 1)
    assert make("fixed(ids=[2, 0], leak_guard=false)").choose(pool[0], pool).examples == (pool[2], pool[0])


@pytest.mark.parametrize("signature", CHOOSING)
def test_k_larger_than_the_pool_is_told_before_a_run_and_for_a_case_with_what_is_allowed(signature: str) -> None:
    larger = signature.replace("k=2", "k=4")
    pool = numbered(4)

    assert "k: is 9, but there are no examples: name them by" in str(make("random(k=9)").check([])[0])
    assert "only 3 different examples: 0 to 3" in str(make(larger).check(pool[:3])[0]).replace(" are allowed", "")
    assert make(larger).check(pool) == []
    with pytest.raises(InvalidInputError, match=r"case '1': k is 4.*only 3 .*\(1 of 4 withheld.*at most 3"):
        make(larger).choose(pool[1], pool, position=1)


@pytest.mark.parametrize("signature", CHOOSING)
def test_d5_two_runs_show_the_same(signature: str) -> None:
    pool = numbered(20)

    assert shown(signature, TESTS, pool) == shown(signature, TESTS, ExamplePool(pool))


@pytest.mark.parametrize("signature", ["random(k=2)", "bm25(k=2)", "topk(k=2)"])
def test_d10_rows_of_one_content_are_one_example(signature: str) -> None:
    pool = [a_case(f"{copy}{number}", f"question {number}", "x") for number in range(2) for copy in "abc"]

    for ids in shown(signature, TESTS, pool):
        assert sorted(ids) == ["a0", "a1"]


@pytest.mark.parametrize("signature", CHOOSING)
def test_no_examples_may_be_asked_for(signature: str) -> None:
    assert shown(signature.replace("k=2", "k=0"), TESTS, []) == [[], [], []]

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.inference.examples.pools import ExamplePools
from bakeoff.inference.prompting.assembling import Assembler, prompt_digests
from bakeoff.inference.prompting.library import load_template
from bakeoff.inference.registries import example_retrievers

RETRIEVERS = ("zero", "fixed(ids=[4, 1])", "random(k=3)", "random(k=3, legacy=true)", "bm25(k=3)", "topk(k=3)")
SOME_WORDS = ["red", "blue", "sky", "sea", "{question}", "</E>", "天空", "é"]
WORDS = st.lists(st.sampled_from(SOME_WORDS), min_size=1, max_size=6).map(" ".join)


def an_assembler(retriever: str, pool: Sequence[Case], template: str = "question") -> Assembler:
    made = example_retrievers.load().make(ComponentSpec.parse(retriever))
    return Assembler(load_template(template), made, ExamplePools(pool))


def cases_of(questions: Sequence[str], prefix: str) -> list[Case]:
    return [Case(f"{prefix}{n}", text, Expected((f"{prefix} {n}",))) for n, text in enumerate(questions)]


@pytest.mark.parametrize("retriever", RETRIEVERS)
@given(questions=st.lists(WORDS, min_size=1, max_size=12), batch=st.integers(1, 12), workers=st.integers(1, 4))
@settings(max_examples=15, deadline=None)
def test_d1_prompts_do_not_depend_on_order_batch_or_worker(
    retriever: str, questions: list[str], batch: int, workers: int
) -> None:
    pool = [*cases_of(questions, "c"), *cases_of(["red sky", "blue sea", "天空 é", "é", "red blue"], "t")]
    cases = cases_of(questions, "c")
    one = prompt_digests(an_assembler(retriever, pool), cases)

    # Each worker is a process of its own, and so has its own assembler; batches come to it last first.
    starts = list(range(0, len(cases), batch))[::-1]
    assemblers = [an_assembler(retriever, pool) for _ in range(workers)]
    with ThreadPoolExecutor(workers) as threads:
        parts = threads.map(
            lambda job: prompt_digests(assemblers[job[0] % workers], cases[job[1] : job[1] + batch], first=job[1]),
            enumerate(starts),
        )

        many = {case_id: digest for part in parts for case_id, digest in part.items()}
    assert many == one
    assert len(one) == len(cases)


def test_what_is_shown_withheld_and_made_up_is_told() -> None:
    pool = cases_of(["A?", "B?", "C?"], "t")
    case = Case("x", "b?", Expected(("T 1",)), metadata={"choices": "no list"})

    made = an_assembler("fixed(ids=[2, 1, 0])", pool).assemble(case)

    assert (made.example_ids, made.excluded, made.invalid_choices) == (("t2", "t0"), 1, True)
    assert made.prompt.text.startswith("Question:\nC?\n\nAnswer: t 2\n\nQuestion:\nA?")


def test_examples_and_slots_are_checked_before_a_run() -> None:
    pool = cases_of(["A?", "B?"], "t")

    an_assembler("bm25(k=2)", pool).check(pool)
    with pytest.raises(InvalidInputError, match="k: is 3, but the pool has only 2"):
        an_assembler("bm25(k=3)", pool).check(pool)


def test_a_question_of_a_subject_is_shown_examples_of_its_subject() -> None:
    pool = [Case(f"{subject}{n}", "Q", Expected((str(n),)), {"subject": subject}) for subject in "ab" for n in range(2)]
    asked = [Case(subject, "Q", labels={"subject": subject}) for subject in "bac"]
    retriever = example_retrievers.load().make(ComponentSpec.parse("bm25(k=2)"))
    assembler = Assembler(load_template("question"), retriever, ExamplePools(pool, by="subject"))

    assert [assembler.assemble(case).example_ids for case in asked[:2]] == [("b0", "b1"), ("a0", "a1")]
    with pytest.raises(InvalidInputError, match=r"there are no examples.*\(pool of subject 'c'\)"):
        assembler.check(asked)

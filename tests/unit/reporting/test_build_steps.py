"""How often each step of building was done, from the facts of build items to the words of a report."""

from __future__ import annotations

from dataclasses import replace

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.evaluation import ObjectRef, Stage
from bakeoff.domain.report import BuildStep, RunFacts
from bakeoff.domain.work import DoneFact, ItemOutcome
from bakeoff.reporting.build_steps import build_rows, build_steps

BUILT = DoneFact("ev-1", Stage.BUILD, "build-0", ItemOutcome.DONE, ObjectRef("kb/1/manifest.json", "0" * 64, 1))


def test_counts_of_all_items_are_added_up_in_the_order_of_the_steps() -> None:
    one = {"documents": 5, "parse_computed": 5, "chunk_computed": 5, "embed_computed": 5, "texts_embedded": 8}
    other = {"documents": 5, "parse_reused": 5, "chunk_reused": 5, "embed_computed": 5, "texts_embedded": 9}
    facts = [replace(BUILT, counts=counts) for counts in (one, other, {"reused": 1})]

    assert build_steps(facts) == (
        BuildStep("parse", 5, 5),
        BuildStep("chunk", 5, 5),
        BuildStep("embed", 10, 0),
        BuildStep("text", 17, 0),
        BuildStep("knowledge_base", 2, 1),
    )


def test_failed_items_and_steps_that_nobody_took_are_left_out() -> None:
    failed = replace(BUILT, result=None, failure=Failure(FailureKind.INPUT, "all are empty"))

    assert build_steps([failed]) == ()
    assert build_steps([replace(BUILT, counts={"parse_computed": 3})]) == (
        BuildStep("parse", 3, 0),
        BuildStep("knowledge_base", 1, 0),
    )


def test_what_an_endpoint_took_for_vectors_stands_beside_what_was_paid_before() -> None:
    paid = {"texts_embedded": 8, "embedding_tokens": 120, "embedding_cost_micros": 1_500_000}
    found = {"texts_embedded": 9, "embedding_found": 6, "embedding_tokens": 40, "embedding_tokens_found": 80}
    steps = build_steps([replace(BUILT, counts=counts) for counts in (paid, found)])

    assert steps[:3] == (BuildStep("text", 11, 6), BuildStep("token", 160, 80), BuildStep("cost", 1_500_000, 0))
    assert build_rows(RunFacts("ev-1", "", "", (), building=steps))[2] == ("cost of embedding", "1.5000", "–")


def test_rows_are_in_words() -> None:
    run = RunFacts("ev-1", "", "", (), building=(BuildStep("parse", 12345, 0),))

    assert build_rows(run) == (("documents parsed", "12,345", "0"),)

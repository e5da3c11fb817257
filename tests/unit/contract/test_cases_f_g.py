"""Rows F8, G10 and G12 of the replayable cases: what is stored reads back, under keys that any store takes."""

from __future__ import annotations

import pytest

from bakeoff.contract import object_keys
from bakeoff.contract.stored import decode, encode
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.score import CaseScores, MetricCard, Outcome, Score, ScoreBatch

SCORES = (
    Score("exact_match", Outcome.SCORED, 0.0),
    Score("token_f1", Outcome.SCORED, 1 / 3),
    Score("ndcg@10", Outcome.NOT_APPLICABLE, reason="the case has no judgement"),
    Score("judged", Outcome.FAILED, failure=Failure(FailureKind.JUDGE, "it said 'maybe'")),
)


def test_row_f8_a_score_reads_back_as_it_was_and_0_is_no_absence() -> None:
    cards = tuple(MetricCard(one.metric, "e()", "1") for one in SCORES)
    batch = ScoreBatch("b", "all", "r/m", (CaseScores("msmarco_doc#1", SCORES),), cards)
    (case,) = decode(encode(batch), ScoreBatch).cases
    assert case.scores == SCORES
    assert [one.value for one in case.scores] == [0.0, 1 / 3, None, None]


@pytest.mark.parametrize(
    "name", ["naïve.pdf", "a+b c#d.pdf", "//double//slash.pdf", "../up.pdf", "日本語.pdf", "50%.pdf"]
)
def test_row_g10_a_key_has_no_sign_that_stores_sign_differently(name: str) -> None:
    key = object_keys.raw("b", "test", "d/1", name)
    assert key.count("/") == 5
    assert set(key) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_.=~")


def test_row_g12_a_document_id_with_a_hash_is_its_own() -> None:
    keys = {object_keys.raw("b", "test", f"msmarco_doc{end}", "x.txt") for end in ("#1", "#2", "", "=231")}
    assert len(keys) == 4

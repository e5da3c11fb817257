"""ROUGE, BLEU, chrF and TER against the values of their reference packages, papers and a public test suite."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import CaseScores, Outcome
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.corpus_overlap import OverlapMetric, corpus_score, sentence_overlap, tokenizer_for
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.extras import must_have
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.rouge import one_sentence_a_line, rouge_score
from tests.builders import a_case, an_answer

SUITES = Path("lighteval-metric-cases/tests/unit/metrics/test_cases")
BLEU = OverlapMetric("BLEU", {"effective_order": True})


def judged(method: str, answer: str, *golds: str, labels: Mapping[str, str] | None = None) -> CaseScores:
    planned = make_methods(evaluators.load(), [ComponentSpec.parse(method)])
    cases = [a_case(answers=golds, labels=labels)]
    (scored,) = score_batch(planned, cases, [an_answer(text=answer)], ScoringContext())
    return scored


def value(method: str, answer: str, *golds: str) -> float:
    (score,) = judged(method, answer, *golds).scores
    assert score.value is not None
    return score.value


def suite(data_dir: Path, name: str) -> list[dict[str, Any]]:
    return json.loads((data_dir / SUITES / f"{name}.json").read_text())["test_cases"]  # type: ignore[no-any-return]


# --- ROUGE


def test_rule_6_stemming_makes_running_dogs_and_run_dog_equal() -> None:
    assert value('rouge(variant="rouge1", stemmer=true)', "run dog", "running dogs") == 1.0
    assert value('rouge(variant="rouge1")', "run dog", "running dogs") == 0.0


def test_row_b7_official_rouge_knows_no_chinese_and_no_accents() -> None:
    assert value('rouge(variant="rouge1")', "你好世界", "你好世界") == 0.0
    assert value('rouge(variant="rouge1")', "caf", "café") == 1.0


def test_row_b7_unicode_tokens_know_them() -> None:
    method = 'rouge(variant="rouge1", tokenizer="unicode")'
    assert value(method, "你好世界", "你好世界") == 1.0
    assert value(method, "caf", "café") < 1.0
    assert value(method, "北京", "北京市") == pytest.approx(0.8)  # characters: precision 1, recall 2/3
    assert value(method, "नमस्ते दुनिया", "नमस्ते दोस्त") == pytest.approx(0.5)  # marks are parts of their words


def test_row_b8_sentences_are_told_apart_unless_lines_are_asked_for() -> None:
    gold, answer = "The cat sat. The dog ran.", "The dog ran. The cat sat."
    assert value('rouge(variant="rougeLsum")', answer, gold) == 1.0
    assert value('rouge(variant="rougeLsum", sentences="lines")', answer, gold) == 0.5
    assert judged('rouge(variant="rougeLsum")', answer, gold).scores[0].metric == "rougeLsum_split"
    assert judged('rouge(variant="rougeLsum", sentences="lines")', answer, gold).scores[0].metric == "rougeLsum"


def test_row_b9_precision_and_recall_cannot_be_exchanged() -> None:
    found = rouge_score(golds=["a b c d"], answer="a b")
    assert (found.precision, found.recall) == (1.0, 0.5)
    with pytest.raises(TypeError):
        rouge_score(["a b c d"], "a b")  # type: ignore[misc]


def test_the_gold_answer_with_the_best_f1_counts() -> None:
    assert value('rouge(variant="rouge1")', "the quay", "harbour", "the quay") == 1.0


def test_an_empty_answer_has_no_overlap() -> None:
    assert value("rouge()", "", "the quay") == 0.0
    assert value("bleu()", "", "the quay") == 0.0
    assert value("chrf()", "", "the quay") == 0.0
    assert value("ter()", "", "the quay") == 0.0


def test_sentences_end_at_the_marks_of_common_scripts() -> None:
    assert one_sentence_a_line('He said "no." Then she left! 他走了。她来了。') == (
        'He said "no.\nThen she left!\n他走了。\n她来了。'
    )


@pytest.mark.data
@pytest.mark.parametrize("name", ["rouge1", "rouge2", "rougeL", "rougeLsum"])
def test_the_suites_of_rouge(data_dir: Path, name: str) -> None:
    for case in suite(data_dir, name):
        gold, (answer,) = case["doc"]["choices"][case["doc"]["gold_index"]], case["model_response"]["text"]
        found = value(f'rouge(variant="{name}")', answer, gold)
        assert found == pytest.approx(case["expected_output"][name], abs=case["tolerance"]), case["name"]


@pytest.mark.data
def test_the_suite_of_rouge_t5(data_dir: Path) -> None:
    for case in suite(data_dir, "rouge_t5"):
        gold, (answer,) = case["doc"]["choices"][case["doc"]["gold_index"]], case["model_response"]["text"]
        for name, expected in case["expected_output"].items():
            found = 100 * value(f'rouge(variant="{name}")', answer, gold)
            assert found == pytest.approx(expected, abs=case["tolerance"]), (case["name"], name)


# --- BLEU, chrF, TER


def test_row_b11_a_short_answer_is_marked_and_never_above_100() -> None:
    (score,), details = judged("bleu()", "happy", "happy").scores, judged("bleu()", "happy", "happy").details
    assert score.value == 100.0
    assert details["bleu"]["short"] is True  # type: ignore[index]
    assert corpus_score(BLEU, [details["bleu"]["statistics"]]) == 0.0  # type: ignore[index]  # no four words in a row


def test_row_b12_chinese_has_its_own_tokens_and_the_signature_says_so() -> None:
    answer, gold = "猫坐在垫子上面", "猫坐在垫子上"
    by_default = judged("bleu()", answer, gold)
    assert by_default.scores[0].value == pytest.approx(_sacrebleu(answer, [gold], "zh"))
    assert by_default.scores[0].value > 80
    assert "tok:zh" in by_default.details["bleu"]["signature"]  # type: ignore[index]
    assert value('bleu(tokenizer="13a")', answer, gold) == 0.0


@pytest.mark.parametrize(
    ("language", "gold", "tokenizer"),
    [
        ("", "猫坐在垫子上", "zh"),
        ("zh-TW", "abc", "zh"),
        ("", "猫がマットの上に座った", "char"),
        ("ja", "東京", "char"),
        ("en", "The 猫", "13a"),
        ("", "The cat", "13a"),
    ],
)
def test_the_tokenizer_goes_by_the_label_and_then_by_the_gold_answers(language: str, gold: str, tokenizer: str) -> None:
    assert tokenizer_for(language, [gold]) == tokenizer


def test_the_signature_of_sentence_bleu_is_sacrebleus() -> None:
    details = judged("bleu()", "the cat sat", "a cat sat", "the cat sits").details
    assert details["bleu"]["signature"] == (  # type: ignore[index]
        "nrefs:2|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0"
    )


def test_a_corpus_figure_from_the_cases_counts_is_sacrebleus_own() -> None:
    answers = ["the cat sat on the mat today", "it rained all day long in the north", "no"]
    golds = ["the cat sat on a mat today", "it rained all night long in the north", "yes"]
    sacrebleu = pytest.importorskip("sacrebleu")
    own = {
        "BLEU": sacrebleu.corpus_bleu(answers, [golds]).score,
        "CHRF": sacrebleu.corpus_chrf(answers, [golds]).score,
        "TER": sacrebleu.corpus_ter(answers, [golds]).score,
    }
    for method, key in {"bleu": "BLEU", "chrf": "CHRF", "ter": "TER"}.items():
        rows = [judged(f"{method}()", answer, gold) for answer, gold in zip(answers, golds, strict=True)]
        name = rows[0].scores[0].metric
        statistics = [row.details[name]["statistics"] for row in rows]  # type: ignore[index]
        metric = OverlapMetric(key, {"effective_order": True} if key == "BLEU" else {})
        assert corpus_score(metric, statistics) == pytest.approx(own[key], abs=1e-9), method


def test_a_corpus_of_no_case_or_of_mixed_counts_has_no_figure() -> None:
    with pytest.raises(InvalidInputError, match="0 cases"):
        corpus_score(BLEU, [])
    with pytest.raises(InvalidInputError, match=r"\[2, 3\]"):
        corpus_score(BLEU, [[1.0, 2.0], [1.0, 2.0, 3.0]])


def test_the_edit_rate_is_turned_round_so_that_a_failure_is_never_perfect() -> None:
    row = judged("ter()", "the cat sat on the mat", "the cat sat on a mat")
    assert row.scores[0].metric == "ter_complement"
    assert row.scores[0].value == pytest.approx(100 - 100 / 6)  # one edit of six words
    assert row.details["ter_complement"]["ter"] == pytest.approx(100 / 6)  # type: ignore[index]


def test_settings_that_change_a_value_are_in_the_metrics_name() -> None:
    names = [
        judged(method, "a", "a").scores[0].metric
        for method in (
            "bleu()",
            "bleu(order=1)",
            'bleu(tokenizer="char", lowercase=true)',
            "chrf(word_order=2)",
            'rouge(variant="rougeL", stemmer=true, tokenizer="unicode")',
        )
    ]
    assert names == ["bleu", "bleu1", "bleu_char_lowercase", "chrf++", "rougeL_stem_unicode"]


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        ("one two three four five", 1.0),
        ("no no no no no no no", 1 / 4),  # four sequences, one of them different
        ("我我我我我", 1 / 2),
        ("short", 1.0),
        ("", 1.0),
    ],
)
def test_a_model_caught_in_a_loop_repeats_its_sequences(answer: str, share: float) -> None:
    assert value("distinct_ngrams()", answer) == pytest.approx(share)


def test_a_case_without_a_gold_answer_is_not_applicable() -> None:
    assert all(
        judged(method, "x").scores[0].outcome is Outcome.NOT_APPLICABLE
        for method in ("rouge()", "bleu()", "chrf()", "ter()")
    )


def test_a_library_that_is_missing_is_named_with_what_to_install() -> None:
    with pytest.raises(InvalidInputError, match=r"bleu needs the library 'no_such_library'.*bakeoff\[answers\]"):
        must_have("no_such_library", "bleu")


@pytest.mark.data
@pytest.mark.parametrize("order", [1, 4])
def test_the_suites_of_sentence_bleu(data_dir: Path, order: int) -> None:
    method = f'bleu(order={order}, smoothing="none", effective_order=false)'
    for case in suite(data_dir, f"bleu_{order}"):
        gold, (answer,) = case["doc"]["choices"][0], case["model_response"]["text"]
        expected = case["expected_output"][f"bleu_{order}"]
        assert value(method, answer, gold) / 100 == pytest.approx(expected, abs=case["tolerance"]), case["name"]


@pytest.mark.data
def test_the_suite_of_corpus_bleu(data_dir: Path) -> None:
    metric = OverlapMetric("BLEU", {"smooth_method": "none"})
    for case in suite(data_dir, "bleu"):
        answers, golds = _streams(case)
        found = _corpus(metric, answers, golds)
        assert found == pytest.approx(case["expected_output"], abs=case["tolerance"]), case["name"]


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("chrf", OverlapMetric("CHRF", {})),
        ("chrf_plus", OverlapMetric("CHRF", {"word_order": 2})),
        ("ter", OverlapMetric("TER", {})),
    ],
)
def test_the_suites_of_chrf_and_ter_whose_references_are_transposed(
    data_dir: Path, name: str, metric: OverlapMetric
) -> None:
    # Those suites hand one stream a case to sacrebleu, which wants one stream a reference: what is compared is the
    # first answer with the gold answers of all cases. Their numbers hold for exactly that.
    for case in suite(data_dir, name):
        answers, golds = _streams(case)
        found = _corpus(metric, answers[:1], [[gold for wanted in golds for gold in wanted]])
        assert found == pytest.approx(case["expected_output"], abs=case["tolerance"]), case["name"]


@pytest.mark.data
def test_a_translation_with_a_word_missing_is_not_perfect_as_those_suites_have_it(data_dir: Path) -> None:
    case = next(case for case in suite(data_dir, "chrf") if case["name"] == "CHRF - High Similarity")
    assert case["expected_output"] == 100.0
    assert _corpus(OverlapMetric("CHRF", {}), *_streams(case)) == pytest.approx(89.1577, abs=1e-4)


def _streams(case: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    answers = [text for response in case["model_responses"] for text in response["text"]]
    return answers, [doc["choices"] for doc in case["docs"]]


def _corpus(metric: OverlapMetric, answers: Sequence[str], golds: Sequence[Sequence[str]]) -> float:
    rows = [
        sentence_overlap(metric, golds=wanted, answer=answer).statistics
        for answer, wanted in zip(answers, golds, strict=True)
    ]
    return corpus_score(metric, rows)


def _sacrebleu(answer: str, golds: Sequence[str], tokenizer: str) -> float:
    sacrebleu = pytest.importorskip("sacrebleu")
    return float(sacrebleu.sentence_bleu(answer, list(golds), tokenize=tokenizer).score)

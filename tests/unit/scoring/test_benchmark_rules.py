"""The rules of each benchmark, against their scripts' values on published predictions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.score import Score
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.rules import RULES, RuleName
from bakeoff.scoring.segmentation import longest_common_run, mixed_segments, treebank_words
from tests.builders import a_case, an_answer

Pairs = list[tuple[str, list[str]]]


def scores(method: str, pairs: Pairs) -> list[Score]:
    planned = make_methods(evaluators.load(), [ComponentSpec.parse(method)])
    cases = [a_case(f"c{row}", answers=golds) for row, (_, golds) in enumerate(pairs)]
    answers = [an_answer(f"c{row}", text=text) for row, (text, _) in enumerate(pairs)]
    return [case.scores[0] for case in score_batch(planned, cases, answers, ScoringContext())]


def score(method: str, answer: str, *golds: str) -> float | None:
    return scores(method, [(answer, list(golds))])[0].value


def mean(method: str, pairs: Pairs) -> float:
    return sum(found.value or 0.0 for found in scores(method, pairs)) / len(pairs)


def test_the_setting_takes_every_rule() -> None:
    assert set(get_args(RuleName)) == set(RULES)


@pytest.mark.parametrize(
    ("answer", "gold", "f1"),
    [
        ("yes", "yes", 1.0),
        ("yes it is", "yes", 0.0),
        ("no", "no way", 0.0),
        ("Yes.", "yes", 1.0),
        ("noanswer", "North Quay", 0.0),
        ("North Quay wall", "North Quay", 0.8),
    ],
)
def test_hotpotqa_gives_no_credit_beside_yes_and_no(answer: str, gold: str, f1: float) -> None:
    assert score('token_f1(normaliser="hotpotqa")', answer, gold) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("answer", "golds", "value"),
    [
        ("", [], 1.0),
        ("unanswerable", [], 1.0),  # B19
        ("Unanswerable.", [""], 1.0),
        ("North Quay", [], 0.0),
        ("", ["North Quay"], 0.0),
        ("unanswerable", ["North Quay"], 0.0),
        ("North Quay", ["North Quay"], 1.0),
    ],
)
@pytest.mark.parametrize("method", ["exact_match", "token_f1"])
def test_squad_v2_no_answer_b19(method: str, answer: str, golds: list[str], value: float) -> None:
    assert score(f'{method}(normaliser="squad_v2")', answer, *golds) == value


@pytest.mark.parametrize(
    ("answer", "golds", "exact", "f1"),
    [
        ("", [], 1.0, 1.0),
        ("unanswerable", [], 0.0, 0.0),  # B19, as the script has it
        ("the", [], 1.0, 1.0),
        ("North Quay", ["", "the"], 0.0, 0.0),
        ("", ["the", "North Quay"], 0.0, 0.0),  # the gold answer of which nothing is left does not count
        ("", ["the"], 1.0, 1.0),
        ("North Quay wall", ["North Quay"], 0.0, 0.8),
    ],
)
def test_squad_v2_officially_b19(answer: str, golds: list[str], exact: float, f1: float) -> None:
    assert score('exact_match(normaliser="squad_v2_official")', answer, *golds) == exact
    assert score('token_f1(normaliser="squad_v2_official")', answer, *golds) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("row", "answer", "gold", "value"),
    [("B1", "B", "A", 0.0), ("B1", "A", "A", 1.0), ("B3", "Paris.", "Paris", 1.0), ("B32", "A", "A", 1.0)],
)
@pytest.mark.parametrize("rule", ["squad", "squad_v2", "triviaqa", "hotpotqa", "nq_open"])
def test_rows_b1_b3_b32(rule: str, row: str, answer: str, gold: str, value: float) -> None:
    assert score(f'exact_match(normaliser="{rule}")', answer, gold) == value
    assert score(f'token_f1(normaliser="{rule}")', answer, gold) == value


def test_row_b20_an_abstention_that_was_wanted_is_right() -> None:
    said = "Not found in provided context."
    assert score("exact_match", said, said) == 1.0


def test_row_b22_all_wrong_is_nothing() -> None:
    pairs: Pairs = [("x", ["a"]), ("y", ["b"]), ("z", ["c"])]
    assert mean("exact_match", pairs) == 0.0


@pytest.mark.parametrize("rule", ["squad", "cmrc", "expmrc"])
def test_row_b6_ideographs_are_tokens(rule: str) -> None:
    assert score(f'token_f1(normaliser="{rule}")', "北京市", "北京") == pytest.approx(0.8)  # P 2/3, R 1


@pytest.mark.parametrize("rule", ["squad_official", "triviaqa_official", "hotpotqa_official"])
def test_row_b32_officially_nothing_is_left_of_an_article(rule: str) -> None:
    assert score(f'token_f1(normaliser="{rule}")', "A", "A") == 0.0
    assert score(f'exact_match(normaliser="{rule}")', "A", "an") == 1.0


@pytest.mark.parametrize(
    ("row", "rule", "answer", "gold", "exact"),
    [
        ("B4", "squad_official", "twenty-one", "twenty one", 0.0),
        ("B4", "squad_official", "U.S.A.", "USA", 1.0),
        ("B4", "triviaqa_official", "twenty-one", "twenty one", 1.0),
        ("B4", "triviaqa_official", "U.S.A.", "USA", 0.0),
        ("5", "squad_official", "1,000", "1000", 1.0),
        ("5", "squad_official", "“yes”", "yes", 0.0),
        ("5", "squad_official", "", "", 1.0),
        ("5", "triviaqa_official", "O’Neill", "O'Neill", 1.0),
    ],
)
def test_official_rules_are_the_scripts(row: str, rule: str, answer: str, gold: str, exact: float) -> None:
    assert score(f'exact_match(normaliser="{rule}")', answer, gold) == exact


def test_cmrc_counts_the_longest_run_only() -> None:
    # 上海 and 北京 are both there, but in another order: 2 of 4 segments, where a bag would have all 4.
    assert score('token_f1(normaliser="cmrc")', "上海、北京", "北京、上海") == pytest.approx(0.5)
    assert score('exact_match(normaliser="cmrc")', "《北京》。", "北京") == 1.0


def test_plain_changes_nothing_but_the_ends() -> None:
    assert score('exact_match(normaliser="plain")', " Paris\n", "Paris") == 1.0
    assert score('exact_match(normaliser="plain")', "paris", "Paris") == 0.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It isn't 1,000.5, is it?", ["It", "is", "n't", "1,000.5", ",", "is", "it", "?"]),
        ("St. John's (U.S.)", ["St.", "John", "'s", "(", "U.S", ".", ")"]),
        ("$5 and so on...", ["$", "5", "and", "so", "on", "..."]),
        ("", []),
    ],
)
def test_treebank_words(text: str, words: list[str]) -> None:
    assert treebank_words(text) == words


def test_mixed_segments_and_runs() -> None:
    assert mixed_segments("ω-force开发2本") == ["ω", "-", "force", "开", "发", "2", "本"]
    assert longest_common_run(list("abcd"), list("xbcda")) == 3
    assert longest_common_run([], list("ab")) == 0


@pytest.mark.data
@pytest.mark.parametrize(
    ("folder", "exact", "f1"),
    [
        ("2___distractor_count__1", 0.274, 0.364),
        ("2___distractor_count__2", 0.214, 0.314),
        ("2___distractor_count__3", 0.218, 0.320),
        ("4___distractor_count__2", 0.098, 0.149),
    ],
)
@pytest.mark.parametrize("rule", ["hotpotqa", "hotpotqa_official"])
def test_hotpotqa_predictions_score_as_published(
    data_dir: Path, folder: str, exact: float, f1: float, rule: str
) -> None:
    (run,) = (data_dir / "hotpotqa-ircot" / "predictions").glob(f"*{folder}")
    (found,) = run.glob("prediction__*subsampled.json")
    (wanted,) = run.glob("ground_truth__*subsampled.json")
    predictions, golds = json.loads(found.read_text()), json.loads(wanted.read_text())
    pairs = [(_text(predictions[row]), golds[row]) for row in golds]
    assert len(pairs) == 500
    assert round(mean(f'exact_match(normaliser="{rule}")', pairs), 3) == exact
    assert round(mean(f'token_f1(normaliser="{rule}")', pairs), 3) == f1


def _text(prediction: str | list[str]) -> str:
    return prediction if isinstance(prediction, str) else " ".join(prediction)


def _spans(folder: Path, name: str) -> Iterator[tuple[str, list[str]]]:
    found = json.loads((folder / "sample_submission" / f"{name}.json").read_text())
    for article in json.loads((folder / "data" / name / f"expmrc-{name}-dev.json").read_text())["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                yield found[question["id"]]["answer"], [each["text"] for each in question["answers"]]


def _letters(folder: Path, name: str) -> Iterator[tuple[str, list[str]]]:
    found = json.loads((folder / "sample_submission" / f"{name}.json").read_text())
    for article in json.loads((folder / "data" / name / f"expmrc-{name}-dev.json").read_text())["data"]:
        for row, letter in enumerate(article["answers"]):
            yield found[f"{article['id']}-{row}"]["answer"], [letter]


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "questions", "f1"),
    [("squad", 501, 92.892), ("cmrc2018", 515, 83.377), ("race", 561, 68.984), ("c3", 505, 75.248)],
)
def test_expmrc_submissions_score_as_published(data_dir: Path, name: str, questions: int, f1: float) -> None:
    read = _letters if name in ("race", "c3") else _spans
    rule = "plain" if name in ("race", "c3") else "expmrc"
    pairs = list(read(data_dir / "expmrc", name))
    assert len(pairs) == questions
    assert 100 * mean(f'token_f1(normaliser="{rule}")', pairs) == pytest.approx(f1, abs=0.05)

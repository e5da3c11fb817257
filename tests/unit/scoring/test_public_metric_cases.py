"""LightEval's published metric cases: those that Bakeoff's measures must give, and which measures it has not."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from bakeoff.domain.answer import CaseAnswer
from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.likelihoods import corpus_perplexity
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.samples import pass_at_k
from tests.builders import a_passage, some_evidence

FOLDER = Path("lighteval-metric-cases/tests/unit/metrics/test_cases")
Row = dict[str, Any]


def score(method: str, case: Case, answer: CaseAnswer) -> float:
    planned = make_methods(evaluators.load(), [ComponentSpec.parse(method)])
    (found,) = score_batch(planned, [case], [answer], ScoringContext())
    return found.scores[0].value or 0.0  # a failed case counts as 0


def golds(row: Row) -> list[int]:
    index = row["doc"]["gold_index"]
    return index if isinstance(index, list) else [index]


def by_words(method: str, row: Row) -> float:
    answers = tuple(row["doc"]["choices"][gold] for gold in golds(row))
    return score(method, Case("c", "?", Expected(answers)), CaseAnswer("c", text=row["model_response"]["text"][0]))


def by_likelihood(row: Row) -> float:
    found = [{"sum": total, "chars": 1, "bytes": 1, "tokens": 1} for total in row["model_response"]["logprobs"]]
    case = Case("c", "?", Expected(value=golds(row)), metadata={"choices": row["doc"]["choices"]})
    return score("likelihood_choice", case, CaseAnswer("c", metadata={"logprobs": {"choices": found}}))


def by_rank(method: str, row: Row) -> float:
    """Rank the choices by their likelihood, as a search ranks documents; of a tie the larger id goes first."""
    likely = sorted(enumerate(row["model_response"]["logprobs"]), key=lambda each: -each[1])
    passages = tuple(a_passage(str(9 - place), rank=rank, score=total) for rank, (place, total) in enumerate(likely, 1))
    case = Case("c", "?", Expected(evidence=tuple(some_evidence(str(9 - gold)) for gold in golds(row))))
    return score(method, case, CaseAnswer("c", passages))


def by_label(row: Row, text: str) -> float:
    case = Case("c", "?", Expected(value=golds(row)[0]), metadata={"choices": row["doc"]["choices"]})
    return score("choice_accuracy(case_sensitive=true)", case, CaseAnswer("c", text=text))


def samples_by_label(row: Row) -> float:
    texts = row["model_response"]["text"]
    right = sum(by_label(row, text) == 1.0 for text in texts)
    return pass_at_k(samples=len(texts), right=right, k=row["metric_params"]["k"])


def over_samples(method: str, row: Row, texts: Sequence[str], right: Sequence[int]) -> float:
    case = Case("c", "?", Expected(tuple(row["doc"]["choices"][gold] for gold in right)))
    return score(method, case, CaseAnswer("c", text=texts[0], samples=tuple(texts)))


def by_pass_at(row: Row) -> float:
    params = row["metric_params"]
    texts = row["model_response"]["text"][: params["n"]]
    return over_samples(f"pass_at(k={params['k']}, of=exact_match)", row, texts, golds(row))


def by_mean(row: Row) -> float:
    # That suite takes the first of several gold answers.
    texts = row["model_response"]["text"][: row["metric_params"]["k"]]
    return over_samples("mean_of_samples(of=exact_match)", row, texts, golds(row)[:1])


def by_majority(row: Row) -> float:
    texts = row["model_response"]["text"]
    return over_samples('majority_vote(by="text", of="exact_match")', row, texts, golds(row))


def by_words_of_a_corpus(row: Row) -> float:
    sums = [sum(response["logprobs"]) for response in row["model_responses"]]
    words = [len(doc["query"].split()) for doc in row["docs"]]
    return corpus_perplexity(zip(sums, words, strict=True))


SUITES: dict[str, Callable[[Row], float]] = {
    "avg_at_k": by_mean,
    "exact_match": lambda row: by_words("exact_match", row),
    "f1_score": lambda row: by_words('token_f1(normaliser="plain")', row),
    "gpqa_instruct_metric": lambda row: by_label(row, row["model_response"]["text"][0]),
    "gpqa_instruct_pass_at_k": samples_by_label,
    "loglikelihood_acc": by_likelihood,
    "maj_at_k": by_majority,
    "mrr": lambda row: by_rank("reciprocal_rank", row),
    "pass_at_k": by_pass_at,
    # Its "recall" is whether any right choice is among the first k.
    "recall_at_k": lambda row: by_rank(f"hit(k={row['metric_params']['k']})", row),
    "word_perplexity": by_words_of_a_corpus,
}

ELSEWHERE = {
    "test_overlap_measures": ("bleu", "bleu_1", "bleu_4", "chrf", "chrf_plus", "rouge1", "rouge2", "rougeL",
                              "rougeLsum", "rouge_t5", "ter"),
    "test_samples": ("g_pass_at_k",),
    "test_math_equivalence": ("avg_at_k_math", "g_pass_at_k_math", "pass_at_k_math"),
}  # fmt: skip
"""Suites that the tests of their measures run."""

NOT_THERE: dict[Sequence[str], str] = {
    ("acc_golds_likelihood",): "whether greedy decoding gives the gold text: endpoints do not say",
    ("bert_score", "bleurt", "faithfulness"): "needs a model that is not on the machine",
    ("bits_per_byte", "byte_perplexity", "prediction_perplexity", "target_perplexity"): (
        "the cases have log-probabilities without lengths, and expect what rounding or a fallback left of them; "
        "perplexity and bits_per_byte give them where the lengths are known"
    ),
    ("copyright", "extractiveness"): "no measure of copying",
    ("drop",): "DROP's alignment of number-aware bags is not there",
    ("expr_gold_metric", "g_pass_at_k_latex"): "extraction by LaTeX environment alone; math_equivalence reads more",
    ("f1_score_macro", "f1_score_micro", "loglikelihood_f1", "mcc", "multi_f1_numeric"): (
        "a figure of the whole corpus over classes, not a mean over cases"
    ),
    ("pass_at_k_letters",): "takes a choice whose text is B for the label A: the answer B is then wrong",
    ("simpleqa_judge",): "needs a judge",
    ("truthfulqa_mc_metrics",): "mc1 and mc2 are not there",
}


def rows(data_dir: Path, name: str) -> list[Row]:
    return json.loads((data_dir / FOLDER / f"{name}.json").read_text())["test_cases"]  # type: ignore[no-any-return]


@pytest.mark.data
@pytest.mark.parametrize("name", SUITES)
def test_suite(data_dir: Path, name: str) -> None:
    cases = rows(data_dir, name)
    assert cases
    for row in cases:
        told = row["expected_output"]
        (expected,) = told.values() if isinstance(told, dict) else (told,)
        assert SUITES[name](row) == pytest.approx(float(expected), abs=row["tolerance"]), row["name"]


@pytest.mark.data
def test_every_suite_is_run_or_said_not_to_be_there(data_dir: Path) -> None:
    missing = [name for names in NOT_THERE for name in names]
    named = [*SUITES, *(name for names in ELSEWHERE.values() for name in names), *missing]
    assert sorted(named) == sorted(path.stem for path in (data_dir / FOLDER).glob("*.json"))

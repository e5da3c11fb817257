"""BLEU, chrF and TER by sacrebleu: of one answer, and of a whole corpus from what each case left behind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bakeoff.domain.errors import InvalidInputError
from bakeoff.scoring.extras import library

KANA = re.compile("[\u3040-\u30ff]")
IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


@dataclass(frozen=True, slots=True)
class OverlapMetric:
    """One of sacrebleu's metrics with its settings."""

    kind: str
    """`BLEU`, `CHRF` or `TER`."""
    settings: Mapping[str, object]
    """Keyword arguments of sacrebleu's class."""

    def made(self) -> Any:  # sacrebleu's metrics remember their last call: a fresh one each time
        """Return sacrebleu's object."""
        return getattr(library("sacrebleu.metrics"), self.kind)(**self.settings)


@dataclass(frozen=True, slots=True)
class Overlap:
    """What sacrebleu says of one answer."""

    score: float
    """In [0, 100] for BLEU and chrF; for TER from 0 (no edits) upwards, lower is better."""
    signature: str
    """sacrebleu's own, such as `nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0`."""
    statistics: tuple[float, ...]
    """Counts that add up over cases; `corpus_score` makes the corpus figure of them."""


def sentence_overlap(metric: OverlapMetric, *, golds: Sequence[str], answer: str) -> Overlap:
    """Return the score of one answer against all its gold answers together.

    Args:
        metric: What is measured.
        golds: Gold answers of this one case, at least one: sacrebleu gets one stream of references for each.
        answer: What was said.

    Raises:
        InvalidInputError: there is no gold answer.
    """
    if not golds:
        raise InvalidInputError("an overlap needs at least one gold answer")
    made = metric.made()
    streams = [[gold] for gold in golds]
    (statistics,) = made._extract_corpus_statistics([answer], streams)  # there is no public way to the counts
    score = float(made._aggregate_and_compute([statistics]).score)
    top = float("inf") if metric.kind == "TER" else 100.0
    # sacrebleu gives 100.00000000000004 for `happy` against `happy`.
    return Overlap(min(max(score, 0.0), top), made.get_signature().format(), tuple(map(float, statistics)))


def corpus_score(metric: OverlapMetric, statistics: Sequence[Sequence[float]]) -> float:
    """Return the figure of a whole corpus, which is no mean over its cases.

    Args:
        metric: The metric of the statistics. Sentence-level BLEU has `effective_order`; the corpus figure of papers
            has not, and is computed without it whatever the metric says.
        statistics: Those of each case, shape (cases, counts); a case that failed is left out or stands for an empty
            answer, as the reader decides.

    Raises:
        InvalidInputError: there is no case, or cases have different numbers of counts.
    """
    if len({len(row) for row in statistics}) != 1:
        raise InvalidInputError(
            f"a corpus figure needs counts of one length from at least one case, not {len(statistics)} cases with "
            f"{sorted({len(row) for row in statistics})} counts"
        )
    settings = dict(metric.settings)
    if metric.kind == "BLEU":
        settings["effective_order"] = False
    made = OverlapMetric(metric.kind, settings).made()
    rows = [list(row) if metric.kind == "TER" else [int(count) for count in row] for row in statistics]
    return min(float(made._aggregate_and_compute(rows).score), float("inf") if metric.kind == "TER" else 100.0)


def tokenizer_for(language: str, golds: Sequence[str]) -> str:
    """Return sacrebleu's tokenizer for a case: by its language, or by its gold answers' script when that is unknown.

    `zh` for Chinese; `char` for Japanese, Thai, Khmer, Lao and Burmese, which have no spaces either and whose own
    tokenizers are programs of their own; else `13a`. It never depends on the answer, so that all are measured alike.

    Args:
        language: A language tag such as `zh` or `zh-TW`; empty when not known.
        golds: Gold answers.
    """
    primary = re.split("[-_]", language.lower())[0]
    if primary in ("zh", "cmn", "yue"):
        return "zh"
    if primary in ("ja", "th", "km", "lo", "my"):
        return "char"
    if primary:
        return "13a"
    text = " ".join(golds)
    if KANA.search(text):
        return "char"
    return "zh" if IDEOGRAPH.search(text) else "13a"

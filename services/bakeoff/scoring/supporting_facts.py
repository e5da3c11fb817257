"""HotpotQA's supporting facts: what an answer rests on, and the figures of answer and facts together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass

from bakeoff.domain.answer import CaseAnswer
from bakeoff.scoring.json_answers import NotJsonError, json_of
from bakeoff.scoring.rules import CLOSED

FACT_KEYS = ("supporting_facts", "sp")
"""Where an answer says what it rests on: HotpotQA's gold files have the first, its prediction files the second."""

Fact = tuple[str, int]
"""Title of a paragraph and number of a sentence, from 0."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well something fits what is wanted."""

    exact: float
    """1 when both are the same, else 0."""
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 when both are."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both > 0 else 0.0

    def joined(self, other: Agreement) -> Agreement:
        """Return the product of two agreements, figure by figure, from which the joint F1 follows.

        Source: Yang et al. 2018, "HotpotQA", arXiv:1809.09600, hotpot_evaluate_v1.py.
        """
        return Agreement(self.exact * other.exact, self.precision * other.precision, self.recall * other.recall)


def of_words(answer: str, gold: str) -> Agreement:
    """Return how an answer's words fit a gold answer's, both normalised; yes, no and noanswer fit only themselves.

    Source: Yang et al. 2018, "HotpotQA", arXiv:1809.09600, hotpot_evaluate_v1.py.
    """
    exact = float(answer == gold)
    found, wanted = answer.split(), gold.split()
    shared = sum((Counter(found) & Counter(wanted)).values())
    if not shared or (not exact and (answer in CLOSED or gold in CLOSED)):
        return Agreement(exact, 0.0, 0.0)
    return Agreement(exact, shared / len(found), shared / len(wanted))


def of_facts(found: Set[Fact], wanted: Set[Fact]) -> Agreement:
    """Return how the facts that an answer names fit the gold ones; no facts at all have precision and recall 0.

    Source: Yang et al. 2018, "HotpotQA", arXiv:1809.09600, hotpot_evaluate_v1.py.
    """
    shared = len(found & wanted)
    precision = shared / len(found) if found else 0.0
    recall = shared / len(wanted) if wanted else 0.0
    return Agreement(float(found == wanted), precision, recall)


def facts_of(value: object) -> frozenset[Fact] | None:
    """Return the facts that a JSON value lists as `[title, number]`; None when it is no such list."""
    if not isinstance(value, list | tuple):
        return None
    facts = set()
    for item in value:
        if not isinstance(item, list | tuple) or len(item) != 2:
            return None
        title, number = item
        if not isinstance(title, str) or not isinstance(number, int) or isinstance(number, bool):
            return None
        facts.add((title, number))
    return frozenset(facts)


def said_with_facts(answer: CaseAnswer) -> tuple[str, frozenset[Fact] | None]:
    """Return the words of an answer and the facts that it names; None when it names none.

    An answer is a JSON object of `answer` and `supporting_facts` (or `sp`), in a fence or not; or plain words, with the
    facts in the answer's metadata.
    """
    text = answer.text or ""
    beside = next((facts for key in FACT_KEYS if (facts := facts_of(answer.metadata.get(key))) is not None), None)
    try:
        value = json_of(text.strip(), fenced=True)
    except NotJsonError:
        return text, beside
    if not isinstance(value, dict) or not isinstance(value.get("answer"), str):
        return text, beside
    told = next((facts for key in FACT_KEYS if (facts := facts_of(value.get(key))) is not None), None)
    return str(value["answer"]), told if told is not None else beside

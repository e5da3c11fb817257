"""HotpotQA's figures of an answer, of the facts that it rests on, and of both together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import MetricCard, Score
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, not_applicable, scored
from bakeoff.scoring.gold import no_gold_answer
from bakeoff.scoring.normalisation import squad, squad_official, squeezed
from bakeoff.scoring.one_by_one import OneByOne, shown, unread
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.supporting_facts import Agreement, Fact, facts_of, of_facts, of_words, said_with_facts

FIGURES = ("answer_em", "answer_f1", "sp_em", "sp_f1", "joint_em", "joint_f1")


@evaluators.register("hotpotqa")
def hotpotqa(
    *,
    mode: Annotated[
        Literal["official", "strict"],
        Is("the script to the letter, or answers that keep an article and titles by words"),
    ] = "strict",
    required: Annotated[bool, Is("whether plain words without facts failed; else only the answer is measured")] = False,
) -> OneByOne:
    """Measure an answer, the supporting facts that it names, and both together: exact match and F1.

    The gold facts are `expected.metadata["supporting_facts"]`, a list of `[title, number of the sentence from 0]`. The
    answer is a JSON object of `answer` and `supporting_facts`, or has `supporting_facts` in its metadata. An object
    without facts failed to parse under the figures of facts, which counts as 0, as in the script. To plain words
    without facts these figures do not apply, since none were asked for, unless they are required.

    Scale: [0, 1], higher is better; the figures named em are 0 or 1.
    Not applicable: the recipe makes no answers, or the case has no gold answer or no gold facts.
    Source: Yang et al. 2018, "HotpotQA", arXiv:1809.09600, hotpot_evaluate_v1.py.
    """
    cards = tuple(
        MetricCard(
            f"hotpotqa_{figure}_{mode}", "", "", binary=figure.endswith("_em"), needs_answer=True, source="HotpotQA"
        )
        for figure in FIGURES
    )
    normalise = squad_official if mode == "official" else squad
    title_of = str if mode == "official" else squeezed

    def judge(each: AnsweredCase) -> Verdict:
        said, facts = said_with_facts(each.answer)
        by_answer = max(
            (of_words(normalise(said), normalise(gold)) for gold in each.case.expected.answers),
            key=lambda agreement: (agreement.exact, agreement.f1),
        )
        if facts is None:
            plain = said == (each.answer.text or "")
            rest = _without_facts(cards[2:], each, applies=required or not plain)
            return Verdict((*_pair(cards[:2], by_answer), *rest), {f"hotpotqa_{mode}": {"answer": said[:200]}})
        named, wanted = (frozenset((title_of(title), row) for title, row in one) for one in (facts, _gold(each.case)))
        by_facts = of_facts(named, wanted)
        figures = (by_answer, by_facts, by_answer.joined(by_facts))
        scores = [score for row, one in enumerate(figures) for score in _pair(cards[2 * row : 2 * row + 2], one)]
        details: dict[str, object] = {"answer": said[:200], "supporting_facts": sorted(map(list, named))}
        return Verdict(tuple(scores), {f"hotpotqa_{mode}": details})

    return OneByOne(cards, _no_facts, judge)


def _pair(cards: Sequence[MetricCard], found: Agreement) -> tuple[Score, Score]:
    exact, f1 = cards
    return scored(exact, found.exact), scored(f1, found.f1)


def _without_facts(cards: Sequence[MetricCard], each: AnsweredCase, *, applies: bool) -> tuple[Score, ...]:
    reason = f"no supporting facts in the answer {shown(each.answer.text or '')}"
    return unread(cards, reason).scores if applies else tuple(not_applicable(card.name, reason) for card in cards)


def _no_facts(case: Case) -> str:
    there = case.expected.metadata.get("supporting_facts")
    return no_gold_answer(case) or ("" if there else "the case has no supporting facts")


def _gold(case: Case) -> frozenset[Fact]:
    value = case.expected.metadata["supporting_facts"]
    facts = facts_of(value)
    if facts is None:
        raise InvalidInputError(
            f"case {case.case_id!r}: expected.metadata['supporting_facts'] must be a list of [title, number], "
            f"not {value!r}"
        )
    return facts

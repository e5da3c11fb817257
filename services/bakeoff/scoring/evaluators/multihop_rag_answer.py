"""The answer measure of MultiHop-RAG's own script."""

from __future__ import annotations

from bakeoff.domain.score import MetricCard
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.gold import no_gold_answer
from bakeoff.scoring.multihop_rag_rules import shares_a_word
from bakeoff.scoring.one_by_one import OneByOne
from bakeoff.scoring.registries import evaluators


@evaluators.register("multihop_rag_answer")
def multihop_rag_answer() -> OneByOne:
    """Measure whether an answer shares any word with a gold answer, stop words included, as MultiHop-RAG's script does.

    Its first release divided wrongly, so that answers that are all wrong had an accuracy above 0; this is the repaired
    rule. `exact_match` and `token_f1` are the strict ones.

    Scale: {0, 1}, higher is better; a mean is the accuracy.
    Not applicable: the recipe makes no answers, or the case has no gold answer.
    Source: Tang & Yang 2024, "MultiHop-RAG", arXiv:2401.15391, qa_evaluate.py.
    """
    card = MetricCard(
        "multihop_official_accuracy", "", "", binary=True, needs_answer=True, source="MultiHop-RAG, qa_evaluate.py"
    )

    def judge(each: AnsweredCase) -> Verdict:
        right = any(shares_a_word(each.answer.text or "", gold) for gold in each.case.expected.answers)
        return Verdict((scored(card, float(right)),))

    return OneByOne((card,), no_gold_answer, judge)

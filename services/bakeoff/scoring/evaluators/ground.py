"""Whether an agent's answer or files have all the words they should, and none that they should not."""

from __future__ import annotations

from collections.abc import Mapping

from bakeoff.domain.answer import CaseAnswer
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import MetricCard
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, not_applicable, scored
from bakeoff.scoring.ground_rules import check, rules_of
from bakeoff.scoring.one_by_one import OneByOne
from bakeoff.scoring.registries import evaluators

CARDS = (
    MetricCard("ground", "", "", binary=True, source="all wanted words and no unwanted ones"),
    MetricCard("ground_share", "", "", source="share of wanted words that are there and of unwanted that are not"),
)


@evaluators.register("ground")
def ground() -> OneByOne:
    """Measure whether all words that should stand in the answer do, and none that should not.

    Where the ground truth names files, their texts together are looked at instead of the answer's words; they are in
    `CaseAnswer.metadata["files"]`, by path. A file that is absent makes the case fail. Words are letters in a row.

    Scale: ground {0, 1}, ground_share [0, 1]; higher is better.
    Not applicable: the case has no ground truth of this kind, or names no files and the recipe makes no answers.
    Source: agbenchmark's ground truth (Auto-GPT-Benchmarks, 2023), with all-of and none-of as its documentation says.
    """
    return OneByOne(CARDS, _no_ground, _judge)


def _no_ground(case: Case) -> str:
    return "" if rules_of(case) else "the case has no ground truth to hold the answer against"


def _judge(each: AnsweredCase) -> Verdict:
    rules = rules_of(each.case)
    if rules is None or (not rules.files and each.answer.text is None):
        return Verdict(tuple(not_applicable(card.name, "the recipe makes no answers") for card in CARDS))
    findings = check(rules, each.answer.text or "", _files(each.answer))
    details = {
        "missing": list(findings.missing),
        "forbidden": list(findings.forbidden),
        "absent_files": list(findings.absent_files),
    }
    scores = (scored(CARDS[0], float(findings.passed)), scored(CARDS[1], findings.share))
    return Verdict(scores, {"ground": details})


def _files(answer: CaseAnswer) -> Mapping[str, str]:
    files = answer.metadata.get("files", {})
    if not isinstance(files, Mapping) or not all(isinstance(text, str) for text in files.values()):
        raise InvalidInputError(f"case {answer.case_id!r}: files must be texts by path, not {type(files).__name__}")
    return files

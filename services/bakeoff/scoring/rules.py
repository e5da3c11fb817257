"""How each benchmark compares an answer with a gold answer: its normal form, its overlap, and what no answer means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from bakeoff.scoring.normalisation import Normaliser, squad, squad_official, tokens, triviaqa, triviaqa_official
from bakeoff.scoring.segmentation import DROPPED, SPECIAL, longest_common_run, mixed_segments

RuleName = Literal[
    "squad", "squad_v2", "squad_official", "squad_v2_official", "triviaqa", "triviaqa_official", "hotpotqa",
    "hotpotqa_official", "nq_open", "cmrc", "expmrc", "plain",
]  # fmt: skip
"""`_official` is a script to the letter; the plain name differs where the script says nothing sensible."""

Overlap = Callable[[str, str], float]
"""F1 of a normalised answer and a normalised gold answer, in [0, 1]."""

ABSTENTIONS = frozenset({"unanswerable", "not answerable", "cannot be answered", "no answer", "noanswer"})
"""What a model writes where SQuAD 2.0's own format leaves the answer empty."""
CLOSED = frozenset({"yes", "no", "noanswer"})
"""HotpotQA's answers that share no credit with any other."""


@dataclass(frozen=True, slots=True)
class AnswerRule:
    """The comparison of one benchmark."""

    normalise: Normaliser
    """Brings an answer or a gold answer into the form in which they are compared."""
    overlap: Overlap
    may_have_no_answer: bool = False
    """Whether a case without a gold answer asks for an empty answer; otherwise it is not applicable."""


def bag_f1(found: Sequence[str], wanted: Sequence[str]) -> float:
    """Return the F1 of two bags of tokens; 1 when both are empty, 0 when one is.

    Source: Rajpurkar et al. 2016, arXiv:1606.05250; for an empty side Rajpurkar et al. 2018, arXiv:1806.03822.
    """
    if not found or not wanted:
        return float(list(found) == list(wanted))
    shared = sum((Counter(found) & Counter(wanted)).values())
    return 2 * shared / (len(found) + len(wanted))


def token_overlap(answer: str, gold: str) -> float:
    """Return the F1 of two normalised answers' tokens."""
    return bag_f1(tokens(answer), tokens(gold))


def shared_words(answer: str, gold: str) -> float:
    """Return the F1 of the words between white space; 0 when none is shared, so also of two empty texts.

    Source: Rajpurkar et al. 2016, arXiv:1606.05250, evaluate-v1.1.py.
    """
    found, wanted = answer.split(), gold.split()
    return bag_f1(found, wanted) if found and wanted else 0.0


def unless_closed(overlap: Overlap) -> Overlap:
    """Return an overlap that is 0 where one answer is yes, no or noanswer and the other is not the same.

    Source: Yang et al. 2018, "HotpotQA", arXiv:1809.09600, hotpot_evaluate_v1.py.
    """

    def closed(answer: str, gold: str) -> float:
        if answer != gold and (answer in CLOSED or gold in CLOSED):
            return 0.0
        return overlap(answer, gold)

    return closed


def squad_v2(text: str) -> str:
    """Return an answer in SQuAD's form; one that says that there is no answer is empty.

    Source: Rajpurkar et al. 2018, "SQuAD 2.0", arXiv:1806.03822, where an empty answer says so.
    """
    normal = squad(text)
    return "" if normal in ABSTENTIONS else normal


def cmrc(text: str) -> str:
    """Return an answer in lower case without CMRC's marks.

    Source: Cui et al. 2019, "CMRC 2018", arXiv:1810.07366, cmrc2018_evaluate.py.
    """
    return "".join(mark for mark in text.lower().strip() if mark not in SPECIAL)


def cmrc_overlap(answer: str, gold: str) -> float:
    """Return the F1 of the longest run of segments that both have.

    Source: Cui et al. 2019, "CMRC 2018", arXiv:1810.07366, cmrc2018_evaluate.py.
    """
    found, wanted = mixed_segments(answer), mixed_segments(gold)
    if not found or not wanted:
        return float(found == wanted)
    return 2 * longest_common_run(found, wanted) / (len(found) + len(wanted))


def expmrc(text: str) -> str:
    """Return an answer's segments in lower case, without marks and small articles, with a space between them.

    Source: Cui et al. 2022, "ExpMRC", arXiv:2105.04126, eval_expmrc.py: an article with a capital stays.
    """
    kept = [segment for segment in mixed_segments(text) if segment not in ("a", "an", "the") and segment not in DROPPED]
    return " ".join(kept).lower()


def word_overlap(answer: str, gold: str) -> float:
    """Return the F1 of the words between white space."""
    return bag_f1(answer.split(), gold.split())


RULES: dict[str, AnswerRule] = {
    "squad": AnswerRule(squad, token_overlap),
    "squad_v2": AnswerRule(squad_v2, token_overlap, may_have_no_answer=True),
    "squad_official": AnswerRule(squad_official, shared_words),
    # Rajpurkar et al. 2018, evaluate-v2.0.py: an answer is empty or it is an answer, whatever it says.
    "squad_v2_official": AnswerRule(squad_official, word_overlap, may_have_no_answer=True),
    "triviaqa": AnswerRule(triviaqa, token_overlap),
    "triviaqa_official": AnswerRule(triviaqa_official, shared_words),
    "hotpotqa": AnswerRule(squad, unless_closed(token_overlap)),
    "hotpotqa_official": AnswerRule(squad_official, unless_closed(shared_words)),
    # Lee et al. 2019, arXiv:1906.00300: SQuAD's form, any of the short answers.
    "nq_open": AnswerRule(squad, token_overlap),
    "cmrc": AnswerRule(cmrc, cmrc_overlap),
    "expmrc": AnswerRule(expmrc, word_overlap),
    "plain": AnswerRule(str.strip, word_overlap),
}
"""By the name that the setting `normaliser` takes."""

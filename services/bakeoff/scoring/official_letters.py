"""How published harnesses read the letter of one choice out of an answer, with what they get wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

# In the patterns below @ stands for the class of labels, such as [ABCD].
ENDS_SO = r"[。\.]?$"
FIRST_OPTION: tuple[str, ...] = (
    *(rf"答案是?\s*{colon}(@)" for colon in ("", r"：\s*", r":\s*")),
    *(rf"答案选项应?该?{verb}\s*(@)" for verb in "是为"),
    *(rf"答案应该?{verb}\s*(@)" for verb in "是选"),
    r"答案选项为?\s*：\s*(@)",
    r"答案选项为?\s+\(?\*?\*?(@)\*?\*?\)?",
    r"答案选项是?\s*:\s*(@)",
    *(rf"答案{verb}\s*(@)" for verb in "为选"),
    r"选择?\s*(@)",
    r"故选?\s*(@)只有选?项?\s?(@)\s?是?对",  # two that a forgotten comma has made one
    *(rf"只有选?项?\s?(@)\s?{verdict}" for verdict in ("是?错", "不?正确", "错误")),
    *(rf"说法{verdict}选?项?的?是\s?(@)" for verdict in ("不?对", "不?正确", "错误")),
    *(rf"(@)\s?是正确{what}" for what in ("的", "答案")),
    r"选项\s?(@)\s?正确",
    r"所以答\s?(@)",
    *(rf"所{word}\s?(@[.。$]?$)" for word in "以有"),
    r"[\s，：:,](@)[。，,\.]?$",
    *(rf"[\s，,：:]{so}(@){ENDS_SO}" for so in ("[故即]", "因此")),
    *(rf"{so}\s?(@){ENDS_SO}" for so in ("[是为。]", "因此", "显然")),
    *(rf"答案{verb}\s?(\S+)(?:。|$)" for verb in ("是", "应该是", "为")),
    r"(?i:ANSWER\s*:\s*(@))",
    *(rf"[Tt]he answer is:?\s+\(?{bold}(@)" for bold in ("", r"\*?\*?")),
    r"[Tt]he answer is option:?\s+\(?(@)",
    *(rf"[Tt]he correct answer is{option}:?\s+\(?(@)" for option in ("", " option")),
    *(rf"[Tt]he correct {what} is:?.*?boxed\{{(@)\}}" for what in ("answer", "option", "answer option")),
    r"[Tt]he answer to the question is:?\s+\(?(@)",
    r"^选项\s?(@)",
    r"^(@)\s?选?项",
    r"(\s|^)@[\s。，,：:\.$]",
    r"1.\s?(.*?)$",
    r"1.\s?(@)[.。$]?$",
)
LONGEST = 20_000
"""Characters at an answer's beginning that are read: some patterns look from every place to the end."""
CUSHION = (r"(@):", r"(@)")
"""Tried when nothing else has matched: any letter, wherever it stands."""

CMMLU: tuple[str, ...] = (
    "答案(?:选项)?(?:是|为)：? ?(@)",
    "答案(?:是|为)选项 ?(@)",
    "故?选择?：? ?(@)",
    "(@) ?选?项(?:是|为)?正确",
    "正确的?选项(?:是|为) ?(@)",
    "答案(?:应该)?(?:是|为)(@)",
    "选项 ?(@) ?(?:是|为)?正确",
    "选择答案 ?(@)",
    "答案?：?(@)",
    "(@)(?:选?项)?是?符合题意",
    "答案选项：? ?(@)",
    "答案(?:选项)?为.*?(@)",
)
CMMLU_VERDICTS = ("当选", "正确")
"""Before these the nearest label counts."""
CMMLU_WEAK = "[^不]是：? ?(@)"

LM_EVAL = r"(?i:(?:^\W*|answer\s*(?:is)?\s*[:\-]?\s*|option\s*[:\-]?\s*)\(?(@)\)?\W*$)"


def first_option(text: str, labels: Sequence[str], *, cushion: bool = True) -> str | None:
    """Return the label that the first of many patterns finds; None when none does.

    The patterns go by their order and not by their place, and of several labels in a match the first of the choices
    counts: `**Answer:** **C**` is A, `Answer: Let's see` is L where there are so many choices.

    Args:
        text: The answer.
        labels: One character each, in the choices' order.
        cushion: Whether any letter will do when no pattern has matched.

    Source: open-compass/opencompass and AISBench/benchmark, first_option_postprocess, as their configurations of RACE,
    ARC, HellaSwag and MMLU call it.
    """
    stripped = text.strip()[:LONGEST]
    for pattern in _compiled(FIRST_OPTION + (CUSHION if cushion else ()), tuple(labels)):
        if match := pattern.search(stripped):
            said = match[1] or match[0]
            if found := next((label for label in labels if label in said), None):
                return found
    return None


def first_capital(text: str, labels: Sequence[str]) -> str | None:
    """Return the first capital letter, whatever it begins; None when there is none.

    Source: open-compass/opencompass, first_capital_postprocess, as its configurations of RACE, MMLU and CMMLU with
    examples call it.
    """
    return next((mark for mark in text if mark.isupper()), None)


def last_option(text: str, labels: Sequence[str]) -> str | None:
    """Return the last letter that is a label, wherever it stands; None when there is none.

    Source: open-compass/opencompass and AISBench/benchmark, last_option_postprocess.
    """
    return next((mark for mark in reversed(text) if mark in labels), None)


def cmmlu_choice(text: str, labels: Sequence[str]) -> str | None:
    """Return the label as CMMLU's authors read it; None where they draw one at random.

    In this order: the answer's first character; Chinese phrases; the last label before 当选 or 正确; 是 with a label;
    the only label of the whole answer.

    Source: Li et al. 2023, "CMMLU", arXiv:2306.09212; haonan-li/CMMLU, src/mp_utils.py, extract_choice.
    """
    text = text[:LONGEST]
    if text and text[0] in labels:
        return text[0]
    kinds = tuple(labels)
    for pattern in _compiled(CMMLU, kinds, re.MULTILINE):
        if match := pattern.search(text):
            return match[1]
    for verdict in CMMLU_VERDICTS:
        for line in text.split("\n"):
            if label := _nearest_before(verdict, line, labels):
                return label
    (weak,) = _compiled((CMMLU_WEAK,), kinds, re.MULTILINE)
    if match := weak.search(text):
        return match[1]
    mentioned = [mark for mark in text if mark in labels]
    return mentioned[0] if len(mentioned) == 1 else None


def lm_eval_choice(text: str, labels: Sequence[str]) -> str | None:
    """Return the label with which the first line ends, alone or behind `answer` or `option`; None when none does.

    Source: EleutherAI/lm-evaluation-harness, mmlu_generative, filter get_response, version 3.
    """
    (pattern,) = _compiled((LM_EVAL,), tuple(labels), 0)
    line = " ".join(text.partition("\n")[0].split())  # long runs of white space would be tried in every division
    match = pattern.search(line[:LONGEST])
    return match[1].upper() if match else None


def _nearest_before(verdict: str, line: str, labels: Sequence[str]) -> str | None:
    """Return the last label before the first verdict that has one before it."""
    first = next((place for place, mark in enumerate(line) if mark in labels), None)
    stop = -1 if first is None else line.find(verdict, first + 1)
    return next(mark for mark in reversed(line[:stop]) if mark in labels) if stop >= 0 else None


@lru_cache(maxsize=64)
def _compiled(
    patterns: tuple[str, ...], labels: tuple[str, ...], flags: int = re.DOTALL
) -> tuple[re.Pattern[str], ...]:
    one = f"[{''.join(map(re.escape, labels))}]"
    return tuple(re.compile(pattern.replace("@", one), flags) for pattern in patterns)

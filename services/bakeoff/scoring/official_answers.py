"""How the unified bench evaluator compares short answers, with its false positives."""

from __future__ import annotations

import json
import re
import unicodedata

from bakeoff.scoring.final_answer import boxed

SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
ENDS = (".", "。", "!", "！", "?", "？")
HOPED = re.compile(r"final answer is \$(?P<said>.*?)\$\. I hope", re.DOTALL)
SAID = "he answer is"
LAST_NUMBER = re.compile(r"-?\d*\.?\d+")
UNITS = (
    "degrees", "degree", "mph", "kmph", "km", "cm", "mm", "kg", "miles", "mile", "meters", "meter", "metres", "metre",
    "feet", "foot", "inches", "inch", "yards", "yard", "hours", "hour", "minutes", "minute", "seconds", "second",
    "days", "day", "weeks", "week", "months", "month", "years", "year", "dollars", "dollar", "cents", "cent", "percent",
    "points", "point", "units", "unit", "square", "cubic", "apples", "people", "students", "ways", "times",
    "a", "c", "d", "g", "h", "l", "m", "o", "s", "t",
)  # fmt: skip
"""Words that are taken out of an extracted answer as units, single letters among them."""
UNIT = re.compile(rf"(^|\W)(?:{'|'.join(UNITS)})(?=$|\W)")
ASSIGNMENT = re.compile(r"^\s*[A-Za-z]\s*=\s*")


def normal_form(text: str) -> str:
    """Return a text folded in width and case, subscripts as digits, without one mark at its end."""
    folded = " ".join(unicodedata.normalize("NFKC", text).translate(SUBSCRIPTS).split())
    return (folded[:-1].strip() if folded.endswith(ENDS) else folded).casefold()


def either_contains(one: str, other: str) -> bool:
    """Return whether either text stands in the other, letter by letter: `2` stands in `25π`, `no` in `know`.

    Source: OpenDCAI/DataFlow, UnifiedBenchDatasetEvaluator, key2_qa.
    """
    left, right = normal_form(one), normal_form(other)
    return bool(left) and bool(right) and (left in right or right in left)


def extracted(text: str) -> str:
    """Return what the evaluator takes for the answer; empty when it finds nothing.

    In this order: between `final answer is $` and `$. I hope`; the last box; behind the last `he answer is`; the last
    number. Then units, `$`, `%` and a leading `x =` are taken away. The published list of units is longer.

    Source: OpenDCAI/DataFlow, AnswerExtraction, after Lewkowycz et al. 2022, arXiv:2206.14858.
    """
    return _bare(_found(text))


def _found(text: str) -> str:
    if hoped := HOPED.search(text):
        return hoped["said"]
    if boxes := boxed(text):
        return boxes[-1][1]
    if SAID in text:
        return text.rpartition(SAID)[2]
    numbers = LAST_NUMBER.findall(text.replace(",", ""))
    return numbers[-1] if numbers else ""


def _bare(found: str) -> str:
    line = found.strip().partition("\n")[0].lstrip(":").strip().rstrip("./")
    line = line.replace("\\$", "").replace("$", "").replace("\\%", "").replace("%", "")
    for _ in range(2):  # units may stand behind each other
        line = UNIT.sub(r"\1", line)
    return ASSIGNMENT.sub("", line).strip()


def split_targets(text: str) -> list[str]:
    """Return the targets in a text: a JSON list, or what the first of `||`, `|`, `;` that occurs in it separates.

    An answer that holds one of these marks is broken apart.

    Source: OpenDCAI/DataFlow, UnifiedBenchDatasetEvaluator, key2_q_ma.
    """
    stripped = text.strip()
    if stripped.startswith("[") and stripped.endswith("]"):
        try:
            listed = json.loads(stripped)
        except (json.JSONDecodeError, RecursionError):
            listed = None
        if isinstance(listed, list):
            return [str(item) for item in listed if str(item).strip()]
    mark = next((mark for mark in ("||", "|", ";") if mark in stripped), None)
    parts = stripped.split(mark) if mark else [stripped]
    return [part.strip() for part in parts if part.strip()]

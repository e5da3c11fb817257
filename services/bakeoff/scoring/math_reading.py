"""Mathematics as people and models write it, brought into the LaTeX that math-verify reads."""

from __future__ import annotations

import re

BOLD = re.compile(r"(?<![\w)\]}*])\*\*(?=[^\s*])(.+?)(?<=[^\s*])\*\*(?![\w(*])")
"""Markdown's bold, and not the powers of `2**3 + 4**5`."""
DELIMITED = re.compile(r"\$|\\\(|\\\[|\\boxed|\\begin\{")
STATED = re.compile(
    r"(?:####|\b(?:answer|result|solution)\b(?:\s+is(?:\s+equal\s+to)?\s*:?|\s*[:=]))\s*(?P<what>[^\n]+)", re.IGNORECASE
)
FUNCTIONS = (
    "arcsin",
    "arccos",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "sin",
    "cos",
    "tan",
    "cot",
    "sec",
    "csc",
    "log",
    "ln",
)
FUNCTION = re.compile(rf"(?<![\\A-Za-z])(?:{'|'.join(FUNCTIONS)})(?![A-Za-z])")
NAMES = {"pi": r"\pi ", "infinity": r"\infty ", "inf": r"\infty ", "infty": r"\infty ", "theta": r"\theta "}
NAME = re.compile(rf"(?<![\\A-Za-z])(?:{'|'.join(NAMES)})(?![A-Za-z])")
SYMBOLS = str.maketrans(
    {
        "−": "-",
        "–": "-",
        "×": r"\times ",
        "·": r"\cdot ",
        "÷": r"\div ",
        "π": r"\pi ",
        "∞": r"\infty ",
        "≤": r"\le ",
        "≥": r"\ge ",
        "≠": r"\ne ",
        "²": "^{2}",
        "³": "^{3}",
        "°": r"^\circ",
    }
)
ROOT = re.compile(r"(?:√|(?<![\\A-Za-z])sqrt)\s*(?:\((?P<inner>[^()]*)\)|(?P<one>\d+(?:\.\d+)?|[A-Za-z]))")
LONG_POWER = re.compile(r"(?:\*\*|\^)\s*(?:\((?P<inner>[^()]*)\)|(?P<plain>-?\d+|[A-Za-z]))")
WORDS = re.compile(r"(?<!\\)\b[A-Za-z]{2,}")
"""A run of letters that is no command: prose, or a unit."""
TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf|operatorname)\s*\{(?P<word>[^{}]*)\}")
MIXED = re.compile(r"(?<![\d./])(\d+)\s+(\d+)/(\d+)(?![\d./])")
CLOCK = re.compile(r"(?<![\d:.])\d+(?::\d+)+(?![\d:])")
"""A time of day or a ratio, which math-verify cuts at the colon."""


def readable(text: str) -> str:
    """Return a text with Markdown's bold taken off, and with mathematics that stands bare set between dollars.

    The whole text is taken when it is nothing but mathematics; else what it states last to be its answer, when that
    is. What is already set in LaTeX stays as it is, and so does prose, in which math-verify looks by its own rules.
    """
    plain = BOLD.sub(r"\1", text).strip()
    if DELIMITED.search(plain):
        return plain
    if bare := _bare(plain):
        return bare
    return _bare(stated(plain)) or plain


def stated(text: str) -> str:
    """Return what a text states last to be its answer, to the end of the sentence; empty when it states nothing."""
    found = [match["what"] for match in STATED.finditer(text)]
    return re.split(r"\.(?:\s|$)", found[-1])[0].strip() if found else ""


def word_of(gold: str) -> str | None:
    r"""Return the word of a gold answer that is nothing but one, such as `\text{Evelyn}`; None when it is more."""
    match = TEXT.fullmatch(gold.strip().strip("$").strip())
    return match["word"].strip() if match else None


def clock(text: str) -> str | None:
    """Return the last time of day or ratio of a text, such as `12:00`; None when there is none."""
    found = CLOCK.findall(text)
    return found[-1] if found else None


def _bare(text: str) -> str:
    text = text.strip().rstrip(".").rstrip()
    latex = NAME.sub(lambda match: NAMES[match[0]], text.translate(SYMBOLS))
    for _ in range(3):  # roots within roots
        latex = ROOT.sub(lambda match: rf"\sqrt{{{match['inner'] or match['one']}}}", latex)
    latex = LONG_POWER.sub(lambda match: f"^{{{match['inner'] or match['plain']}}}", latex)
    latex = FUNCTION.sub(lambda match: "\\" + match[0], latex)
    latex = MIXED.sub(r"\1\\frac{\2}{\3}", latex)
    latex = re.sub(r"(?<!\\)%", r"\%", latex)
    if not latex or "\n" in latex or WORDS.search(TEXT.sub("", latex)):
        return ""
    return f"${latex}$"

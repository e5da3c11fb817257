"""Which choice, or which choices, an answer takes: the last explicit statement counts, and nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bakeoff.scoring.choice_statements import Statement, denies, explicit_statements, without_filler
from bakeoff.scoring.choices import CLOSE, EITHER, OPEN, Choices, folded
from bakeoff.scoring.final_answer import NEXT_QUESTION, without_reasoning

BOLD = re.compile(r"\*\*(?P<said>[^*\n]{1,80})\*\*|__(?P<under>[^_\n]{1,80})__")
BULLET = re.compile(r"^\s*(?:[-*•]\s+)?")
NONE = re.compile(
    r"(?:none|no (?:option|choice)s?|nothing)(?: of (?:them|these|the above|the options))?\W*", re.IGNORECASE
)
NOTHING = "it names no choice"
AMBIGUOUS = "it names more than one choice"


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an answer takes."""

    chosen: tuple[int, ...] | None
    """Places of the choices from 0, rising; empty when the answer says that none is right; None when unclear."""
    by: str = ""
    """How it was told: whole, boxed, json, statement, tag, verb, bold, line, text; empty when it was not."""
    reason: str = ""
    """Why it cannot be told; empty when it can."""


def extract_choice(text: str, choices: Choices) -> Extraction:
    """Return the one choice that an answer takes.

    In this order: the whole answer is a label or a choice's text; the last explicit statement (a box, JSON, a tag, "the
    answer is", "I choose", "B is correct", in the languages of `final_answer`); the first or last line is a label; the
    only label in bold; the only label with which a line begins; the only choice whose text is mentioned. The words I
    and a are no labels. Where a model went on with a question of its own, what stands before that counts.

    Args:
        text: The answer, as the model wrote it.
        choices: What could be chosen.
    """
    return _before_the_next_question(text, choices, _single)


def extract_choices(text: str, choices: Choices) -> Extraction:
    """Return all choices that an answer takes.

    As `extract_choice`, but a statement may list several: `A, C`, `A and C`, `AC`, `["A", "C"]`, or their texts. An
    alternative (`A or C`) is ambiguous; an answer that says "none" takes none.
    """
    return _before_the_next_question(text, choices, _multiple)


def _before_the_next_question(text: str, choices: Choices, extract: Callable[[str, Choices], Extraction]) -> Extraction:
    answer = folded(without_reasoning(text))
    own = NEXT_QUESTION.split(answer, maxsplit=1)[0]
    if own != answer and (found := extract(own.strip(), choices)).chosen is not None:
        return found
    return extract(answer, choices)


def _single(answer: str, choices: Choices) -> Extraction:
    whole = _whole(answer, choices) or _whole(without_filler(answer), choices)
    if whole:
        return _one(whole, "whole")
    for statement in reversed(explicit_statements(answer, choices)):
        named = _named(statement, choices)
        if named:
            return _one(named, statement.by)
    for by, named in _by_layout(answer, choices):
        if named:
            return _one(named, by)
    return _one(choices.mentioned(answer), "text")


def _multiple(answer: str, choices: Choices) -> Extraction:
    whole = _several(without_filler(answer), choices, whole=True)
    if whole is not None:
        return Extraction(tuple(sorted(whole)), "whole")
    for statement in reversed(explicit_statements(answer, choices)):
        named = _listed(statement, choices)
        if named is not None:
            if isinstance(statement.said, str) and len(named) > 1 and EITHER.search(statement.said[:40]):
                return Extraction(None, reason=AMBIGUOUS)
            return Extraction(tuple(sorted(named)), statement.by)
    for by, labels in (("bold", _bold(answer, choices)), ("line", _lines(answer, choices))):
        if labels:
            return Extraction(tuple(sorted(labels)), by)
    return Extraction(None, reason=NOTHING)


def _by_layout(answer: str, choices: Choices) -> Iterator[tuple[str, set[int]]]:
    lines = answer.splitlines() or [""]
    yield "line", _whole(lines[0].strip(), choices) | _whole(lines[-1].strip(), choices)
    yield "bold", _bold(answer, choices)
    yield "line", _lines(answer, choices)


def _one(named: set[int], by: str) -> Extraction:
    if len(named) == 1:
        return Extraction(tuple(named), by)
    return Extraction(None, reason=AMBIGUOUS if named else NOTHING)


def _whole(answer: str, choices: Choices) -> set[int]:
    found = choices.with_text(answer)
    if match := re.fullmatch(rf"{OPEN}(?P<label>{choices.label}){CLOSE}[.:!)\s*]*", answer):
        row = choices.index(match["label"])
        return found | {row} if row is not None else found
    return found


def _named(statement: Statement, choices: Choices) -> set[int]:
    if isinstance(statement.said, list):
        rows = [_named(Statement(statement.place, statement.by, item), choices) for item in statement.said]
        return set().union(*rows)
    said = without_filler(statement.said)
    if denies(said):
        return set()
    whole = _whole(said, choices)
    if whole:
        return whole
    leading = choices.leading(said)
    if leading:
        return set(leading)
    bracketed = {choices.index(match["label"]) for match in re.finditer(rf"\((?P<label>{choices.label})\)", said)}
    return {row for row in bracketed if row is not None} or choices.mentioned(said)


def _listed(statement: Statement, choices: Choices) -> set[int] | None:
    if isinstance(statement.said, list):
        rows = [_whole(folded(item), choices) or set(choices.leading(folded(item))) for item in statement.said]
        return set().union(*rows) if all(len(row) == 1 for row in rows) else None
    said = without_filler(statement.said)
    return None if denies(said) else _several(said, choices, whole=False)


def _several(said: str, choices: Choices, *, whole: bool) -> set[int] | None:
    """Return the choices that a phrase lists, empty for none of them; None when it lists nothing."""
    bare = said.strip().strip(".*_ ")
    single = _whole(bare, choices)
    if len(single) == 1:
        return single
    if NONE.fullmatch(bare):
        return set()
    if joined := choices.joined(bare.partition(" ")[0].rstrip(".,;:") if not whole else bare):
        return set(joined)
    leading = choices.leading(bare)
    if leading and not (whole and _goes_on(bare, choices)):
        return set(leading)
    parts = [part for part in re.split(r"\s*(?:[,;\n]|\band\b)\s*", bare) if part]
    texts = [choices.with_text(BULLET.sub("", part)) for part in parts]
    if texts and all(len(rows) == 1 for rows in texts):
        return set().union(*texts)
    if whole:
        return None
    return choices.mentioned(bare) or None


def _goes_on(said: str, choices: Choices) -> bool:
    """Return whether more than labels and what is between them is said."""
    rest = re.sub(rf"{OPEN}{choices.label}{CLOSE}|\band\b|[\s,;/&+、，；和与及]", "", said)
    return bool(rest) or bool(EITHER.search(said))


def _bold(answer: str, choices: Choices) -> set[int]:
    found: set[int] = set()
    for match in BOLD.finditer(answer):
        said = (match["said"] or match["under"]).strip()
        found |= _whole(said, choices) or _labelled(said, choices)
    return found


def _lines(answer: str, choices: Choices) -> set[int]:
    found: set[int] = set()
    for line in answer.splitlines():
        said = BULLET.sub("", line).strip()
        found |= _whole(said, choices) or _labelled(said, choices)
    # `(A) no, (B) yes` weighs two of them.
    if found:
        for match in re.finditer(rf"\((?P<label>{choices.label})\)", answer):
            row = choices.index(match["label"])
            found |= {row} if row is not None else set()
    return found


def _labelled(said: str, choices: Choices) -> set[int]:
    """Return the label with which a line begins, set off from what follows: `B. Paris`, `(B) Paris`, `B because`."""
    set_off = r"(?:[.):,](?=\s|$)|\s*[-–—]\s|\s+(?:because|since)\b)"
    match = re.match(rf"\((?P<in>{choices.label})\)|(?P<out>{choices.label}){set_off}", said)
    if not match:
        return set()
    label = match["in"] or match["out"]
    row = choices.index(label)
    return {row} if row is not None and (label.isupper() or label.isdigit() or match["in"]) else set()

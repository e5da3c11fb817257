"""Where an answer says which choice it takes: boxes, JSON, tags, "the answer is", "I choose", "B is correct", 选B."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bakeoff.scoring.choices import CLOSE, OPEN, SEPARATOR, Choices
from bakeoff.scoring.final_answer import HASHES, LONGEST, TAGGED, boxed, statements

KEYS = ("answer", "answers", "choice", "choices", "option", "options", "label", "labels", "final_answer", "selected")
"""Keys of a JSON object that hold what was chosen, compared without regard to case."""
VERB = re.compile(
    r"\b(?:choos(?:e|ing)|chose|pick(?:ed)?|select(?:ed)?|go(?:ing)? with|went with|opt(?:ed)? for|vote for|say|think|"
    r"believe|guess|conclude|correct\s*:)\s*(?:that\s+)?(?:it\s+is\s+|it['’]s\s+)?(?:the\s+)?"
    r"(?:(?:correct|right|best)\s+)?(?:(?:options?|choices?|answers?|letters?)\s+)?(?:is\s+|are\s+|would be\s+)?[:\s]*",
    re.IGNORECASE,
)
CHINESE_VERB = re.compile(r"(?:应选|故选|选择|选项|选)\s*[:：]?\s*")
DENIED = re.compile(r"\s*(?:是)?(?:错|不|误)|\s+(?:is|are)\s+(?:wrong|incorrect|false|not\b)", re.IGNORECASE)
"""What follows a label that is turned down."""
NOT_BEFORE = re.compile(r"(?:n['’]t|not|never|不|别)\s*$", re.IGNORECASE)
"""What stands before a verb that takes nothing: `I don't think B`."""
VERDICT = r"\s{1,3}(?:is|are|seems|must be)\s+(?:the\s+|both\s+)?(?:correct|right|best|true|answer)"
CONCLUSION = re.compile(
    r"(?:^|[.,;:!\n]\s*)(?:so|thus|therefore|hence|definitely|probably|clearly|surely|maybe|it is|it['’]s)[,:]?\s+"
    r"(?:it is\s+|it['’]s\s+|definitely\s+|option\s+|choice\s+)*(?=\S{1,6}\s*$)",
    re.IGNORECASE,
)
FILLER = re.compile(
    r"(?:(?:the|option|options|choice|choices|letter|letters|both|definitely|clearly|probably|likely|therefore|most)\b"
    r"|选项|\\text\s*\{|\\mathrm\s*\{|\\textbf\s*\{|[:\s*_])+\s*",
    re.IGNORECASE,
)
NEGATION = re.compile(r"(?:not|isn['’]t|neither|never)\b|不", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """A place at which an answer commits itself."""

    place: int
    by: str
    """How: `boxed`, `json`, `statement`, `tag`, `verb`."""
    said: str | list[str]
    """The words that name the choice; a list where JSON has one."""
    stop: int = 0
    """Behind the last character of JSON: what is said inside is said by its keys only."""


def explicit_statements(text: str, choices: Choices) -> list[Statement]:
    """Return what an answer explicitly says, in the order in which it says it."""
    written = list(_json_statements(text))
    found = [
        *(Statement(place, "boxed", said) for place, said in boxed(text)),
        *(Statement(match.start(), "statement", match["said"]) for match in HASHES.finditer(text)),
        *(Statement(match.start(), "tag", match["said"]) for match in TAGGED.finditer(text)),
        *(Statement(place, "statement", said) for place, said in statements(text)),
        *_verbs(text, choices),
    ]
    free = [one for one in found if not any(whole.place < one.place < whole.stop for whole in written)]
    return sorted([*free, *written], key=lambda statement: statement.place)


def _json_statements(text: str) -> Iterator[Statement]:
    decoder = json.JSONDecoder()
    place = 0
    while (start := min((at for at in (text.find("{", place), text.find("[", place)) if at >= 0), default=-1)) >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError:
            place = start + 1
            continue
        except RecursionError:
            return  # so many brackets are no answer
        said = _of_json(value)
        if said is not None:
            yield Statement(start, "json", said, end)
        place = end


def _of_json(value: object) -> str | list[str] | None:
    if isinstance(value, dict):
        chosen = next((value[key] for key in value if str(key).lower() in KEYS), None)
        return str(chosen) if isinstance(chosen, str | int) else _of_json(chosen)
    if isinstance(value, list) and all(isinstance(item, str | int) for item in value):
        return [str(item) for item in value]
    return None


def _verbs(text: str, choices: Choices) -> Iterator[Statement]:
    for verb in (*VERB.finditer(text), *CHINESE_VERB.finditer(text), *CONCLUSION.finditer(text)):
        if NOT_BEFORE.search(text, max(0, verb.start() - 8), verb.start()):
            continue
        rest = text[verb.end() : verb.end() + LONGEST].partition("\n")[0]
        label = re.match(rf"{OPEN}{choices.label}{CLOSE}", rest)
        # A small a behind a verb is an article; a small b is too little to go by.
        if label and re.search(r"[^a-z\W]", label.group()) and not DENIED.match(rest[label.end() :]):
            yield Statement(verb.start(), "verb", rest)
    one = rf"{OPEN}{choices.label}{CLOSE}"
    for match in re.finditer(rf"(?P<said>{one}(?:{SEPARATOR}{one}){{0,30}}){VERDICT}", text):
        if not any(label.islower() for label in re.findall(choices.label, match["said"])):
            yield Statement(match.start(), "verb", match["said"])


def without_filler(said: str) -> str:
    """Return a statement without what may stand before the choice that it names: `option B` is B."""
    filler = FILLER.match(said)
    return said[filler.end() :] if filler else said


def denies(said: str) -> bool:
    """Return whether a statement says what the answer is not."""
    return bool(NEGATION.match(said))

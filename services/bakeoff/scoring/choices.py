"""The choices of a question: their labels and texts, and which of them a few words name."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.scoring.normalisation import words

LATIN = "A-Za-z0-9À-ɏ"
"""What a label may not touch; ideographs may: 选B."""
OPEN, CLOSE = r"[(\[{<*_\"'“‘$]{0,6}", r"[)\]}>*_\"'”’$]{0,6}"
"""Brackets, quotes and marks of emphasis round a label; bounded, as all that repeats in these patterns."""
AFTER_A_LABEL = "because|since|as|and|or|which|is|for|would|seems|therefore|due|with|will|can|answers?|correct|only"
"""Words before which a single A is a label and not an article."""
SEPARATOR = r"(?:\s{0,3}(?:(?:[,;/&+、，；]|\b(?:and|or|y|e|et|und|ou|o)\b|和|与|及|或)\s{0,3}){1,3}|\s{1,3})"
EITHER = re.compile(r"\b(?:or|either)\b|或|/", re.IGNORECASE)


def folded(text: str) -> str:
    """Return a text with width folded, without white space at its ends: `Ｂ` is B, `（` is a bracket."""
    return unicodedata.normalize("NFKC", text).strip()


LOOK_AHEAD = 200
"""Characters behind a label that are looked at, besides those that the longest choice may take."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices as they were shown."""

    texts: tuple[str, ...]
    labels: tuple[str, ...]
    """One for each text, such as A, B, C or 1, 2, 3."""
    case_sensitive: bool = False
    """Whether b is not the label B."""
    label: str = field(init=False)
    """Pattern of a label that stands on its own."""
    _index: dict[str, int] = field(init=False)
    _words: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the pattern of a label."""
        names = sorted((re.escape(folded(label)) for label in self.labels), key=len, reverse=True)
        flag = "" if self.case_sensitive else "i"
        pattern = rf"(?<![{LATIN}])(?{flag}:{'|'.join(names)})(?![{LATIN}]|['’][A-Za-z]|[.,:]\d)"
        object.__setattr__(self, "label", pattern)
        object.__setattr__(self, "_index", {self._folded(label): row for row, label in enumerate(self.labels)})
        object.__setattr__(self, "_words", tuple(map(_spelled, self.texts)))

    @classmethod
    def lettered(cls, texts: Sequence[str], *, case_sensitive: bool = False) -> Choices:
        """Return choices with the labels under which prompts show them: A to Z, and then their places from 26."""
        letters = string.ascii_uppercase
        labels = tuple(letters[row] if row < len(letters) else str(row) for row in range(len(texts)))
        return cls(tuple(texts), labels, case_sensitive)

    @classmethod
    def of(cls, case: Case, *, case_sensitive: bool = False) -> Choices:
        """Return the choices of a case: `metadata["choices"]`, labelled by `metadata["choice_labels"]` or letters.

        Raises:
            InvalidInputError: the choices are no list, or there is not a label for each.
        """
        texts, labels = case.metadata.get("choices"), case.metadata.get("choice_labels")
        if not isinstance(texts, list | tuple) or not texts:
            raise InvalidInputError(f"case {case.case_id!r}: choices must be a list of texts, not {texts!r}")
        if labels is None:
            return cls.lettered([str(text) for text in texts], case_sensitive=case_sensitive)
        if not isinstance(labels, list | tuple) or len(labels) != len(texts):
            raise InvalidInputError(f"case {case.case_id!r}: {labels!r} are not labels of {len(texts)} choices")
        return cls(tuple(map(str, texts)), tuple(map(str, labels)), case_sensitive)

    def index(self, label: str) -> int | None:
        """Return the place of a label; None when it is none."""
        return self._index.get(self._folded(label))

    def _folded(self, label: str) -> str:
        return folded(label) if self.case_sensitive else folded(label).casefold()

    def with_text(self, said: str) -> set[int]:
        """Return the choices whose text is exactly what is said, but for case, width and marks."""
        wanted = _spelled(said)
        rows = {row for row, text in enumerate(self._words) if text == wanted != _spelled("")}
        # A text that is its own label is named as a label is, with its case where that counts.
        return {row for row in rows if self.index(self.texts[row]) != row}

    def mentioned(self, said: str) -> set[int]:
        """Return the choices whose text stands in what is said, as whole words and not denied.

        A text inside a longer one that stands there too, such as York in New York, does not count.
        """
        rest = _spelled(said)
        found = set()
        for row in sorted(range(len(self.texts)), key=lambda row: -len(self._words[row])):
            text = self._words[row]
            if len(text) < 3 or self.index(self.texts[row]) is not None or text not in rest:
                continue
            if not re.search(r"\0(?:not|no|never|isnt|than|unlike)(?:\0(?:a|an|the))?$", rest[: rest.index(text)]):
                found.add(row)
            rest = rest.replace(text, "\0\0")
        return found

    def leading(self, said: str) -> list[int]:
        """Return the labels with which a phrase begins: `B) Paris` has one, `A and C, because …` two.

        An article A or the pronoun I in front of a word is no label.
        """
        found: list[int] = []
        place = 0
        # What follows a label is looked at no further than a choice's text reaches: models repeat without end.
        reach = LOOK_AHEAD + 3 * max(map(len, self.texts))
        while match := re.compile(rf"{OPEN}(?P<label>{self.label}){CLOSE}[.:)]?").match(said, place):
            rest = said[match.end() : match.end() + reach]
            if self._is_word(match.group(), match["label"], rest):
                break
            row, separator = self.index(match["label"]), re.match(SEPARATOR, rest)
            found += [] if row is None else [row]
            # `A) C is the symbol` goes on with its own text, not with another label.
            if not separator or (row is not None and _spelled(rest).startswith(self._words[row])):
                break
            place = match.end() + separator.end()
        return list(dict.fromkeys(found))

    def _is_word(self, written: str, label: str, rest: str) -> bool:
        if label not in ("A", "a", "I", "i") or written != label:
            return False
        if not re.match(r"\s+\w", rest) or re.match(rf"\s+(?:{AFTER_A_LABEL})\b", rest):
            return label == "i" or (label == "I" and bool(re.match(r"\s+would\b", rest)))
        # `A Paris` is the label with its text; `A and C`, `A C` go on with a label.
        if re.match(rf"\s+{OPEN}{self.label}{CLOSE}(?:\s|[.,;]|$)", rest):
            return False
        row = self.index(label)
        return row is None or not _spelled(rest).startswith(self._words[row])

    def joined(self, said: str) -> list[int]:
        """Return the labels of a word such as ACD: capital letters in rising order; empty when it is no such word."""
        if not re.fullmatch(r"[A-Z]{2,26}", said) or list(said) != sorted(set(said)):
            return []
        rows = [self.index(letter) for letter in said]
        return [row for row in rows if row is not None] if None not in rows else []


def _spelled(text: str) -> str:
    # NUL is no part of any word, so that a text found in another is found as whole words.
    return "\0".join(["", *words(text), ""])

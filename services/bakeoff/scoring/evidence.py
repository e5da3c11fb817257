"""Whether a passage is a piece of evidence: by its place, its words, or both."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bakeoff.domain.answer import Passage
from bakeoff.domain.benchmark import Evidence
from bakeoff.scoring.normalisation import squeezed

SHORTEST_PASSAGE = 20
"""Characters from which on a passage inside the evidence's text counts: shorter ones would match by accident."""


def _key(passage: Passage, value: object) -> bool:
    return passage.raw_key == value


def _key_prefix(passage: Passage, value: object) -> bool:
    prefix = str(value)
    return bool(prefix) and (passage.raw_key == prefix or passage.raw_key.startswith(prefix.rstrip("/") + "/"))


def _page(passage: Passage, value: object) -> bool:
    return passage.pages is not None and isinstance(value, int) and passage.pages.start <= value < passage.pages.stop


LOCATORS: dict[str, Callable[[Passage, object], bool]] = {
    "document_id": lambda passage, value: passage.document_id == str(value),
    "document_ids": lambda passage, value: isinstance(value, list | tuple) and passage.document_id in value,
    "source_key": _key,
    "object_key": _key,
    "source_key_prefix": _key_prefix,
    "page_index": _page,
    "chunk_id": lambda passage, value: passage.chunk_id == value,
}
"""The parts of a locator that a passage can be compared with; others say where to look, and are not compared."""


def comparable(evidence: Evidence) -> bool:
    """Return whether a passage can be compared with the evidence at all."""
    named = any(key in LOCATORS for key in evidence.locator)
    only_reference = bool(evidence.reference_id) and not evidence.locator
    return named or bool(evidence.text.strip()) or only_reference


def needs_text(evidence: Evidence) -> bool:
    """Return whether the evidence is told by its words."""
    return bool(evidence.text.strip())


def matched_by(evidence: Evidence, passage: Passage) -> list[str]:
    """Return what makes a passage the evidence, such as `["document_id", "text"]`; empty when it is not.

    Every part of the locator that can be compared must fit, and the text too when there is one. The reference id is
    compared, with document and chunk ids, only when there is neither.

    Args:
        evidence: Comparable evidence.
        passage: A passage with its text when the evidence has one.
    """
    known = _known(evidence.locator)
    if not all(LOCATORS[key](passage, value) for key, value in known.items()):
        return []
    by = list(known)
    if needs_text(evidence):
        if passage.text is None or not same_text(evidence.text, passage.text):
            return []
        by.append("text")
    if not by and evidence.reference_id in (passage.document_id, passage.chunk_id):
        by.append("reference_id")
    return by


def _known(locator: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in locator.items() if key in LOCATORS}


def same_text(evidence: str, passage: str) -> bool:
    """Return whether a passage has the evidence's words, or is cut out of them; case and white space do not matter."""
    wanted, found = squeezed(evidence), squeezed(passage)
    return bool(wanted) and (wanted in found or (len(found) >= SHORTEST_PASSAGE and found in wanted))

"""How well what an agent left behind fits a challenge's ground truth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.challenges.challenge import Ground, GroundKind
from bakeoff.preparation.challenges.files import matching_files


@dataclass(frozen=True, slots=True)
class GroundScore:
    """How the words of a ground truth were met."""

    score: float
    """Share of the words that are as they should be, in [0, 1]; 0 when a file is absent."""
    absent: tuple[str, ...] = ()
    """Words that should be there, and are not."""
    present: tuple[str, ...] = ()
    """Words that should not be there, and are."""
    files: tuple[str, ...] = ()
    """The files that were judged, from the workspace."""
    absent_files: tuple[str, ...] = ()
    """Names, globs and extensions that no file has."""

    @property
    def passed(self) -> bool:
        """Whether every word is as it should be."""
        return self.score == 1.0


def score_texts(ground: Ground, texts: Iterable[str]) -> GroundScore:
    """Score texts as one whole: all of `should_contain` somewhere in them, nothing of `should_not_contain`.

    Args:
        ground: With at least one word.
        texts: What the files that count hold, or what a program printed.

    Raises:
        InvalidInputError: the ground truth has no word, so nothing decides.
    """
    words = len(ground.should_contain) + len(ground.should_not_contain)
    if not words:
        raise InvalidInputError("a ground truth without should_contain and should_not_contain decides nothing")
    held = [text if ground.case_sensitive else text.casefold() for text in texts]
    absent = tuple(word for word in ground.should_contain if not _holds(held, word, ground))
    present = tuple(word for word in ground.should_not_contain if _holds(held, word, ground))
    return GroundScore((words - len(absent) - len(present)) / words, absent, present)


def score_workspace(ground: Ground, workspace: Path) -> GroundScore:
    """Score the files of a workspace; bytes that are no UTF-8 are read as signs that match nothing.

    Args:
        ground: Of the kind `file`; what must be run or judged is not scored here.
        workspace: Where the agent worked.

    Raises:
        InvalidInputError: it is of another kind, or has no word.
    """
    if ground.kind is not GroundKind.FILE:
        raise InvalidInputError(f"a ground truth of the kind {ground.kind.value!r} is not scored by words in files")
    paths = matching_files(workspace, ground.files)
    names = tuple(path.relative_to(workspace).as_posix() for path in paths)
    absent = tuple(wanted for wanted in ground.files if not matching_files(workspace, [wanted]))
    scored = score_texts(ground, [path.read_text("utf-8", errors="replace") for path in paths])
    # An agent that left nothing has kept clear of forbidden words, too; that is no part of a solution.
    return GroundScore(0.0 if absent else scored.score, scored.absent, scored.present, names, absent)


def _holds(texts: Sequence[str], word: str, ground: Ground) -> bool:
    wanted = word if ground.case_sensitive else word.casefold()
    return any(wanted in text for text in texts)

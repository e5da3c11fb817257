"""What an agent challenge's ground truth asks of texts: words that must stand in them, and words that must not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class GroundRules:
    """All that must hold; at least one of the two lists has an entry."""

    should_contain: tuple[str, ...]
    should_not_contain: tuple[str, ...]
    files: tuple[str, ...] = ()
    """Names, globs or extensions such as `.txt`, in any folder; empty means the answer's own words."""
    case_sensitive: bool = True


@dataclass(frozen=True, slots=True)
class GroundFindings:
    """What came of the rules."""

    missing: tuple[str, ...]
    """Words that should stand there and do not."""
    forbidden: tuple[str, ...]
    """Words that should not and do."""
    absent_files: tuple[str, ...]
    """Entries of `files` that no file has."""
    share: float
    """Share of the rules that hold, in [0, 1]; 0 when a file is absent."""

    @property
    def passed(self) -> bool:
        """Whether all of them hold."""
        return not (self.missing or self.forbidden or self.absent_files)


def rules_of(case: Case) -> GroundRules | None:
    """Return the rules in `expected.metadata["ground"]`; None when there are none, or something else is to judge.

    Something else is to judge where `ground.eval.type` is there and not `file`: a program, a test, a model.

    Raises:
        InvalidInputError: they are not lists of texts, or ask for nothing.
    """
    ground = case.expected.metadata.get("ground")
    if ground is None:
        return None
    if not isinstance(ground, Mapping):
        raise InvalidInputError(f"case {case.case_id!r}: ground must be a mapping, not {ground!r}")
    judge = ground.get("eval")
    if isinstance(judge, Mapping) and judge.get("type", "file") != "file":
        return None
    wanted, unwanted, files = (_texts(case, ground, key) for key in ("should_contain", "should_not_contain", "files"))
    if not wanted and not unwanted:
        raise InvalidInputError(f"case {case.case_id!r}: ground has neither should_contain nor should_not_contain")
    return GroundRules(wanted, unwanted, files, bool(ground.get("case_sensitive", True)))


def _texts(case: Case, ground: Mapping[str, object], key: str) -> tuple[str, ...]:
    found = ground.get(key) or ()
    if not isinstance(found, list | tuple) or not all(isinstance(word, str) and word for word in found):
        raise InvalidInputError(f"case {case.case_id!r}: ground.{key} must be a list of texts, not {found!r}")
    return tuple(found)


def check(rules: GroundRules, answer: str, files: Mapping[str, str]) -> GroundFindings:
    """Hold texts against the rules: all wanted words, in any of the texts together, and none of the unwanted.

    Args:
        rules: What must hold.
        answer: The answer's words; looked at only when the rules name no files.
        files: What the agent left, by path from its workspace, with `/`.
    """
    matched = {entry: matching(entry, sorted(files)) for entry in rules.files}
    absent = tuple(entry for entry, found in matched.items() if not found)
    paths = dict.fromkeys(path for found in matched.values() for path in found)
    texts = [files[path] for path in paths] if rules.files else [answer]
    missing = tuple(word for word in rules.should_contain if not _stands(word, texts, rules.case_sensitive))
    forbidden = tuple(word for word in rules.should_not_contain if _stands(word, texts, rules.case_sensitive))
    count = len(rules.should_contain) + len(rules.should_not_contain)
    share = 0.0 if absent else 1 - (len(missing) + len(forbidden)) / count
    return GroundFindings(missing, forbidden, absent, share)


def matching(entry: str, paths: Sequence[str]) -> list[str]:
    """Return the paths that an entry names: an extension (`.csv`), a glob (`out/*.csv`), a path, or a file name."""
    if re.fullmatch(r"\.\w+", entry):
        extended = [path for path in paths if PurePosixPath(path).suffix == entry]
        return extended or [path for path in paths if PurePosixPath(path).name == entry]
    return [path for path in paths if fnmatchcase(path, entry) or fnmatchcase(PurePosixPath(path).name, entry)]


def _stands(word: str, texts: Sequence[str], case_sensitive: bool) -> bool:
    if case_sensitive:
        return any(word in text for text in texts)
    return any(word.casefold() in text.casefold() for text in texts)

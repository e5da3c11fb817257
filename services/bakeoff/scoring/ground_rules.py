"""What an agent challenge's ground truth asks of texts: words that must stand in them, and words that must not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.domain.benchmark import Case
from bakeoff.domain.challenge import GroundKind
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.workspace_files import matching


@dataclass(frozen=True, slots=True)
class GroundRules:
    """All that must hold; at least one of the two lists has an entry where words decide."""

    should_contain: tuple[str, ...]
    should_not_contain: tuple[str, ...]
    files: tuple[str, ...] = ()
    """Names, globs or extensions such as `.txt`, in any folder; empty means the answer's own words."""
    case_sensitive: bool = True
    kind: GroundKind = GroundKind.FILE
    """`file`: words decide; `python`: the files are run, and words of what they print; `pytest`: tests decide."""


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
    """Return the rules in `expected.metadata["ground"]`; None when there are none, or a model is to judge.

    Raises:
        InvalidInputError: they are not lists of texts, ask for nothing, or are of an unknown kind.
    """
    ground = case.expected.metadata.get("ground")
    if ground is None:
        return None
    if not isinstance(ground, Mapping):
        raise InvalidInputError(f"case {case.case_id!r}: ground must be a mapping, not {ground!r}")
    kind = kind_of(case, ground)
    if kind is GroundKind.LLM:
        return None
    wanted, unwanted, files = (_texts(case, ground, key) for key in ("should_contain", "should_not_contain", "files"))
    if kind is GroundKind.FILE and not wanted and not unwanted:
        raise InvalidInputError(f"case {case.case_id!r}: ground has neither should_contain nor should_not_contain")
    return GroundRules(wanted, unwanted, files, bool(ground.get("case_sensitive", True)), kind)


def kind_of(case: Case, ground: Mapping[str, object]) -> GroundKind:
    """Return how a ground truth judges: its `kind`, or `eval.type` as challenge files spell it; `file` when unsaid.

    Raises:
        InvalidInputError: there is no such kind.
    """
    judge = ground.get("eval")
    said = ground.get("kind") or (judge.get("type") if isinstance(judge, Mapping) else None) or GroundKind.FILE
    try:
        return GroundKind(str(said))
    except ValueError:
        known = ", ".join(GroundKind)
        raise InvalidInputError(f"case {case.case_id!r}: ground.kind must be one of {known}, not {said!r}") from None


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
    return hold(rules, [files[path] for path in paths] if rules.files else [answer], absent)


def hold(rules: GroundRules, texts: Sequence[str], absent: tuple[str, ...] = ()) -> GroundFindings:
    """Hold texts against the words of the rules; without any word all of it holds."""
    missing = tuple(word for word in rules.should_contain if not _stands(word, texts, rules.case_sensitive))
    forbidden = tuple(word for word in rules.should_not_contain if _stands(word, texts, rules.case_sensitive))
    count = len(rules.should_contain) + len(rules.should_not_contain)
    held = 1 - (len(missing) + len(forbidden)) / count if count else 1.0
    # An agent that left nothing has kept clear of forbidden words, too; that is no part of a solution.
    return GroundFindings(missing, forbidden, absent, 0.0 if absent else held)


def _stands(word: str, texts: Sequence[str], case_sensitive: bool) -> bool:
    if case_sensitive:
        return any(word in text for text in texts)
    return any(word.casefold() in text.casefold() for text in texts)

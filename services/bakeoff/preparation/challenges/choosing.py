"""Which challenges are asked, and why the others are not."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.challenges.challenge import Challenge
from bakeoff.preparation.challenges.dependencies import short_name


@dataclass(frozen=True, slots=True)
class Choosing:
    """What somebody chose. Names are those of challenges, with or without `Test`, or their ids."""

    categories: tuple[str, ...] = ()
    """A challenge must have one of them; empty for all."""
    skip_categories: tuple[str, ...] = ()
    difficulties: tuple[str, ...] = ()
    """A challenge must have one of them; empty for all."""
    only: tuple[str, ...] = ()
    """Names of those that are asked; empty for all."""
    skip: tuple[str, ...] = ()
    """Names of those that are not asked."""
    which: str = "all"
    """`all`, `regressions` or `others`."""
    regressions: tuple[str, ...] = ()
    """Names on the list of those that passed before."""

    def check(self, challenges: Sequence[Challenge]) -> None:
        """Refuse what no challenge has.

        Raises:
            InvalidInputError: a category, difficulty or name is unknown; names the nearest and all known.
        """
        categories = sorted({category for each in challenges for category in each.categories})
        difficulties = sorted({each.difficulty for each in challenges})
        names = sorted({name for each in challenges for name in _names(each)})
        faults = [
            *_unknown("category", self.categories, categories),
            *_unknown("skip_category", self.skip_categories, categories),
            *_unknown("difficulty", self.difficulties, difficulties),
            *_unknown("only", map(short_name, self.only), names),
            *_unknown("skip", map(short_name, self.skip), names),
        ]
        if faults:
            raise InvalidInputError("the choice of challenges names what is not there", faults)

    def is_regression(self, challenge: Challenge) -> bool:
        """Return whether a challenge is on the list."""
        return _named(challenge, self.regressions)

    def left_out(self, challenge: Challenge) -> str:
        """Return why a challenge is not asked; empty when it is."""
        own = set(challenge.categories)
        if self.only and not _named(challenge, self.only):
            return "not among those that `only` names"
        if _named(challenge, self.skip):
            return "`skip` names it"
        if self.categories and not own & set(self.categories):
            return f"of none of the categories {', '.join(self.categories)}"
        if own & set(self.skip_categories):
            return f"of a category that is skipped: {', '.join(sorted(own & set(self.skip_categories)))}"
        if self.difficulties and challenge.difficulty not in self.difficulties:
            return f"of the difficulty {challenge.difficulty}, not {', '.join(self.difficulties)}"
        if self.which == "regressions" and not self.is_regression(challenge):
            return "not on the list of regressions"
        if self.which == "others" and self.is_regression(challenge):
            return "on the list of regressions: it passed before"
        return ""


def _names(challenge: Challenge) -> tuple[str, str]:
    return short_name(challenge.name), challenge.challenge_id


def _named(challenge: Challenge, names: Iterable[str]) -> bool:
    return bool(set(_names(challenge)) & set(map(short_name, names)))


def _unknown(field: str, wanted: Iterable[str], known: Sequence[str]) -> list[Violation]:
    faults = []
    for name in wanted:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            faults.append(Violation(field, f"no challenge has {name!r}{hint} (there are: {', '.join(known)})"))
    return faults

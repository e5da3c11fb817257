"""The sheet on which all workers of an endpoint agree: what is allowed, and whose share of it is how large."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from bakeoff.models.model_settings import Bounds
from bakeoff.models.pace import TICK_S, Allowance, Pressure, Seen, cut, grown, worth_a_cut

LONGEST_S = 2.0
"""Longest time that counts as calm: nobody wrote for longer, or somebody's clock is wrong."""
MUCH = 16
"""Requests that a member wants from which on it counts as much as any other."""


@dataclass(frozen=True, slots=True)
class Member:
    """One worker, as of its last beat."""

    beat: int
    """Counts its beats: one that stands still is dead."""
    share: float
    """Of the allowance, in [0, 1]. The shares of all members never add up to more than 1."""
    wants: int
    """Requests in flight and waiting."""
    seen: Seen
    epoch: int
    """Cuts of which it knew when it saw that."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is agreed."""

    allowance: Allowance
    epoch: int = 0
    """Number of cuts so far."""
    adapted_s: float = 0.0
    """When the allowance was adapted last, in seconds since 1970, by the clock of whoever did."""
    answered: int = 0
    """Answers since then."""
    members: Mapping[str, Member] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """What a worker says at a beat."""

    wants: int
    seen: Seen
    epoch: int


def beaten(sheet: Sheet, name: str, report: Report, *, gone: Collection[str], now_s: float, bounds: Bounds) -> Sheet:
    """Return the sheet after a worker's beat: adapted to what all have seen, with the worker's new share.

    A share grows only into what is free, so that it takes a beat of the others until a newcomer has all of its own;
    that of a worker which is gone is free at once.

    Args:
        sheet: As it was.
        name: Who beats.
        report: What it says.
        gone: Members that have not beaten for too long.
        now_s: Seconds since 1970.
        bounds: Not to be exceeded.
    """
    members = {other: member for other, member in sheet.members.items() if other not in gone and other != name}
    before = sheet.members.get(name)
    mine = Member(before.beat + 1 if before else 1, 0.0, report.wants, report.seen, report.epoch)
    adapted = _adapted(
        replace(sheet, answered=sheet.answered + report.seen.answered), [*members.values(), mine], now_s, bounds
    )
    free = 1 - sum(member.share for member in members.values())
    share = max(0.0, min(fair_share(mine, members.values()), free))
    return replace(adapted, members={**members, name: replace(mine, share=share)})


def without(sheet: Sheet, name: str) -> Sheet:
    """Return the sheet after a worker has left."""
    return replace(sheet, members={other: member for other, member in sheet.members.items() if other != name})


def fair_share(mine: Member, others: Collection[Member]) -> float:
    """Return what a member may have of the allowance, in [0, 1], by what all want."""
    wanted = min(mine.wants, MUCH)
    return wanted / (wanted + sum(min(other.wants, MUCH) for other in others)) if wanted else 0.0


def _adapted(sheet: Sheet, members: Collection[Member], now_s: float, bounds: Bounds) -> Sheet:
    elapsed_s = min(max(now_s - sheet.adapted_s, 0.0), LONGEST_S)
    seen = _together(sheet, members, elapsed_s)
    if worth_a_cut(sheet.allowance, seen):
        allowance = cut(sheet.allowance, seen)
        return replace(sheet, allowance=allowance, epoch=sheet.epoch + 1, adapted_s=now_s, answered=0)
    if 0 <= now_s - sheet.adapted_s < TICK_S:
        return sheet
    return replace(sheet, allowance=grown(sheet.allowance, seen, bounds), adapted_s=now_s, answered=0)


def _together(sheet: Sheet, members: Collection[Member], elapsed_s: float) -> Seen:
    current = [member.seen for member in members if member.epoch == sheet.epoch]
    pressure = Pressure()
    for member in members:
        pressure |= member.seen.pressure
    return Seen(
        elapsed_s,
        sheet.answered,
        sum(seen.recent_sent for seen in current),
        sum(seen.recent_refused for seen in current),
        pressure,
        all(member.seen.slow for member in members if member.wants),
    )

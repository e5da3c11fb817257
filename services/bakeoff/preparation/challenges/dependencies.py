"""Which challenge waits for which, and an order in which each comes after those that it waits for."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.challenges.challenge import Challenge

PREFIX = "Test"
"""What the test runner put before names; files have it in dependencies, and only some have it in names."""


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What the challenges wait for."""

    order: tuple[str, ...]
    """All challenge ids; each after those that it waits for, else as they came."""
    needs: Mapping[str, tuple[str, ...]]
    """Challenge ids that a challenge waits for, by its id."""
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Dependencies that name no challenge, as they are written, by id; only challenges that have some."""
    ambiguous: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Dependencies that name several challenges equally near, as they are written, by id; the first one is taken."""


def resolve_dependencies(challenges: Sequence[Challenge], *, reverse_order: bool = False) -> Dependencies:
    """Return what each challenge waits for, and an order.

    Of several challenges of one name the one whose folder is nearest is meant: older generations keep theirs beside
    the newer ones.

    Args:
        challenges: All there are.
        reverse_order: Whether the hardest come first, as far as nothing that they wait for comes later; otherwise
            only those of a suite that says so do, among each other.

    Raises:
        InvalidInputError: challenges wait for each other; prints the circle.
    """
    by_name: dict[str, list[str]] = {}
    for challenge in challenges:
        by_name.setdefault(short_name(challenge.name), []).append(challenge.challenge_id)
    needs: dict[str, tuple[str, ...]] = {}
    missing: dict[str, tuple[str, ...]] = {}
    ambiguous: dict[str, tuple[str, ...]] = {}
    for challenge in challenges:
        found = {
            written: _nearest(challenge, by_name.get(short_name(written), ())) for written in challenge.dependencies
        }
        needs[challenge.challenge_id] = tuple(dict.fromkeys(ids[0] for ids in found.values() if ids))
        missing[challenge.challenge_id] = tuple(written for written, ids in found.items() if not ids)
        ambiguous[challenge.challenge_id] = tuple(written for written, ids in found.items() if len(ids) > 1)
    place = {challenge_id: index for index, challenge_id in enumerate(_preferred(challenges, reverse_order))}
    return Dependencies(_ordered(needs, place), needs, _some(missing), _some(ambiguous))


def short_name(name: str) -> str:
    """Return the name that a challenge and those that wait for it agree on.

    Args:
        name: `WriteFile`, `TestWriteFile`, or a node id such as `tests/write_file_test.py::TestWriteFile::test_it[x]`.
    """
    parts = name.split("::")
    return (parts[1] if len(parts) > 1 else parts[0]).removeprefix(PREFIX)


def _preferred(challenges: Sequence[Challenge], reverse_order: bool) -> list[str]:
    """Return the ids in the order in which they would come if none waited for another."""
    if reverse_order:
        return [each.challenge_id for each in sorted(challenges, key=_hardest_first)]
    turned: dict[str, list[Challenge]] = {}
    for each in challenges:
        if each.suite and each.suite.reverse_order:
            turned.setdefault(each.suite.prefix, []).append(each)
    queues = {prefix: iter(sorted(members, key=_hardest_first)) for prefix, members in turned.items()}
    # A suite keeps its places among the others, and fills them from its hardest on.
    return [
        next(queues[each.suite.prefix]).challenge_id
        if each.suite and each.suite.prefix in queues and each.suite.reverse_order
        else each.challenge_id
        for each in challenges
    ]


def _hardest_first(challenge: Challenge) -> int:
    return -(challenge.level or 0)


def _some(names: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {challenge_id: each for challenge_id, each in names.items() if each}


def _nearest(challenge: Challenge, ids: Iterable[str]) -> list[str]:
    """Return the ids whose folders share most with the challenge's own."""
    own = challenge.challenge_id.split("/")
    others = [each for each in ids if each != challenge.challenge_id]
    shared = {each: _shared(own, each.split("/")) for each in others}
    return [each for each in others if shared[each] == max(shared.values())]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _ordered(needs: Mapping[str, tuple[str, ...]], place: Mapping[str, int]) -> tuple[str, ...]:
    waiting = {challenge_id: len(needed) for challenge_id, needed in needs.items()}
    followers: dict[str, list[str]] = {challenge_id: [] for challenge_id in needs}
    for challenge_id, needed in needs.items():
        for each in needed:
            followers[each].append(challenge_id)
    ready = [place[challenge_id] for challenge_id, count in waiting.items() if not count]
    heapq.heapify(ready)
    ids = sorted(needs, key=place.__getitem__)
    order: list[str] = []
    while ready:
        challenge_id = ids[heapq.heappop(ready)]
        order.append(challenge_id)
        for follower in followers[challenge_id]:
            waiting[follower] -= 1
            if not waiting[follower]:
                heapq.heappush(ready, place[follower])
    if len(order) < len(needs):
        circle = _circle(needs, [challenge_id for challenge_id in ids if waiting[challenge_id]])
        raise InvalidInputError(f"challenges wait for each other: {' → '.join(circle)}")
    return tuple(order)


def _circle(needs: Mapping[str, tuple[str, ...]], stuck: Sequence[str]) -> list[str]:
    """Return a circle among challenges that all wait for one of each other; its first stands at its end again."""
    path = [stuck[0]]
    while True:
        following = next(each for each in needs[path[-1]] if each in stuck)
        if following in path:
            return [*path[path.index(following) :], following]
        path.append(following)

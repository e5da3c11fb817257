"""How much an endpoint is asked: grows while it is happy, shrinks when it refuses. Pure arithmetic on what was seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from bakeoff.models.model_settings import Bounds

DOUBLING_S = 0.3
"""Seconds in which the pace doubles until the endpoint first refuses."""
RETURN_S = 1.0
"""Time constant of the return to just below where it refused last."""
CREEP = 0.006
"""Growth beyond that, per second."""
CALM_S = 2.0
"""Seconds without a refusal after which the creeping has doubled; it goes on growing, for limits that were raised."""
CALMEST_S = 30.0
SLOWEST_PER_S = 0.5
"""Pace below which nothing is cut: somebody must find out that the endpoint is happy again."""
TICK_S = 0.1
"""Seconds between adaptations, at least."""
MEMORY_S = 1.0
"""Time constant in which recent outcomes are forgotten."""
SETTLE_S = 0.3
"""Seconds after a cut until all have heard of it and the endpoint has a little room again: refusals in that time say
nothing of the new allowance."""
FIRST_CUT, LATER_CUT, DEEPEST_CUT = 0.4, 0.97, 0.6
FIRST_RETURN = 1.5
"""Times what was sent in the last second is where the pace returns to after the first cut."""
HOPE = 1.05
"""Times what was borne over a longer time is where a cut leads to: cuts make that time's mean a little too low."""
BELOW = 0.99
"""Share of the pace at which it refused that counts as bearable."""
WINDOW_CUT = 0.9
WINDOW_CREEP = 0.02
"""Growth of the requests in flight for every windowful of answers, beside one."""
ENOUGH_S = 2.0
"""Seconds whose answers tell a pace."""
HEAVY = 0.3
"""Share of refusals from which on the endpoint's limit must have changed."""
EVIDENCE = 10
"""Requests that make a share of refusals worth believing."""


@dataclass(frozen=True, slots=True)
class Pressure:
    """What held requests back."""

    by_pace: bool = False
    by_window: bool = False

    def __or__(self, other: Pressure) -> Pressure:
        """Return what held back either."""
        return Pressure(self.by_pace or other.by_pace, self.by_window or other.by_window)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen since the last adaptation."""

    elapsed_s: float
    answered: int
    """Requests that were answered since."""
    recent_sent: float
    """Requests of about the last second that were made since all knew of the last cut."""
    recent_refused: float
    """Of those. Compared with what was sent and not with what was answered: refusals come back sooner than answers."""
    pressure: Pressure
    slow: bool = False
    """Whether answers take several times what they took at best: more at once would only queue."""

    @property
    def refused_share(self) -> float:
        """Share of recent requests that were refused, in [0, 1]."""
        return min(1.0, self.recent_refused / self.recent_sent) if self.recent_sent else 0.0


@dataclass(frozen=True, slots=True)
class Allowance:
    """What all who use an endpoint may ask of it together."""

    per_s: float
    """Requests a second."""
    at_once: float
    """Requests in flight."""
    bearable_per_s: float | None = None
    """Pace to return to after a cut; None while it was never cut for its pace."""
    was_full: bool = False
    """Whether it was ever cut for the requests in flight."""
    calm_s: float = 0.0
    """Since the last cut."""
    pressed_s: float = 0.0
    """Of the time since the last cut, that in which the pace held requests back."""
    borne: int = 0
    """Answers in that time."""
    borne_per_s: float = 0.0
    """The two divided, as of the last cut after a time that was long enough."""

    @classmethod
    def at_start(cls, bounds: Bounds) -> Allowance:
        """Return what is allowed before anything is known."""
        return cls(min(bounds.start_per_s, bounds.most_per_s), float(min(bounds.start_at_once, bounds.most_at_once)))


def grown(allowance: Allowance, seen: Seen, bounds: Bounds) -> Allowance:
    """Return the allowance after a time without a cut: what held requests back grows, unless some were refused."""
    allowance = _later(allowance, seen)
    if seen.recent_refused:
        return allowance
    per_s = _grown_pace(allowance, seen.elapsed_s) if seen.pressure.by_pace else allowance.per_s
    at_once = allowance.at_once
    if seen.pressure.by_window and not seen.slow:
        at_once += seen.answered * ((1 / at_once + WINDOW_CREEP) if allowance.was_full else 1.0)
    return replace(
        allowance,
        per_s=min(per_s, bounds.most_per_s),
        at_once=min(at_once, float(bounds.most_at_once)),
    )


def _grown_pace(allowance: Allowance, elapsed_s: float) -> float:
    per_s, bearable = allowance.per_s, allowance.bearable_per_s
    if bearable is None:
        return per_s * 2 ** (elapsed_s / DOUBLING_S)
    if per_s < bearable:
        per_s += (bearable - per_s) * (1 - math.exp(-elapsed_s / RETURN_S))
    return per_s * (1 + CREEP * elapsed_s * (1 + (min(allowance.calm_s, CALMEST_S) / CALM_S) ** 2))


def worth_a_cut(allowance: Allowance, seen: Seen) -> bool:
    """Say whether there were refusals, and enough requests since the last cut to know their share."""
    enough = seen.recent_sent >= EVIDENCE or allowance.calm_s >= RETURN_S
    return seen.recent_refused > 0 and enough


def cut(allowance: Allowance, seen: Seen) -> Allowance:
    """Return the allowance after refusals: what held requests back shrinks, both when nothing did."""
    by_window, by_pace = seen.pressure.by_window, seen.pressure.by_pace
    allowance = _later(allowance, seen)
    if allowance.bearable_per_s is not None and allowance.pressed_s >= ENOUGH_S:
        allowance = replace(allowance, borne_per_s=allowance.borne / allowance.pressed_s)
    cut_down = replace(allowance, calm_s=0.0, pressed_s=0.0, borne=0)
    if by_window or not by_pace:
        cut_down = replace(cut_down, at_once=max(1.0, allowance.at_once * WINDOW_CUT), was_full=True)
    if by_pace or not by_window:
        bearable = BELOW * _bearable_per_s(allowance, seen)
        if allowance.bearable_per_s is None:
            # While the pace doubled, a reserve of the endpoint may have hidden its limit.
            sent = (seen.recent_sent - seen.recent_refused) / max(TICK_S, min(MEMORY_S, allowance.calm_s))
            bearable = min(bearable, FIRST_RETURN * sent)
            per_s = FIRST_CUT * min(bearable, sent)
        else:
            per_s = LATER_CUT * min(bearable, max(HOPE * allowance.borne_per_s, DEEPEST_CUT * bearable))
        cut_down = replace(cut_down, per_s=max(SLOWEST_PER_S, per_s), bearable_per_s=max(SLOWEST_PER_S, bearable))
    return cut_down


def _bearable_per_s(allowance: Allowance, seen: Seen) -> float:
    """Return the pace that the endpoint would have answered whole.

    Of the present pace, that is the share that was not refused; but when cuts follow each other that share says too
    little. An endpoint that keeps a reserve has used it up when it refuses, so what it answered from one refusal to a
    much later one is what flows in, or less if the reserve was full in between: it bears at least that.
    """
    share = max(DEEPEST_CUT, 1 - seen.refused_share)
    if seen.refused_share < HEAVY:
        share = max(share, min(1.0, allowance.borne_per_s / allowance.per_s))
    return allowance.per_s * share


def _later(allowance: Allowance, seen: Seen) -> Allowance:
    pressed = seen.pressure.by_pace
    return replace(
        allowance,
        calm_s=allowance.calm_s + seen.elapsed_s,
        pressed_s=allowance.pressed_s + seen.elapsed_s * pressed,
        borne=allowance.borne + seen.answered * pressed,
    )

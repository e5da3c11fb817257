"""Counts how requests end, for those who adapt to it."""

from __future__ import annotations

import math

from bakeoff.models.pace import MEMORY_S, Pressure, Seen

SLOW = 3.0
"""Answers that take so many times the best are slow."""
WEIGHT = 0.05
"""Of one answer in the running mean of their time: about the last 20."""
FORGIVING = 0.005
"""Growth per second of the best time: one lucky moment is not held against the endpoint for ever."""


class Witness:
    """What one process has seen of an endpoint."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.began_s: float | None = None
        """When the time began that the next `take` tells of; None before `begin`."""
        self._answers = 0
        self._recent_sent = 0.0
        self._recent_refused = 0.0
        self._mean_s: float | None = None
        self._best_s = math.inf

    def begin(self, now_s: float) -> None:
        """Start the clock."""
        self.began_s = now_s

    def elapsed_s(self, now_s: float) -> float:
        """Return the seconds since the last `take`."""
        return 0.0 if self.began_s is None else now_s - self.began_s

    def sent(self) -> None:
        """Count a request that is made under the allowance of now."""
        self._recent_sent += 1

    def answered(self, latency_s: float) -> None:
        """Count an answer and its time, in seconds."""
        self._answers += 1
        self._mean_s = latency_s if self._mean_s is None else self._mean_s + WEIGHT * (latency_s - self._mean_s)

    def refused(self) -> None:
        """Count a refusal of a request that was counted as sent."""
        self._recent_refused += 1

    def forget(self) -> None:
        """Begin the recent counts anew, as after a cut."""
        self._recent_sent = self._recent_refused = 0.0

    def take(self, now_s: float, pressure: Pressure) -> Seen:
        """Return what was seen since the last time, and begin anew."""
        elapsed_s = self.elapsed_s(now_s)
        mean_s = self._mean_s or 0.0
        if self._mean_s is not None:
            self._best_s = min(self._best_s * (1 + FORGIVING * elapsed_s), mean_s)
        seen = Seen(
            elapsed_s,
            self._answers,
            self._recent_sent,
            self._recent_refused,
            pressure,
            mean_s > SLOW * self._best_s,
        )
        fading = math.exp(-elapsed_s / MEMORY_S)
        self._recent_sent *= fading
        self._recent_refused *= fading
        self._answers = 0
        self.began_s = now_s
        return seen

"""What was found when an evaluation was looked at, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was looked at."""

    name: str
    """What, such as `stage infer`."""
    ok: bool
    """Whether nothing of it is in the way."""
    detail: str
    """How it stands."""
    advice: str = ""
    """What to do about it; empty when nothing is."""

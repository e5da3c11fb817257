"""Whether a recipe asks for as many samples as a scoring method needs."""

from __future__ import annotations

from bakeoff.domain.component import ComponentCard, ComponentSpec

SAMPLES = "samples"
"""A card's fact: the setting that says how many samples an answer must have."""


def too_few_samples(card: ComponentCard, spec: ComponentSpec, samples: int) -> str:
    """Return what is wrong when an answer has too few samples for a method; empty when it has enough."""
    setting = card.facts.get(SAMPLES)
    needed = spec.settings.get(setting) if isinstance(setting, str) else None
    if not isinstance(needed, int) or samples >= needed:
        return ""
    return f"needs at least {needed} samples for {spec}, not {samples}"

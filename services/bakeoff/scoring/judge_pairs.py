"""What comparisons by a judging model have in common: their rubric and their metric."""

from __future__ import annotations

from bakeoff.domain.score import MetricCard
from bakeoff.scoring.judge_panel import ModelPanel
from bakeoff.scoring.judge_prompts import PAIRWISE_NEEDS, PAIRWISE_SLOTS, Rubric, frame_of_text, prompt_digest
from bakeoff.scoring.judge_settings import rubric_of
from bakeoff.scoring.rubric_library import frame

SOURCE = "Zheng et al. 2023, arXiv:2306.05685"


def pairwise_rubric(rubric: str, criterion: str | None, name: str | None, prompt: str | None) -> Rubric:
    """Return what two answers are compared by.

    Raises:
        InvalidInputError: a slot of the prompt is not known, or one that is needed is missing.
    """
    chosen = rubric_of(rubric, criterion, name)
    if prompt is None:
        return chosen
    return chosen.showing_what(frame_of_text(prompt, PAIRWISE_SLOTS, PAIRWISE_NEEDS, frame("pairwise").system))


def pairwise_card(name: str, rubric: Rubric, judges: ModelPanel) -> MetricCard:
    """Return the metric of a comparison: the win rate, with ties as halves."""
    settings = judges.choice.settings
    votes = f"{judges.votes} vote{'s' if judges.votes > 1 else ''}"
    return MetricCard(
        name,
        "",
        "",
        source=f"{SOURCE}; {settings.model} at {settings.base_url}, both orders, {votes}",
        needs_answer=True,
        prompt=prompt_digest(rubric, pairwise=True),
    )

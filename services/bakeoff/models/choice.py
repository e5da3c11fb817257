"""The choice of a model: where it is, what it is asked with, and which of the operator's keys opens it."""

from __future__ import annotations

from dataclasses import dataclass

from bakeoff.models.model_settings import Api, ModelSettings


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model at an endpoint: it is told prompts, many at once."""

    settings: ModelSettings
    key: str = ""
    """Name of the endpoint's key among the operator's; empty when it needs none."""
    send_seed: bool = True
    """Whether each answer is asked for with a seed of its own, made of the evaluation's seed and the case id."""

    system: str = ""
    """System prompt, before whatever a template says; empty for none."""

    @property
    def chat(self) -> bool:
        """Whether a dialogue is sent as such."""
        return self.settings.api is Api.CHAT

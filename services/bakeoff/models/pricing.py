"""What an answer costs."""

from __future__ import annotations

from dataclasses import dataclass

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a model, per million tokens, in one currency."""

    tokens_in: float
    tokens_out: float
    tokens_cached: float | None = None
    """Of tokens that the endpoint had kept; None when they cost as much as the others."""
    currency: str = "USD"

    def cost(self, tokens_in: int | None, tokens_out: int | None, tokens_cached: int | None = None) -> float | None:
        """Return the cost of an answer; None when its tokens are not known.

        Args:
            tokens_in: Tokens of the prompt, those that were kept among them.
            tokens_out: Tokens of the answer.
            tokens_cached: Of `tokens_in`, those that the endpoint had kept; None counts as none.
        """
        if tokens_in is None or tokens_out is None:
            return None
        kept = min(tokens_cached or 0, tokens_in)
        kept_price = self.tokens_in if self.tokens_cached is None else self.tokens_cached
        return ((tokens_in - kept) * self.tokens_in + kept * kept_price + tokens_out * self.tokens_out) / MILLION

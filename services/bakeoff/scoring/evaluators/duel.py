"""A model says, in both orders, whether an entrant's answer is better than another entrant's."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring import judge_settings as told
from bakeoff.scoring.evaluator import Evaluator
from bakeoff.scoring.judge_evaluator import DuelEvaluator
from bakeoff.scoring.judge_pairs import pairwise_card, pairwise_rubric
from bakeoff.scoring.judge_prompts import PAIRWISE_NEEDS, PAIRWISE_SLOTS
from bakeoff.scoring.opponents import OtherEntrant
from bakeoff.scoring.registries import evaluators


@evaluators.register("duel", version="2", facts={"asks_models": True})
def duel(
    *,
    base_url: told.BaseUrl,
    model: told.ModelName,
    key: told.Key = "",
    opponent: Annotated[
        str, Is("whom the others are compared with: an entrant, or a recipe with one mode; empty: the first")
    ] = "",
    rubric: Annotated[told.RubricName, Is("by what the better one is told")] = "helpfulness",
    criterion: told.Criterion = None,
    prompt: Annotated[
        str | None,
        Is("the whole prompt, with slots; null: the built-in one", slots=PAIRWISE_SLOTS, needed_slots=PAIRWISE_NEEDS),
    ] = None,
    name: told.MetricName = None,
    votes: told.Votes = 1,
    attempts: told.Attempts = 2,
    labels: told.Labels = "",
    temperature: told.Temperature = 0.0,
    max_tokens: told.MaxTokens = 512,
    parameters: told.Parameters = None,
    send_seed: told.SendSeed = True,
    structured: told.Structured = True,
    price_in: told.PriceIn = None,
    price_out: told.PriceOut = None,
    currency: told.Currency = "USD",
    most_at_once: told.MostAtOnce = 64,
) -> Evaluator:
    """Have a model say whether each answer is better than another entrant's, in both orders.

    The metric is `win_rate_vs_<opponent>`, over the cases that both have answered. A judge that says the opposite when
    the order changes has judged the order: that is a tie, and counted. One that cannot be read is a failure of the
    judge, never a tie.

    Scale: 0, 0.5, 1: lost, tied, won; the mean is the win rate with ties as halves.
    Not applicable: to the opponent itself, and where it has no answer; or the rubric shows gold answers and the case
    has none.
    Source: Zheng et al. 2023, arXiv:2306.05685.

    Raises:
        InvalidInputError: the model cannot be asked like this, or a slot is wrong or missing.
    """
    judges = told.model_panel(
        base_url=base_url,
        model=model,
        key=key,
        votes=votes,
        temperature=temperature,
        max_tokens=max_tokens,
        parameters=parameters,
        send_seed=send_seed,
        structured=structured,
        price_in=price_in,
        price_out=price_out,
        currency=currency,
        most_at_once=most_at_once,
    )
    chosen = pairwise_rubric(rubric, criterion, name, prompt)
    card = pairwise_card(name or f"win_rate_vs_{opponent or 'first'}", chosen, judges)
    return DuelEvaluator(card, chosen, judges, OtherEntrant(opponent), attempts, labels)

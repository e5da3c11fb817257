"""A model rates each answer by a rubric, on a declared scale or by yes or no."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring import judge_settings as told
from bakeoff.scoring.evaluator import Evaluator
from bakeoff.scoring.judge_evaluator import JudgeEvaluator
from bakeoff.scoring.judge_prompts import POINTWISE_NEEDS, POINTWISE_SLOTS, frame_of_text, prompt_digest
from bakeoff.scoring.judgements import Aggregate
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.rubric_library import frame

SOURCE = "Zheng et al. 2023, arXiv:2306.05685"


@evaluators.register("judge", facts={"asks_models": True})
def judge(
    *,
    base_url: told.BaseUrl,
    model: told.ModelName,
    key: told.Key = "",
    rubric: Annotated[told.RubricName, Is("what is looked at")] = "correctness",
    criterion: told.Criterion = None,
    lowest: Annotated[int | None, Is("worst number of the scale; null for the rubric's scale", below="highest")] = None,
    highest: Annotated[int | None, Is("best number of the scale; null for the rubric's scale")] = None,
    anchors: Annotated[dict[str, str] | None, Is("what some numbers of the scale mean, by number")] = None,
    prompt: Annotated[
        str | None,
        Is(
            "the whole prompt, with slots; null for the built-in one",
            slots=POINTWISE_SLOTS,
            needed_slots=POINTWISE_NEEDS,
        ),
    ] = None,
    name: told.MetricName = None,
    votes: told.Votes = 1,
    aggregate: Annotated[
        Literal["median", "mean", "majority"], Is("what becomes of several votes; yes and no: majority or mean")
    ] = "median",
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
    """Have a model rate each answer by a rubric.

    The metric is `judge_<rubric>`. A judge that cannot be read is a failure of the judge, never a zero.

    Scale: [0, 1]: where the rating stands on the declared scale; 1 and 0 for yes and no; higher is better.
    Not applicable: the rubric shows gold answers, and the case has none.
    Source: Zheng et al. 2023, arXiv:2306.05685.

    Raises:
        InvalidInputError: the model cannot be asked like this, the scale is none, or a slot is wrong or missing.
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
    chosen = told.rubric_of(rubric, criterion, name)
    chosen = replace(chosen, scale=told.scale_of(chosen, lowest, highest, anchors))
    if prompt is not None:
        own = frame_of_text(prompt, POINTWISE_SLOTS, POINTWISE_NEEDS, frame("pointwise").system)
        chosen = chosen.showing_what(own)
    scale = f"{chosen.scale.minimum} to {chosen.scale.maximum}" if chosen.scale else "yes or no"
    card = MetricCard(
        name or f"judge_{rubric}",
        "",
        "",
        binary=chosen.scale is None and aggregate != "mean",
        source=f"{SOURCE}; {model} at {base_url}, scale {scale}, {votes} vote{'s' if votes > 1 else ''} ({aggregate})",
        needs_answer=True,
        prompt=prompt_digest(chosen, pairwise=False),
    )
    return JudgeEvaluator(card, chosen, judges, attempts, Aggregate(aggregate), labels)

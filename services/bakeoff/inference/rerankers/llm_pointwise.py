"""Reranker: a language model rates each passage by itself."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.inference.registries import rerankers
from bakeoff.inference.retrieving import model_settings as told
from bakeoff.inference.retrieving.pointwise import Pointwise
from bakeoff.inference.retrieving.prompt_texts import prompt_text, version
from bakeoff.inference.retrieving.reranking import ModelReranker
from bakeoff.runtime.registry import Is

SLOTS = ("question", "passage", "highest", "form")


@rerankers.register(
    "llm_pointwise", version=version("1", "pointwise"), facts={told.ASKS_MODELS: True, "runs_in": "inference"}
)
def llm_pointwise(
    *,
    base_url: told.BaseUrl,
    model: told.ModelName,
    key: told.Key = "",
    chars: told.Chars = 800,
    fallback: Annotated[
        Literal["fail", "keep"],
        Is("what becomes of a case whose passages could not be put in order: it fails, or they keep theirs"),
    ] = "fail",
    prompt: Annotated[
        str | None,
        Is(
            "the whole prompt, with slots; null for the built-in one",
            slots=SLOTS,
            needed_slots=("question", "passage"),
        ),
    ] = None,
    api: told.ApiName = "chat",
    temperature: told.Temperature = 0.0,
    max_tokens: told.MaxTokens = 64,
    parameters: told.Parameters = None,
    send_seed: told.SendSeed = True,
    structured: told.Structured = True,
    price_in: told.PriceIn = None,
    price_out: told.PriceOut = None,
    currency: told.Currency = "USD",
    most_at_once: told.MostAtOnce = 256,
) -> ModelReranker:
    """Have a language model rate each passage by itself, from 0 to 10; equal ratings stay in the order of the search.

    Source: after Zhuang et al. 2024, "Beyond Yes and No", arXiv:2310.14122.
    """
    asked = told.engine_model(
        base_url=base_url,
        model=model,
        key=key,
        api=api,
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
    return Pointwise(asked, prompt_text(prompt, "pointwise"), chars, fallback == "keep")

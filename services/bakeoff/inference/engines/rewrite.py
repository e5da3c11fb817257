"""Query engine: a model rewrites the question."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.domain.component import ComponentSpec
from bakeoff.inference.registries import engines
from bakeoff.inference.retrieving import model_settings as told
from bakeoff.inference.retrieving.prompt_texts import prompt_text, version
from bakeoff.inference.retrieving.rewriting import Rewrite
from bakeoff.inference.retrieving.searching import ModelEngine
from bakeoff.runtime.registry import Is

SLOTS = ("question", "wanted", "form")


@engines.register("rewrite", version=version("1", "rewrite"), facts={**told.OVER_AN_ENGINE, told.ASKS_MODELS: True})
def rewrite(
    *,
    first: told.First,
    base_url: told.BaseUrl,
    model: told.ModelName,
    key: told.Key = "",
    n: Annotated[int, Is("rewritten questions; the findings of several are fused", minimum=1, maximum=20)] = 1,
    original: Annotated[bool, Is("whether the question itself is asked, too, and fused")] = False,
    k: Annotated[int, Is("of the fusion: how little the first ranks stand out", minimum=0)] = 60,
    depth: Annotated[
        int, Is("of the fusion: hits of each question, or as many as are asked for if more", minimum=1)
    ] = 100,
    fallback: Annotated[
        Literal["fail", "original"],
        Is("what becomes of a case whose question could not be rewritten: it fails, or it is asked as it is"),
    ] = "fail",
    prompt: Annotated[
        str | None,
        Is("the whole prompt, with slots; null for the built-in one", slots=SLOTS, needed_slots=("question",)),
    ] = None,
    api: told.ApiName = "chat",
    temperature: told.Temperature = 0.0,
    max_tokens: told.MaxTokens = 256,
    parameters: told.Parameters = None,
    send_seed: told.SendSeed = True,
    structured: told.Structured = True,
    price_in: told.PriceIn = None,
    price_out: told.PriceOut = None,
    currency: told.Currency = "USD",
    most_at_once: told.MostAtOnce = 256,
) -> ModelEngine:
    """Have a model rewrite the question, and search by what it wrote.

    The findings of several questions are fused: a passage's score is the sum of 1 / (k + rank) over those that find it.

    Source: fusion: Cormack, Clarke & Büttcher 2009; several questions: Rackauckas 2024, arXiv:2402.03367.
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
    text = prompt_text(prompt, "rewrite")
    return Rewrite(ComponentSpec.parse(first), asked, text, n, original, k, depth, fallback == "original")

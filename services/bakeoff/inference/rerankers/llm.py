"""Reranker: a language model puts a list of passages in order."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.inference.registries import rerankers
from bakeoff.inference.retrieving import model_settings as told
from bakeoff.inference.retrieving.listwise import Listwise
from bakeoff.inference.retrieving.prompt_texts import prompt_text, version
from bakeoff.inference.retrieving.reranking import ModelReranker
from bakeoff.runtime.registry import Is

SLOTS = ("question", "passages", "n", "form")


@rerankers.register("llm", version=version("1", "listwise"), facts={told.ASKS_MODELS: True, "runs_in": "inference"})
def llm(
    *,
    base_url: told.BaseUrl,
    model: told.ModelName,
    key: told.Key = "",
    window: Annotated[int, Is("passages that the model sees at once", minimum=2)] = 20,
    step: Annotated[int, Is("by how many the window moves to the front", minimum=1, below="window")] = 10,
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
            needed_slots=("question", "passages"),
        ),
    ] = None,
    api: told.ApiName = "chat",
    temperature: told.Temperature = 0.0,
    max_tokens: told.MaxTokens = 512,
    parameters: told.Parameters = None,
    send_seed: told.SendSeed = True,
    structured: told.Structured = True,
    price_in: told.PriceIn = None,
    price_out: told.PriceOut = None,
    currency: told.Currency = "USD",
    most_at_once: told.MostAtOnce = 256,
) -> ModelReranker:
    """Have a language model put a list of passages in order.

    Windows are sorted from the last to the first. Numbers that the model invents or repeats are dropped, and passages
    that it leaves out go to the end in their order; all are counted.

    Source: Sun et al. 2023, "Is ChatGPT Good at Search?", arXiv:2304.09542.
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
    return Listwise(asked, prompt_text(prompt, "listwise"), window, step, chars, fallback == "keep")

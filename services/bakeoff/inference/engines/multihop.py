"""Query engine: a model reads what was found and says what to search for next."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.domain.component import ComponentSpec
from bakeoff.inference.registries import engines
from bakeoff.inference.retrieving import model_settings as told
from bakeoff.inference.retrieving.fusing import Merge
from bakeoff.inference.retrieving.hop_settings import Hops, MergeName, Passages, RrfK
from bakeoff.inference.retrieving.hopping import Multihop
from bakeoff.inference.retrieving.prompt_texts import prompt_text, version
from bakeoff.inference.retrieving.scouts import ModelScout
from bakeoff.inference.retrieving.searching import ModelEngine
from bakeoff.runtime.registry import Is

SLOTS = ("question", "queries", "passages", "form")


@engines.register("multihop", version=version("1", "multihop"), facts={**told.OVER_AN_ENGINE, told.ASKS_MODELS: True})
def multihop(
    *,
    first: told.First,
    base_url: told.BaseUrl,
    model: told.ModelName,
    key: told.Key = "",
    hops: Hops = 2,
    passages: Passages = 5,
    chars: told.Chars = 800,
    merge: MergeName = "best_rank",
    k: RrfK = 60,
    fallback: Annotated[
        Literal["fail", "stop"],
        Is("what becomes of a case whose next query could not be made: it fails, or it has what was found so far"),
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
    max_tokens: told.MaxTokens = 256,
    parameters: told.Parameters = None,
    send_seed: told.SendSeed = True,
    structured: told.Structured = True,
    price_in: told.PriceIn = None,
    price_out: told.PriceOut = None,
    currency: told.Currency = "USD",
    most_at_once: told.MostAtOnce = 256,
) -> ModelEngine:
    """Search, have a model read what was found and write the next query, and so on, until it says that it is enough.

    Source: after Trivedi et al. 2023 (IRCoT), arXiv:2212.10509, and Press et al. 2023 (self-ask), arXiv:2210.03350.
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
    scout = ModelScout(prompt_text(prompt, "multihop"), passages, chars)
    engine = ComponentSpec.parse(first)
    return Multihop("multihop", engine, asked, scout, hops, passages, Merge(merge), k, fallback == "stop")

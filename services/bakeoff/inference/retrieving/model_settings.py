"""What every engine that asks a model may be told of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from bakeoff.domain.component import ComponentKind
from bakeoff.inference.retrieving.searching import EngineModel
from bakeoff.models.choice import ModelChoice
from bakeoff.models.model_settings import Api, Bounds, ModelSettings
from bakeoff.models.pricing import Prices
from bakeoff.runtime.nested import INNER
from bakeoff.runtime.registry import Is

ASKS_MODELS = "asks_models"
"""A card's fact: the component asks models, so that inference runs it."""
OVER_AN_ENGINE = {INNER: {"first": ComponentKind.QUERY_ENGINE.value}, "runs_in": "inference"}

First = Annotated[str, Is("signature of the engine that finds passages")]
BaseUrl = Annotated[str, Is("address of the endpoint, such as http://127.0.0.1:8080/v1")]
ModelName = Annotated[str, Is("name under which the endpoint knows the model")]
Key = Annotated[str, Is("name of the endpoint's key: the variable BAKEOFF_KEY_<NAME> holds it; empty for none")]
ApiName = Annotated[Literal["chat", "completions"], Is("which of the endpoint's interfaces is used")]
Temperature = Annotated[float | None, Is("0 for the likeliest words; null leaves it out", minimum=0)]
MaxTokens = Annotated[int | None, Is("longest reply, in tokens; null leaves it out", minimum=1)]
Parameters = Annotated[dict[str, object] | None, Is("further parameters, sent as they are")]
SendSeed = Annotated[bool, Is("whether each reply is asked for with a seed of its own")]
Structured = Annotated[bool, Is("whether the endpoint is asked to hold the model to a JSON schema, if it can")]
PriceIn = Annotated[float | None, Is("price of a million tokens of prompts", minimum=0)]
PriceOut = Annotated[float | None, Is("price of a million tokens of replies", minimum=0)]
Currency = Annotated[str, Is("of the prices")]
MostAtOnce = Annotated[int, Is("requests in flight over all workers", minimum=1)]
Chars = Annotated[int, Is("characters of each passage that the model is shown", minimum=20)]


def engine_model(
    *,
    base_url: str,
    model: str,
    key: str,
    api: str,
    temperature: float | None,
    max_tokens: int | None,
    parameters: dict[str, Any] | None,
    send_seed: bool,
    structured: bool,
    price_in: float | None,
    price_out: float | None,
    currency: str,
    most_at_once: int,
) -> EngineModel:
    """Return the model of an engine.

    Raises:
        InvalidInputError: it cannot be asked like this; all faults at once.
    """
    said = {"temperature": temperature, "max_tokens": max_tokens}
    given = {name: value for name, value in said.items() if value is not None}
    prices = None
    if price_in is not None and price_out is not None:
        prices = Prices(price_in, price_out, None, currency)
    settings = ModelSettings(
        base_url,
        model,
        Api(api),
        {**given, **(parameters or {})},
        stream=False,
        prices=prices,
        bounds=Bounds(most_at_once=most_at_once),
    )
    return EngineModel(ModelChoice(settings, key, send_seed), structured)

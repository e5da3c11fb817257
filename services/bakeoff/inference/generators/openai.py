"""A model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.inference.registries import generators
from bakeoff.models.choice import ModelChoice
from bakeoff.models.model_settings import Api, Bounds, ModelSettings
from bakeoff.models.pricing import Prices
from bakeoff.runtime.registry import Is


@generators.register("openai", facts={"gives_likelihoods": True})
def openai(
    *,
    base_url: Annotated[str, Is("address of the endpoint, such as http://127.0.0.1:8080/v1")],
    model: Annotated[str, Is("name under which the endpoint knows the model")],
    key: Annotated[
        str, Is("name of the endpoint's key: the variable BAKEOFF_KEY_<NAME> holds it; empty for none")
    ] = "",
    api: Annotated[Literal["chat", "completions"], Is("which of the endpoint's interfaces is used")] = "chat",
    system: Annotated[str, Is("system prompt, before whatever the template says; empty for none")] = "",
    temperature: Annotated[float | None, Is("0 for the likeliest words; null leaves it out", minimum=0)] = 0.0,
    top_p: Annotated[float | None, Is("share of the likeliest words to draw from", minimum=0, maximum=1)] = None,
    max_tokens: Annotated[int | None, Is("longest answer, in tokens; null leaves it out", minimum=1)] = 256,
    stop: Annotated[list[str] | None, Is("texts at which the answer ends")] = None,
    parameters: Annotated[dict[str, object] | None, Is("further parameters, sent as they are")] = None,
    send_seed: Annotated[bool, Is("whether each answer is asked for with a seed of its own")] = True,
    stream: Annotated[bool, Is("whether answers are streamed, so that the time of each token is measured")] = True,
    price_in: Annotated[float | None, Is("price of a million tokens of prompts", minimum=0)] = None,
    price_out: Annotated[float | None, Is("price of a million tokens of answers", minimum=0)] = None,
    price_cached: Annotated[float | None, Is("price of a million tokens that the endpoint had kept", minimum=0)] = None,
    currency: Annotated[str, Is("of the prices")] = "USD",
    most_at_once: Annotated[int, Is("requests in flight over all workers", minimum=1)] = 256,
) -> ModelChoice:
    """Ask a model behind an OpenAI-compatible endpoint.

    Answers are kept under a key over everything that can change them, so that nothing is asked twice.
    """
    said = {"temperature": temperature, "top_p": top_p, "max_tokens": max_tokens, "stop": stop}
    given = {name: value for name, value in said.items() if value is not None}
    prices = None
    if price_in is not None and price_out is not None:
        prices = Prices(price_in, price_out, price_cached, currency)
    settings = ModelSettings(
        base_url,
        model,
        Api(api),
        {**given, **(parameters or {})},
        stream,
        prices,
        bounds=Bounds(most_at_once=most_at_once),
    )
    return ModelChoice(settings, key, send_seed, system)

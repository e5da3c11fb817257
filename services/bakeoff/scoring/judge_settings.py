"""What every evaluator that asks a judging model may be told of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.models.choice import ModelChoice
from bakeoff.models.model_settings import Bounds, ModelSettings
from bakeoff.models.pricing import Prices
from bakeoff.runtime.registry import Is
from bakeoff.scoring.judge_panel import ModelPanel
from bakeoff.scoring.judge_prompts import Rubric, Scale
from bakeoff.scoring.rubric_library import built_in_rubric

BaseUrl = Annotated[str, Is("address of the judge's endpoint, such as http://127.0.0.1:8080/v1")]
ModelName = Annotated[str, Is("name under which the endpoint knows the judging model")]
Key = Annotated[str, Is("name of the endpoint's key: the variable BAKEOFF_KEY_<NAME> holds it; empty for none")]
Votes = Annotated[int, Is("how often the judge is asked about each answer, with a seed each time", minimum=1)]
Attempts = Annotated[int, Is("how often it is asked before its answer counts as unreadable", minimum=1)]
Temperature = Annotated[float | None, Is("0 for the likeliest words; null leaves it out", minimum=0)]
MaxTokens = Annotated[int | None, Is("longest judgement, in tokens; null leaves it out", minimum=1)]
Parameters = Annotated[dict[str, object] | None, Is("further parameters, sent as they are")]
SendSeed = Annotated[bool, Is("whether each judgement is asked for with a seed of its own")]
Structured = Annotated[bool, Is("whether the endpoint is asked to hold the judge to a JSON schema, if it can")]
PriceIn = Annotated[float | None, Is("price of a million tokens of prompts", minimum=0)]
PriceOut = Annotated[float | None, Is("price of a million tokens of judgements", minimum=0)]
Currency = Annotated[str, Is("of the prices")]
MostAtOnce = Annotated[int, Is("requests in flight over all workers", minimum=1)]
Criterion = Annotated[str | None, Is("what makes an answer good, in words; null for the rubric's")]
MetricName = Annotated[str | None, Is("name of the metric; null: made of the rubric's")]
RubricName = Literal["answer_relevance", "correctness", "faithfulness", "helpfulness"]
Labels = Annotated[str, Is("column of the cases with people's ratings, for agreement; empty for none")]


def model_panel(
    *,
    base_url: str,
    model: str,
    key: str,
    votes: int,
    temperature: float | None,
    max_tokens: int | None,
    parameters: dict[str, Any] | None,
    send_seed: bool,
    structured: bool,
    price_in: float | None,
    price_out: float | None,
    currency: str,
    most_at_once: int,
) -> ModelPanel:
    """Return the panel of one model.

    Raises:
        InvalidInputError: the model cannot be asked like this; all faults at once.
    """
    said = {"temperature": temperature, "max_tokens": max_tokens}
    given = {name: value for name, value in said.items() if value is not None}
    prices = None
    if price_in is not None and price_out is not None:
        prices = Prices(price_in, price_out, None, currency)
    settings = ModelSettings(
        base_url,
        model,
        parameters={**given, **(parameters or {})},
        stream=False,
        prices=prices,
        bounds=Bounds(most_at_once=most_at_once),
    )
    if votes > 1 and settings.parameters.get("temperature") == 0:
        problem = f"{votes} votes at temperature 0 are one vote; raise the temperature"
        raise InvalidInputError("the judge's votes cannot differ", [Violation("votes", problem)])
    return ModelPanel(ModelChoice(settings, key, send_seed), votes, structured)


def rubric_of(name: str, criterion: str | None, metric: str | None) -> Rubric:
    """Return a built-in rubric, with a criterion and a name of one's own where they are given."""
    rubric = built_in_rubric(name)
    return replace(rubric, name=metric or rubric.name, criterion=criterion or rubric.criterion)


def scale_of(rubric: Rubric, lowest: int | None, highest: int | None, anchors: dict[str, str] | None) -> Scale | None:
    """Return the scale that is declared, else the rubric's; anchors of another scale than the rubric's are dropped.

    Raises:
        InvalidInputError: only one end is given, the scale does not go up, or an anchor is not on it.
    """
    if (lowest is None) != (highest is None):
        raise InvalidInputError("a scale has two ends: give both `lowest` and `highest`")
    scale = rubric.scale
    if lowest is not None and highest is not None:
        kept = scale.anchors if scale and (scale.minimum, scale.maximum) == (lowest, highest) else {}
        scale = Scale(lowest, highest, kept)
    if anchors is None:
        return scale
    if scale is None:
        raise InvalidInputError(f"the rubric {rubric.name!r} asks for yes or no, and has no numbers to give meanings")
    try:
        return replace(scale, anchors={int(number): str(meaning) for number, meaning in anchors.items()})
    except ValueError:
        raise InvalidInputError(f"anchors must be whole numbers of the scale, not {list(anchors)}") from None

"""The bodies of requests: from a prompt to what an OpenAI-compatible endpoint reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prompt import Message, Prompt, Role
from bakeoff.models.model_settings import Api, ModelSettings

Body = Mapping[str, object]


class Streaming(Enum):
    """How much of streaming an endpoint understands."""

    WITH_USAGE = "with usage"
    WITHOUT_USAGE = "without usage"
    OFF = "off"

    @property
    def lesser(self) -> Streaming:
        """What is asked for when the endpoint does not understand this one."""
        return Streaming.WITHOUT_USAGE if self is Streaming.WITH_USAGE else Streaming.OFF


def messages_of(prompt: Prompt) -> tuple[Message, ...]:
    """Return a prompt as a dialogue; a plain one is what the user says."""
    return prompt.messages or (Message(Role.USER, prompt.text),)


def answer_body(settings: ModelSettings, prompt: Prompt, seed: int | None) -> Body:
    """Return the request for an answer, without anything about streaming.

    Args:
        settings: The model and its parameters.
        prompt: What it is told.
        seed: Takes the place of a `seed` among the parameters; None leaves it as it is.

    Raises:
        InvalidInputError: the prompt is empty, or a dialogue for an interface that takes plain text.
    """
    if bool(prompt.messages) == bool(prompt.text):
        raise InvalidInputError("a prompt has either messages or a text; this one has " + _what(prompt))
    asked: dict[str, object]
    if settings.api is Api.CHAT:
        turns = [{"role": turn.role.value, "content": turn.content} for turn in messages_of(prompt)]
        asked = {"model": settings.model, "messages": turns}
    elif prompt.messages:
        raise InvalidInputError(
            "the interface 'completions' takes a plain prompt, not a dialogue: it has no template for roles"
        )
    else:
        asked = {"model": settings.model, "prompt": prompt.text}
    return {**asked, **settings.parameters, **({} if seed is None else {"seed": seed})}


def streamed(body: Body, streaming: Streaming) -> Body:
    """Return a request that asks for as much streaming as given."""
    if streaming is Streaming.OFF:
        return body
    if streaming is Streaming.WITHOUT_USAGE:
        return {**body, "stream": True}
    return {**body, "stream": True, "stream_options": {"include_usage": True}}


def likelihood_body(settings: ModelSettings, text: str, new_tokens: int) -> Body:
    """Return the request for the log-probabilities of a text's own tokens.

    Args:
        settings: The model; its parameters shape generation and are left out.
        text: What is judged.
        new_tokens: Tokens to generate behind it: 0, or 1 for endpoints that do not take 0.
    """
    return {
        "model": settings.model,
        "prompt": text,
        "max_tokens": new_tokens,
        "temperature": 0,
        "echo": True,
        "logprobs": 1,
    }


def embedding_body(settings: ModelSettings, texts: Sequence[str]) -> Body:
    """Return the request for the vectors of texts."""
    return {"model": settings.model, "input": list(texts), "encoding_format": "float", **settings.parameters}


def path_of(api: Api) -> str:
    """Return where an interface is asked for answers, behind the endpoint's address."""
    return "/chat/completions" if api is Api.CHAT else "/completions"


def _what(prompt: Prompt) -> str:
    return "both" if prompt.messages else "neither"

"""What a model replied to a step of retrieval, read strictly: what was asked for, or why it is not that."""

from __future__ import annotations

import json
import re

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.errors import BakeoffError
from bakeoff.domain.failing import one_line
from bakeoff.domain.prompt import Completion

FENCED = re.compile(r"```(?:json|JSON)?[ \t]*\n(?P<inside>.*?)\n?[ \t]*```", re.DOTALL)
SHOWN = 120
"""Characters of an unreadable reply that its failure shows."""


class UnreadableReplyError(BakeoffError):
    """A model's reply does not say what was asked for."""


def object_of(text: str) -> dict[str, object]:
    """Return the JSON object that a reply is. One Markdown fence around all of it is overlooked, and nothing else.

    Raises:
        UnreadableReplyError: it is no object, or one that has a key twice or holds NaN.
    """
    fence = FENCED.fullmatch(text.strip())
    try:
        value = json.loads(fence["inside"] if fence else text, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UnreadableReplyError(f"it is no JSON object ({reason})") from None
    if not isinstance(value, dict):
        raise UnreadableReplyError(f"it is no JSON object but {_kind(value)}")
    return value


def texts_of(reply: dict[str, object], name: str) -> list[str]:
    """Return the texts under a key, without space around them, each once, in their order.

    Raises:
        UnreadableReplyError: there is no list of them, one is no text or blank, or there is none.
    """
    values = reply.get(name)
    if not isinstance(values, list) or not values:
        raise UnreadableReplyError(f"{name!r} must be a list of at least one text, not {_shown(values)}")
    texts: dict[str, None] = {}
    for value in values:
        if not isinstance(value, str) or not value.strip():
            raise UnreadableReplyError(f"{name!r} must hold texts that are not blank, not {_shown(value)}")
        texts[" ".join(value.split())] = None
    return list(texts)


def whole_number_of(value: object, name: str) -> int:
    """Return a whole number; true, "3" and 3.0 are none.

    Raises:
        UnreadableReplyError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise UnreadableReplyError(f"{name!r} must be a whole number, not {_shown(value)}")
    return value


def unreadable(step: str, completion: Completion, error: UnreadableReplyError) -> Failure:
    """Return the failure of a step whose reply cannot be read.

    Args:
        step: What the model was asked for, such as `rewriting the question`.
        completion: What it replied.
        error: Why that cannot be read.
    """
    cut = "; it was cut off at `max_tokens`" if completion.finish_reason == "length" else ""
    said = f"{step}: the model's reply cannot be read: {error}{cut}; it replied {completion.text[:SHOWN]!r}"
    return Failure(FailureKind.PARSE, one_line(said))


def unanswered(step: str, failure: Failure) -> Failure:
    """Return the failure of a step that a model did not reply to: the case is not to blame, whatever the endpoint says.

    Args:
        step: What the model was asked for.
        failure: Why it did not reply.
    """
    return Failure(FailureKind.MODEL, one_line(f"{step}: {failure.reason}"))


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("it has a key twice")
    return found


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON value")


def _shown(value: object) -> str:
    return one_line(json.dumps(value, ensure_ascii=False))[:SHOWN]


def _kind(value: object) -> str:
    return "a list" if isinstance(value, list) else f"the value {_shown(value)}"

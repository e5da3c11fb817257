"""What can be known of a model before it is asked anything."""

from __future__ import annotations

import difflib

from bakeoff.models.model_settings import ModelSettings
from bakeoff.models.refusals import RefusedRequestError, UnknownModelError, UnsupportedError
from bakeoff.models.replies import Models, read
from bakeoff.models.transport import Transport

MOST_NAMED = 20
"""Models that a message names."""


async def check_model(settings: ModelSettings, transport: Transport) -> None:
    """Prove, as far as the endpoint tells, that it can be reached, takes the key, and has the model.

    An endpoint that does not list its models, or serves one whatever it is called, proves nothing and passes.

    Raises:
        UnavailableError: it does not answer.
        RefusedKeyError: it does not accept the key.
        UnknownModelError: it lists several models, and this is none of them; the message has them.
    """
    try:
        listed = read(await transport.fetch("/models"), Models)
    except (UnknownModelError, UnsupportedError, RefusedRequestError):
        return
    names = sorted(model.id for model in listed.data)
    if len(names) < 2 or settings.model in names:
        return
    near = difflib.get_close_matches(settings.model, names, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    shown = ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
    raise UnknownModelError(f"{settings.base_url} has no model {settings.model!r}; {hint}it has: {shown}")

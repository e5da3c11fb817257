"""What is submitted, as a request: from an evaluation file, from a mapping of its shape, or as it is."""

from __future__ import annotations

import math
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bakeoff.cli.evaluation_file import check_evaluation, read_evaluation_file
from bakeoff.cli.idempotency import with_key
from bakeoff.cli.yaml_values import Value
from bakeoff.client.evaluation_calls import Evaluation
from bakeoff.control.checking import Checked
from bakeoff.domain.component import ComponentCard
from bakeoff.domain.errors import NotFoundError, UnavailableError, Violation
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.runtime.settings import Settings

NAME = "the evaluation"
"""What a mapping is called in messages."""


def read_request(
    evaluation: Evaluation,
    cards: Sequence[ComponentCard],
    settings: Settings,
    *,
    idempotency_key: str = "",
    tenant: str = "",
    fresh: bool = False,
) -> EvaluationRequest:
    """Return the request, with a key that makes the same question about the same data one evaluation.

    Args:
        evaluation: A request, which keeps its own key or none; or a file or mapping, whose key is that of the command
            `bakeoff submit`: it covers versions of components and the state of files that are here.
        cards: Components of the platform; they tell settings that are paths, and fill in defaults.
        settings: Name the modules with further adapters that are here.
        idempotency_key: Instead; empty leaves it.
        tenant: Instead of its own; empty leaves it.
        fresh: Whether to make the key one that nobody has.

    Raises:
        NotFoundError: there is no such file.
        InvalidInputError: it has faults; all at once, with file, line and field.
        UnavailableError: a service that could tell has not announced its components.
    """
    if isinstance(evaluation, EvaluationRequest):
        request = replace(evaluation, idempotency_key=idempotency_key or evaluation.idempotency_key)
        unique = f"{request.idempotency_key}-{secrets.token_hex(8)}".lstrip("-")
        keyed = replace(request, idempotency_key=unique) if fresh else request
    else:
        keyed = _keyed(_read(evaluation, cards), cards, settings, idempotency_key, fresh)
    # Last, so that the key of a file is the same whether the tenant is told here or by the token.
    return replace(keyed, tenant=tenant) if tenant else keyed


def _keyed(
    checked: Checked, cards: Sequence[ComponentCard], settings: Settings, idempotency_key: str, fresh: bool
) -> EvaluationRequest:
    if checked.missing:
        kinds = ", ".join(kind.value for kind in checked.missing)
        raise UnavailableError(f"no service of the platform has announced its components of the kind {kinds}")
    request = replace(checked.request, idempotency_key=idempotency_key or checked.request.idempotency_key)
    try:
        return with_key(request, cards, settings, fresh=fresh)
    except NotFoundError:
        # An adapter that only the platform has: its sources cannot be looked at from here, and the platform makes the
        # key of the request alone.
        return replace(request, idempotency_key=secrets.token_hex(16)) if fresh else request


def _read(evaluation: Mapping[str, object] | str | os.PathLike[str], cards: Sequence[ComponentCard]) -> Checked:
    if isinstance(evaluation, Mapping):
        faults: list[Violation] = []
        return check_evaluation(value_of(evaluation, faults), faults, NAME, cards)
    return read_evaluation_file(Path(evaluation), cards)


def value_of(data: object, faults: list[Violation], field: str = "") -> Value:
    """Return Python data as a value of an evaluation file; relative paths in it start at the working folder.

    Args:
        data: Mappings with text keys, lists or tuples, text, paths, numbers, booleans and None.
        faults: Takes what is none of these; something harmless of no kind stands in for it.
        field: Where it stands in the whole.
    """
    if isinstance(data, Mapping):
        items = {}
        for key, item in data.items():
            path = f"{field}.{key}" if field else str(key)
            if isinstance(key, str):
                items[key] = value_of(item, faults, path)
            else:
                faults.append(Violation(path, f"is a key that is no text but {key!r}; keys must be text"))
        return Value(items, field, "", 0)
    if isinstance(data, list | tuple):
        return Value([value_of(item, faults, f"{field}[{i}]") for i, item in enumerate(data)], field, "", 0)
    if isinstance(data, os.PathLike):
        data = os.fspath(data)
    if isinstance(data, float) and not math.isfinite(data):
        faults.append(Violation(field, f"must be a finite number, not {data}"))
        return Value(0, field, "", 0)
    if data is None or isinstance(data, bool | int | float | str):
        return Value(data, field, "", 0)
    kind = type(data).__name__
    faults.append(
        Violation(field, f"is a {kind}; allowed are mappings, lists, text, paths, numbers, booleans and None")
    )
    return Value(None, field, "", 0)

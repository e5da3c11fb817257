"""Reading a report back."""

from __future__ import annotations

import json

import msgspec

from bakeoff.contract.stored import decode, encode
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.report import SCHEMA_VERSION, EvaluationReport


def dump_report(report: EvaluationReport) -> bytes:
    """Return a report as indented JSON, its fields in their order; `load_report` reads it back."""
    return msgspec.json.format(encode(report), indent=2) + b"\n"


def load_report(data: bytes) -> EvaluationReport:
    """Read a report.

    Args:
        data: What `dump_report` gave, or any JSON of the same fields.

    Raises:
        InvalidInputError: it is no report, or one of another schema version; says which.
    """
    try:
        document = json.loads(data)
    except ValueError as error:
        raise InvalidInputError(f"not a report: {error}") from error
    version = document.get("schema_version") if isinstance(document, dict) else None
    if version != SCHEMA_VERSION:
        raise InvalidInputError(f"not a report of schema version {SCHEMA_VERSION!r}: schema_version is {version!r}")
    return decode(data, EvaluationReport)

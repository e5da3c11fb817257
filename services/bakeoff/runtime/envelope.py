"""Headers of a message: CloudEvents 1.0 attributes in binary mode, and the trace context."""

from __future__ import annotations

import re

from bakeoff.contract.codec import now
from bakeoff.domain.identity import sha256_hex

TRACEPARENT = "traceparent"
_CONTEXT = re.compile(r"00-((?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})")


def evaluation_trace(evaluation_id: str, attempt: int = 1, caused_by: str = "") -> str:
    """Return the trace context of an evaluation, which all its items name as their parent.

    One trace an evaluation: its ids are derived, so that every service tells the same without asking.

    Args:
        evaluation_id: Which.
        attempt: How often it was started; each time is a span of its own.
        caused_by: Trace context of who asked for it: then it is part of that trace. Empty when there is none.
    """
    told = _CONTEXT.fullmatch(caused_by)
    digest = sha256_hex(evaluation_id.encode())
    span = sha256_hex(f"{evaluation_id}/{attempt}".encode())[:16]
    return f"00-{told[1] if told else digest[:32]}-{span}-{told[2] if told else '01'}"


def headers(kind: str, source: str, evaluation_id: str, item: str, trace: str = "") -> dict[str, str]:
    """Return the headers of a message.

    Args:
        kind: What it is, such as `bakeoff.v1.Task`.
        source: Which service sends it.
        evaluation_id: Whose it is.
        item: What of the evaluation it is about, such as `infer/b0-…`; with the kind it names the message.
        trace: Trace context of what causes it; empty means the evaluation's own.

    Source: CloudEvents 1.0.2, NATS protocol binding, binary content mode; W3C Trace Context, level 1.
    """
    return {
        "ce-specversion": "1.0",
        "ce-id": f"{evaluation_id}/{item}",
        "ce-source": f"bakeoff/{source}",
        "ce-type": kind,
        "ce-time": now(),
        "ce-subject": item,
        "ce-datacontenttype": "application/protobuf",
        TRACEPARENT: trace or evaluation_trace(evaluation_id),
    }

"""Headers of a message: CloudEvents 1.0 attributes in binary mode, and the trace context."""

from __future__ import annotations

from bakeoff.contract.codec import now
from bakeoff.domain.identity import sha256_hex

TRACEPARENT = "traceparent"


def headers(kind: str, source: str, evaluation_id: str, item: str) -> dict[str, str]:
    """Return the headers of a message.

    Args:
        kind: What it is, such as `bakeoff.v1.Task`.
        source: Which service sends it.
        evaluation_id: Whose it is.
        item: What of the evaluation it is about, such as `infer/b0-…`; with the kind it names the message.

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
        # One trace an evaluation: its id is derived, so that every service tells the same without asking.
        TRACEPARENT: f"00-{sha256_hex(evaluation_id.encode())[:32]}-{sha256_hex(item.encode())[:16]}-01",
    }

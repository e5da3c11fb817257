from __future__ import annotations

import pytest

from bakeoff.contract.subjects import DEAD, STREAMS, TASKS
from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.bus_rules import matches, overlap, stream_for

SUBJECTS = [(stream.name, stream.subjects) for stream in STREAMS]


@pytest.mark.parametrize(
    ("filter", "subject", "expected"),
    [
        ("a.b", "a.b", True),
        ("a.b", "a.b.c", False),
        ("a.b.c", "a.b", False),
        ("a.*", "a.b", True),
        ("a.*", "a", False),
        ("a.*", "a.b.c", False),
        ("*.b", "a.b", True),
        ("a.>", "a.b.c", True),
        ("a.>", "a", False),
        (">", "a", True),
        ("a.*.c", "a.b.d", False),
    ],
)
def test_a_filter_matches_as_nats_says(filter: str, subject: str, expected: bool) -> None:
    assert matches(filter, subject) is expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("a.b", "a.b", True),
        ("a.b", "a.c", False),
        ("a.*", "*.b", True),
        ("a.*.x", "a.b.*", True),
        ("a.*.x", "a.b.y", False),
        ("a.*", "a.b.c", False),
        ("a.>", "a.b.c", True),
        ("a.>", "b.>", False),
        ("a.>", "a", False),
        (">", "a.b", True),
    ],
)
def test_filters_overlap_when_a_subject_lies_under_both(left: str, right: str, expected: bool) -> None:
    assert overlap(left, right) is expected
    assert overlap(right, left) is expected


def test_a_subject_leads_to_its_stream() -> None:
    assert stream_for("bakeoff.v1.task.score.ev.i1", SUBJECTS) == TASKS
    assert stream_for("bakeoff.v1.task.*.ev.*", SUBJECTS) == TASKS
    assert stream_for("$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.TASKS.stage-score", SUBJECTS) == DEAD
    assert stream_for("other", SUBJECTS) is None
    with pytest.raises(InvalidInputError, match=r"DONE, .*TASKS"):
        stream_for("bakeoff.v1.>", SUBJECTS)

"""The map of the bus holds together."""

from __future__ import annotations

from bakeoff.contract import subjects
from bakeoff.domain.evaluation import Stage


def test_every_subject_belongs_to_its_stream_and_reads_back() -> None:
    task = subjects.task(Stage.INFER, "ev-1", "b0-c1")
    done = subjects.done("ev-1", Stage.INFER, "b0-c1")
    assert subjects.stream_of(task) == subjects.TASKS
    assert subjects.stream_of(done) == subjects.DONE
    assert subjects.stream_of(subjects.event("ev-1", "completed")) == subjects.EVENTS
    assert subjects.stream_of(subjects.request("default")) == subjects.REQUESTS
    assert subjects.stream_of(subjects.dead("ev-1", Stage.INFER, "x")) == subjects.DEAD
    assert subjects.stream_of(subjects.download("ev-1", "b0")) == subjects.DOWNLOADS
    assert subjects.item_of(task) == subjects.item_of(done) == ("ev-1", "infer", "b0-c1")


def test_ids_of_any_text_cannot_widen_a_subject() -> None:
    for nasty in ("a.b", "a b", "*", ">", "A", "é"):
        assert len(subjects.task(Stage.SCORE, nasty, nasty).split(".")) == 6
        assert not set("*> ") & set(subjects.event(nasty, "x"))


def test_consumers_of_a_stream_never_overlap() -> None:
    # A work queue refuses a second consumer on the same subjects.
    filters = [consumer.filter for consumer in subjects.consumers(30.0) if consumer.stream == subjects.TASKS]
    assert len(filters) == len(set(filters)) == len(Stage)

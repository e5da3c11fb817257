"""Workers of the previous version and of this one understand each other, and lose nothing that they do not know."""

from __future__ import annotations

import importlib
import json
import pkgutil

import pytest
from google.protobuf import symbol_database
from google.protobuf.message import Message

from bakeoff import v1
from bakeoff.contract import subjects
from bakeoff.contract.codec import evaluation_status_from_wire
from bakeoff.contract.stored import decode
from bakeoff.contract.subjects import COMPONENTS_BUCKET, STATES_BUCKET
from bakeoff.contract.work_codec import done_fact_from_bytes, done_fact_to_bytes, task_from_bytes, task_to_bytes
from bakeoff.control.catalogue import read_cards
from bakeoff.domain.evaluation import EvaluationRecord, EvaluationState, Stage
from bakeoff.v1 import evaluation_pb2
from tests.contract import previous

KINDS = sorted(previous.wire())
TASKS = previous.sent("bakeoff.v1.task.")
FACTS = previous.sent("bakeoff.v1.done.")


def today(name: str) -> type[Message]:
    """Return today's message of a name."""
    for module in pkgutil.iter_modules(v1.__path__):
        importlib.import_module(f"{v1.__name__}.{module.name}")
    return symbol_database.Default().GetSymbol(previous.PACKAGE + name)


@pytest.mark.parametrize("name", KINDS)
def test_what_is_sent_today_passes_through_the_previous_version_unharmed(name: str) -> None:
    for message in previous.filled(today(name)):
        there = previous.wire()[name].FromString(message.SerializeToString())
        back = today(name).FromString(there.SerializeToString())
        assert back == message


@pytest.mark.parametrize("name", KINDS)
def test_what_the_previous_version_sends_is_known_today_to_the_last_field(name: str) -> None:
    for message in previous.filled(previous.wire()[name]):
        here = today(name).FromString(message.SerializeToString(deterministic=True))
        known = {field.number for field, _ in here.ListFields()}
        assert known == {field.number for field, _ in message.ListFields()}
        here.DiscardUnknownFields()
        assert previous.wire()[name].FromString(here.SerializeToString()) == message


@pytest.mark.parametrize("sent", TASKS, ids=lambda sent: sent.subject.split(".")[3])
def test_a_task_of_today_says_to_the_previous_version_what_its_own_said(sent: previous.Sent) -> None:
    kind = previous.wire()["Task"]
    again = kind.FromString(task_to_bytes(task_from_bytes(sent.data)))
    assert again == kind.FromString(sent.data)


@pytest.mark.parametrize("sent", FACTS, ids=lambda sent: sent.subject.split(".")[4])
def test_a_fact_of_the_previous_version_is_taken_and_stays_what_it_is(sent: previous.Sent) -> None:
    fact = done_fact_from_bytes(sent.data)
    assert sent.subject == subjects.done(fact.evaluation_id, fact.stage, fact.item)
    assert fact.result is not None
    kind = previous.wire()["DoneFact"]
    assert kind.FromString(done_fact_to_bytes(fact)) == kind.FromString(sent.data)


def test_every_stage_is_among_what_the_previous_version_has_sent() -> None:
    assert {done_fact_from_bytes(sent.data).stage for sent in FACTS} == set(Stage)


def test_events_of_the_previous_version_can_be_followed() -> None:
    events = [
        evaluation_pb2.EvaluationEvent.FromString(sent.data)
        for sent in previous.sent(subjects.events_of(previous.EVALUATION)[:-1])
    ]
    ended = next(event for event in events if event.kind == "completed")
    assert evaluation_status_from_wire(ended.evaluation).state is EvaluationState.COMPLETED


def test_a_state_document_of_the_previous_version_is_read() -> None:
    [sent] = previous.sent(f"$KV.{STATES_BUCKET}.")
    record = decode(sent.data, EvaluationRecord)
    assert (record.evaluation_id, record.state) == (previous.EVALUATION, EvaluationState.COMPLETED)
    assert (record.attempt, record.trace) == (1, "")


def test_the_components_that_a_service_of_the_previous_version_announces_are_read() -> None:
    announced = previous.sent(f"$KV.{COMPONENTS_BUCKET}.")
    cards = {card.name for sent in announced for card in read_cards(sent.data)}
    assert {"folder", "bm25", "hybrid_search", "extractive", "ndcg"} <= cards


def test_a_component_of_a_kind_that_a_later_version_brings_is_left_out_and_no_other() -> None:
    [sent] = previous.sent(f"$KV.{COMPONENTS_BUCKET}.knowledge")
    cards = json.loads(sent.data)
    later = json.dumps([{**cards[0], "kind": "oracle"}, *cards]).encode()
    assert read_cards(later) == read_cards(sent.data)
    assert len(read_cards(sent.data)) == len(cards)

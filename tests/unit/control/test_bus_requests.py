"""A request on the bus is protobuf or its JSON, and what is neither is told apart from both."""

from __future__ import annotations

import json

import pytest
from google.protobuf import json_format

from bakeoff.contract import subjects
from bakeoff.contract.codec import request_to_wire
from bakeoff.control.loops import read_request
from bakeoff.domain.errors import InvalidInputError
from tests.builders import a_request

SUBJECT = subjects.request("default")


@pytest.mark.parametrize("proto_names", [False, True])
def test_json_is_the_request_that_protobuf_is(proto_names: bool) -> None:
    message = request_to_wire(a_request(name="One", key="k"))
    text = json_format.MessageToJson(message, preserving_proto_field_name=proto_names)

    assert read_request(SUBJECT, text.encode()) == read_request(SUBJECT, message.SerializeToString())


def test_a_name_of_such_a_length_that_its_first_bytes_look_like_json_is_protobuf() -> None:
    message = request_to_wire(a_request(name="{" * ord("{")))

    assert message.SerializeToString().startswith(b"\n{{")
    assert read_request(SUBJECT, message.SerializeToString()).name == "{" * 123


@pytest.mark.parametrize(
    "data",
    [b"{", b"{}}", b'{"nam": "x"}', b'{"name": 1}', b"{\xff}", b'{"name": ' + b"[" * 200_000, b"{" * 200_000],
    ids=["cut off", "more behind it", "unknown field", "wrong type", "no text", "deep", "deeper"],
)
def test_what_begins_like_json_and_is_no_request_is_refused_with_its_fault(data: bytes) -> None:
    with pytest.raises(InvalidInputError, match=f"{len(data)} bytes are no EvaluationRequest: .+"):
        read_request(SUBJECT, data)


def test_the_tenant_of_json_is_that_of_the_subject_too() -> None:
    data = json.dumps({"name": "x", "tenant": "other"}).encode()

    assert read_request(subjects.request("mine"), data).tenant == "mine"

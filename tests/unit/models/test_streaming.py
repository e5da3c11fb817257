from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.models.refusals import EndpointTroubleError
from bakeoff.models.streaming import LARGEST_EVENT, Events, StreamedAnswer

WORDS = ["Grüße, ", "", "世界", " 🎈\n", "end"]


def stream(line_end: str = "\n") -> bytes:
    events = [{"choices": [{"index": 0, "delta": {"content": word}}]} for word in WORDS]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    lines = [f"data: {json.dumps(event, ensure_ascii=False)}{line_end}{line_end}" for event in events]
    return "".join([f": a comment{line_end}", *lines, f"data: [DONE]{line_end}{line_end}"]).encode()


def read(chunks: list[bytes]) -> StreamedAnswer:
    events, streamed = Events(), StreamedAnswer()
    for number, chunk in enumerate(chunks):
        for data in events.feed(chunk):
            streamed.take(data, float(number))
    for data in events.end():
        streamed.take(data, float(len(chunks)))
    return streamed


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@given(cuts=st.lists(st.integers(0, len(stream("\r\n"))), max_size=30))
def test_an_answer_is_the_same_however_the_network_cuts_it(line_end: str, cuts: list[int]) -> None:
    whole = stream(line_end)
    places = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]

    streamed = read([whole[start:stop] for start, stop in pairwise(places)])

    assert streamed.done
    assert streamed.answer().text == "".join(WORDS)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_stream_cut_byte_by_byte_is_the_same(line_end: str) -> None:
    assert read([bytes([byte]) for byte in stream(line_end)]).answer().text == "".join(WORDS)


@pytest.mark.parametrize("length", range(len(stream()) - len(b"data: [DONE]\n\n") - 40))
def test_a_stream_that_ends_early_is_never_an_answer(length: int) -> None:
    with pytest.raises(EndpointTroubleError):
        read([stream()[:length]]).answer()


def test_data_of_several_lines_is_one_event() -> None:
    assert list(Events().feed(b"data: a\ndata:b\nid: 7\nevent: x\n\n")) == [b"a\nb"]


def test_a_last_event_without_an_empty_line_counts() -> None:
    assert read([stream().removesuffix(b"\n\n")]).done


def test_an_event_without_an_end_is_given_up() -> None:
    events = Events()
    list(events.feed(b"x" * LARGEST_EVENT))

    with pytest.raises(EndpointTroubleError, match="more than"):
        list(events.feed(b"x"))


def test_times_are_those_of_the_first_and_last_words() -> None:
    chunks = [f'data: {{"choices": [{{"delta": {{"content": "{word}"}}}}]}}\n\n'.encode() for word in ("", "a", "b")]
    end = b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n'

    answer = read([*chunks, end]).answer()

    assert (answer.first_s, answer.last_s, answer.pieces) == (1.0, 2.0, 2)


def test_other_answers_of_the_same_request_are_left_out() -> None:
    other = b'data: {"choices": [{"index": 1, "delta": {"content": "no"}, "finish_reason": "length"}]}\n\n'

    answer = read([other, stream()]).answer()

    assert (answer.text, answer.finish_reason) == ("".join(WORDS), "stop")


def test_what_a_model_refuses_to_say_is_its_answer() -> None:
    events = b'data: {"choices": [{"delta": {"refusal": "I cannot."}, "finish_reason": "stop"}]}\n\n'

    assert read([events]).answer().text == "I cannot."

"""Cases that are left out by choice are answered without asking anybody."""

from __future__ import annotations

from bakeoff.domain.answer import CaseAnswer
from bakeoff.domain.benchmark import Case
from bakeoff.domain.challenge import ChallengeFacts
from bakeoff.inference.handlers import _with_left_out


def a_challenge(name: str, left_out: str = "") -> Case:
    facts = ChallengeFacts(name, difficulty="basic", left_out=left_out)
    return Case(name, "Do it.", metadata={"challenge": facts.as_metadata()})


def test_answers_stand_at_the_places_of_their_cases_and_those_left_out_say_why() -> None:
    cases = [a_challenge("a", "`skip` names it"), a_challenge("b"), Case("c", "Why?"), a_challenge("d", "too hard")]
    found = _with_left_out(cases, [CaseAnswer("b", text="B"), CaseAnswer("c", text="C")])
    assert [(answer.case_id, answer.text, answer.failure) for answer in found] == [
        ("a", None, None),
        ("b", "B", None),
        ("c", "C", None),
        ("d", None, None),
    ]
    assert [answer.metadata for answer in found] == [{"left_out": "`skip` names it"}, {}, {}, {"left_out": "too hard"}]

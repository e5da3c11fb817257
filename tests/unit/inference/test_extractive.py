from __future__ import annotations

import math
import subprocess
import sys

import pytest

from bakeoff.domain.answer import Passage, Span
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.inference.generator import Generated, Generator
from bakeoff.inference.registries import generators
from tests.builders import a_passage


def extractive(**settings: object) -> Generator:
    return generators.load().make(ComponentSpec("extractive", settings))


def ask(question: str, *texts: str, **settings: object) -> Generated:
    passages = [a_passage(f"d{rank}", rank=rank, text=text) for rank, text in enumerate(texts, start=1)]
    return extractive(**settings).generate(question, passages, seed=0, case_id="c")


def test_the_answer_is_the_sentence_with_most_of_the_question() -> None:
    answer = ask(
        "Who built the crane Agnes?",
        "The quay is old. It was widened in 1920. Gulls like it.",
        "Cranes stand on it. The crane Agnes was built by Harbottle and Sons. It lifts ten tonnes.",
    )

    assert answer.text == "The crane Agnes was built by Harbottle and Sons."


def test_the_source_names_the_characters_of_the_document() -> None:
    text = "Nothing here. The light flashes twice."
    passage = Passage(3, 0.5, "lights/hob", "lights/hob#4", "raw", "0" * 64, Span(100, 100 + len(text)), text=text)

    answer = extractive().generate("How does the light flash?", [passage], seed=0, case_id="c")

    start = 100 + text.index("The light")
    assert answer.text == "The light flashes twice."
    assert answer.metadata == {
        "source": {
            "rank": 3,
            "document_id": "lights/hob",
            "chunk_id": "lights/hob#4",
            "chars": [start, 100 + len(text)],
            "score": 1.0,  # both terms of the question, light and flash
        }
    }


def test_the_score_is_the_weighted_share_of_the_question() -> None:
    answer = ask("red boat", "A red house. A red door. A blue boat!", language="none")

    # Of three sentences two have `red`, one has `boat`; `a`, `house`, … are not asked for.
    red, boat = math.log(1 + 1.5 / 2.5), math.log(1 + 2.5 / 1.5)
    assert answer.text == "A blue boat!"
    assert answer.metadata["source"]["score"] == pytest.approx(boat / (red + boat), abs=1e-6)  # type: ignore[index]


def test_equal_sentences_go_to_the_better_passage_then_to_the_earlier() -> None:
    answer = ask("boat", "Other. First boat here. Second boat here.", "Third boat here.")

    assert answer.text == "First boat here."


def test_a_heading_that_repeats_the_question_is_passed_over() -> None:
    answer = ask("What is the tide gauge?", "# Tide gauge\n\nThe gauge measures water.")

    assert answer.text == "The gauge measures water."


def test_a_heading_is_better_than_nothing() -> None:
    assert ask("tide gauge", "Tide gauge").text == "Tide gauge"


def test_without_a_match_the_first_sentence_is_the_answer() -> None:
    answer = ask("zebra", "First one. Second one.", "Third one.")

    assert answer.text == "First one."
    assert answer.metadata["source"]["score"] == 0.0  # type: ignore[index]


@pytest.mark.parametrize("texts", [(), ("",), (" \n ",)])
def test_with_nothing_to_answer_from_the_answer_is_empty_and_says_why(texts: tuple[str, ...]) -> None:
    assert ask("boat", *texts) == Generated("", {"reason": "no passage with a text was retrieved"})


def test_a_passage_without_its_text_is_passed_over() -> None:
    passages = [a_passage("d1", rank=1, text=None), a_passage("d2", rank=2, text="A boat.")]

    assert extractive().generate("boat", passages, seed=0, case_id="c").text == "A boat."


@pytest.mark.parametrize("question", ["", "?!", "the of and"])
def test_a_question_without_terms_is_answered_with_the_first_sentence(question: str) -> None:
    assert ask(question, "One. Two.").text == "One."


def test_words_match_over_case_forms_and_endings() -> None:
    assert ask("WIDENED quays", "Other things. They are widening the ﬁrst quay.").text.startswith("They")


def test_without_a_language_words_match_as_they_are() -> None:
    assert ask("boats", "A boat came. Two boats left.", language="none").text == "Two boats left."


def test_a_long_sentence_is_cut_at_a_word() -> None:
    answer = ask("boat", "boat " + "word " * 100, max_chars=23)

    assert answer.text == "boat word word word"
    assert len("boat word word word word") == 24


def test_one_endless_word_is_cut_at_the_limit() -> None:
    assert ask("boat", "x" * 100, max_chars=20).text == "x" * 20


def test_line_breaks_within_a_sentence_become_spaces() -> None:
    assert ask("boat", "The boat\n   came in.").text == "The boat came in."


def test_seed_and_case_id_change_nothing() -> None:
    passages = [a_passage(text="A boat. A red boat.")]
    first, second = (
        extractive().generate("red boat", passages, seed=seed, case_id=case) for seed, case in ((0, "a"), (1, "b"))
    )

    assert first == second


def test_two_processes_give_the_same_bytes() -> None:
    script = (
        "from tests.unit.inference.test_extractive import ask\n"
        "print(ask('red green blue boat quay light', 'A red boat. Green quay, blue.', 'Light of the quay. Red light!'))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True, text=True
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(outputs) == 1


@pytest.mark.parametrize("settings", [{"language": "klingon"}, {"max_chars": 0}, {"sentences": 2}])
def test_a_setting_out_of_range_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(settings))):
        extractive(**settings)

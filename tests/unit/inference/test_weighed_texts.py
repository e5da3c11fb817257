"""What is weighed for a case: which texts, behind which prompts."""

from __future__ import annotations

import pytest

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.recipe import AnswerPart, Continuation, LikelihoodPart
from bakeoff.inference.examples.pools import ExamplePools
from bakeoff.inference.prompted import Prompting
from bakeoff.inference.registries import example_retrievers
from bakeoff.inference.weighed_texts import WeighedTexts, joined, parted, weighed_texts
from bakeoff.models.likelihood import Weighing
from tests.builders import a_passage

CHOICES = Case("c1", "Which is red?", Expected(value=1), metadata={"choices": ["grass", "blood"]})
LABELS = "prompt_template:\n  A: '{question} The first, {A}, it is.'\n  B: '{question} The second, {B}, it is.'"


def told(
    case: Case,
    part: LikelihoodPart | None = None,
    *,
    template: str = "",
    examples: str = "",
    pool: tuple[Case, ...] = (),
) -> WeighedTexts:
    example_retrievers.load()
    shots = ComponentSpec.parse(examples) if examples else None
    answer = AnswerPart(ComponentSpec("openai"), template=template, examples=shots)
    return weighed_texts(Prompting.of(answer, ExamplePools(pool)), part or LikelihoodPart(), case, ())


def prompts(found: WeighedTexts) -> list[tuple[str, str, str]]:
    return [(each.name, each.weighing.context, each.weighing.continuation) for each in found.texts]


def test_each_choice_stands_behind_the_prompt() -> None:
    assert prompts(told(CHOICES, template="Q: {question}\nA:")) == [
        ("choices", "Q: Which is red?\nA:", " grass"),
        ("choices", "Q: Which is red?\nA:", " blood"),
    ]


def test_letters_stand_for_choices_behind_a_prompt_that_lists_them() -> None:
    (name, context, continuation), second = prompts(told(CHOICES, LikelihoodPart(Continuation.LETTER)))
    assert (name, continuation, second[2]) == ("choices", " A", " B")
    assert "B. blood" in context
    assert context.endswith("Answer:")


def test_without_a_template_texts_stand_behind_the_question_alone() -> None:
    assert prompts(told(CHOICES))[0][1] == "Question:\nWhich is red?\n\nAnswer:"


def test_passages_are_shown() -> None:
    prompting = Prompting.of(AnswerPart(ComponentSpec("openai")), ExamplePools())
    found = weighed_texts(prompting, LikelihoodPart(), CHOICES, [a_passage("d1", text="Blood is red.")])
    assert "Blood is red." in found.texts[0].weighing.context


def test_choices_are_weighed_without_the_question_too_when_that_is_asked_for() -> None:
    found = told(CHOICES, LikelihoodPart(unconditional="Answer:"))
    assert prompts(found)[2:] == [("unconditional", "Answer:", " grass"), ("unconditional", "Answer:", " blood")]


def test_examples_come_first_with_their_answers() -> None:
    shown = Case("t1", "Which is green?", Expected(value=0), metadata={"choices": ["grass", "blood"]})
    found = told(CHOICES, examples="fixed(ids=[0])", pool=(shown,))
    assert "Which is green?\n\nAnswer: grass" in found.texts[0].weighing.context
    assert found.facts["examples"] == ["t1"]


def test_a_template_for_each_label_is_weighed_from_the_word_in_which_they_differ() -> None:
    found = told(CHOICES, template=LABELS)
    assert prompts(found) == [
        ("choices", "Which is red? The", " first, grass, it is."),
        ("choices", "Which is red? The", " second, blood, it is."),
    ]
    assert [each.text for each in found.texts] == ["first, grass, it is.", "second, blood, it is."]


def test_labels_may_be_letters_texts_or_numbers_in_any_order() -> None:
    orders = ["B: 'x {B}'\n  A: 'x {A}'", "blood: 'x {B}'\n  grass: 'x {A}'", "1: 'x {B}'\n  0: 'x {A}'"]
    for order in orders:
        found = told(CHOICES, template=f"prompt_template:\n  {order}")
        assert [each.weighing.continuation for each in found.texts] == [" grass", " blood"], order


def test_a_template_that_shows_the_answer_shows_each_choice() -> None:
    found = told(CHOICES, template="{question} Surely {answer_text} is.")
    assert [each.weighing.continuation for each in found.texts] == [" grass is.", " blood is."]


def test_labels_that_are_no_choices_are_told() -> None:
    with pytest.raises(InvalidInputError, match=r"no label for 'grass' \(A, 0\); it has yes, no"):
        told(CHOICES, template="prompt_template:\n  'yes': 'x {question} 1'\n  'no': 'x {question} 2'")


def test_a_template_that_is_the_same_for_all_labels_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="same prompt for different labels"):
        told(CHOICES, template="prompt_template:\n  A: '{question}'\n  B: '{question}'")


def test_a_pair_a_gold_answer_and_a_text_alone() -> None:
    pair = Case("c1", "Well?", Expected(metadata={"better": "yes", "rejected": "no"}))
    assert [each[::2] for each in prompts(told(pair))] == [("better", " yes"), ("rejected", " no")]
    gold = Case("c1", "Well?", Expected(("fine", "good")))
    assert [each[::2] for each in prompts(told(gold))] == [("answer", " fine")]
    text = Case("c1", "It rains.", metadata={"eval_type": "key1_text_score"})
    assert prompts(told(text)) == [("text", "", "It rains.")]


def test_a_case_in_which_there_is_nothing_to_weigh_is_told() -> None:
    with pytest.raises(InvalidInputError, match="'c1': nothing can be weighed: it has no choices"):
        told(Case("c1", "Well?"))


@pytest.mark.parametrize(
    ("context", "text", "expected"),
    [
        ("Answer:", "yes", Weighing("Answer:", " yes")),
        ("Answer: ", "yes", Weighing("Answer:", " yes")),
        ("Answer:\n", "yes", Weighing("Answer:", "\nyes")),
        ("Answer:", " yes", Weighing("Answer:", " yes")),
        ("", "yes", Weighing("", "yes")),
    ],
)
def test_the_space_between_belongs_to_the_text(context: str, text: str, expected: Weighing) -> None:
    assert joined(context, text) == expected


def test_a_word_is_never_cut_where_prompts_differ() -> None:
    assert parted(["It is yellow", "It is yes"]) == [Weighing("It is", " yellow"), Weighing("It is", " yes")]
    assert parted(["good film", "bad film"]) == [Weighing("", "good film"), Weighing("", "bad film")]
    assert parted(["a yes", "a yes indeed"]) == [Weighing("a", " yes"), Weighing("a", " yes indeed")]


def test_what_is_weighed_has_one_digest_whoever_asks() -> None:
    first, second = told(CHOICES), told(CHOICES)
    assert first.facts == second.facts
    assert first.facts["prompt"] != told(CHOICES, LikelihoodPart(Continuation.LETTER)).facts["prompt"]

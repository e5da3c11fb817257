from __future__ import annotations

import pytest
import yaml

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prompt import Message, Role
from bakeoff.inference.prompting.reading import template_of
from bakeoff.inference.prompting.rendering import render, render_labels
from bakeoff.inference.prompting.template import PromptTemplate

USER, BOT, SYSTEM = Role.USER, Role.ASSISTANT, Role.SYSTEM


def solved(name: str) -> Case:
    """Return a case that asks its name in lower case and is answered by it in upper case."""
    return Case(name, name, Expected((name.upper(),)))


T0, T1, X0 = solved("t0"), solved("t1"), Case("x0", "x0", Expected(("SECRET",)), metadata={"reason": "SECRET"})
SHOTS = [T1, T0]


def template(text: str) -> PromptTemplate:
    return template_of(yaml.safe_load(text), "mine")


ONE_TEXT = 'ice_token: </E>\nice_template: "Inst\\n</E>Q: {question}\\nA: {answer}"\n'


def test_a_shot_repeats_the_instruction_when_the_template_says_so_as_a_prior_system_does() -> None:
    repeating = template(ONE_TEXT + "repeat_instruction: true")

    # The prior system's reference, with its answers written in capitals.
    assert render(repeating, X0, examples=SHOTS).text == "Inst\nInst\nQ: t1\nA: T1\nInst\nQ: t0\nA: T0\nQ: x0\nA: "


def test_a_shot_does_not_repeat_the_instruction_otherwise() -> None:
    assert render(template(ONE_TEXT), X0, examples=SHOTS).text == "Inst\nQ: t1\nA: T1\nQ: t0\nA: T0\nQ: x0\nA: "


@pytest.mark.parametrize("text", [ONE_TEXT, 'ice_template: "Inst\\nQ: {question}\\nA: {answer}"'])
def test_zero_shot_works_with_only_an_ice_template_with_or_without_a_token(text: str) -> None:
    assert render(template(text), X0).text == "Inst\nQ: x0\nA: "


def test_with_both_templates_the_prompt_template_asks_and_the_ice_template_shows() -> None:
    both = template("""
        ice_token: </E>
        ice_template: "{question} -> {answer}"
        prompt_template: "Examples:\\n</E>Now: {question} ->"
        separator: ";\\n"
    """)

    assert render(both, X0, examples=SHOTS).text == "Examples:\nt1 -> T1;\nt0 -> T0;\nNow: x0 ->"
    assert render(both, X0).text == "Examples:\nNow: x0 ->"


def test_an_ice_token_in_data_is_data() -> None:
    case = Case("x", "</E> {examples} {answer}")

    assert render(template(ONE_TEXT), case, examples=[T0]).text == (
        "Inst\nQ: t0\nA: T0\nQ: </E> {examples} {answer}\nA: "
    )


def test_columns_that_hold_the_answer_are_blank_in_the_question_and_shown_in_examples() -> None:
    reasons = template("""
        answer_columns: [reason]
        ice_template: "{examples}{question}: {reason} = {answer}"
    """)
    example = Case("t", "t", Expected(("T",)), metadata={"reason": "since"})

    prompt = render(reasons, X0, examples=[example]).text

    assert prompt == "t: since = T\nx0:  = "
    assert "SECRET" not in prompt


def test_what_is_told_of_the_answer_is_blank_in_the_question_by_itself() -> None:
    solved_in_steps = template('ice_template: "{examples}{question}: {solution} #### {answer}"')
    cases = [Case(n, n, Expected((n.upper(),), metadata={"solution": f"steps of {n}"})) for n in ("t", "x")]

    assert render(solved_in_steps, cases[1], examples=cases[:1]).text == "t: steps of t #### T\nx:  #### "


DIALOGUE = """
ice_token: </E>
ice_template:
  begin: [{role: SYSTEM, fallback_role: HUMAN, prompt: Sys}, </E>]
  round:
    - {role: HUMAN, prompt: "Q: {question}"}
    - {role: BOT, prompt: "A: {answer}"}
  end: [{role: HUMAN, prompt: Be brief.}]
"""


def test_the_shots_of_a_dialogue_are_rounds_at_the_token_and_its_end_works() -> None:
    assert render(template(DIALOGUE), X0, examples=SHOTS).messages == (
        Message(SYSTEM, "Sys"),
        Message(USER, "Q: t1"),
        Message(BOT, "A: T1"),
        Message(USER, "Q: t0"),
        Message(BOT, "A: T0"),
        Message(USER, "Q: x0\nBe brief."),
    )


def test_a_dialogue_repeats_its_begin_and_end_in_each_shot_when_it_says_so() -> None:
    assert render(template(DIALOGUE + "repeat_instruction: true"), X0, examples=[T0]).messages == (
        Message(SYSTEM, "Sys\nSys"),
        Message(USER, "Q: t0"),
        Message(BOT, "A: T0"),
        Message(USER, "Be brief.\nQ: x0\nBe brief."),
    )


def test_system_turns_fold_into_their_fallback_role() -> None:
    folded = template(DIALOGUE + "fold_system: true")

    assert render(folded, X0).messages == (Message(USER, "Sys\nQ: x0\nBe brief."),)


def test_a_dialogue_as_one_text_keeps_the_beginning_of_the_answer() -> None:
    one = template(
        "ice_template: {round: [{role: HUMAN, prompt: 'Q: {question}'}, {role: BOT, prompt: 'A: {answer}'}]}"
    )

    assert render(one, X0, chat=False).text == "Q: x0\nA: "
    assert render(template(DIALOGUE), X0, examples=[T0], chat=False).text == "Sys\nQ: t0\nA: T0\nQ: x0\nA: \nBe brief."


def test_a_dialogue_stops_where_the_model_answers_and_keeps_the_turns_before() -> None:
    rounds = template("""
        prompt_template:
          round:
            - {role: HUMAN, prompt: "Ready?"}
            - {role: BOT, prompt: "Yes."}
            - {role: HUMAN, prompt: "{question}"}
            - {role: BOT, prompt: "{answer}"}
            - {role: HUMAN, prompt: Thanks.}
    """)

    assert render(rounds, X0).messages == (Message(USER, "Ready?"), Message(BOT, "Yes."), Message(USER, "x0"))


def test_lines_without_a_role_are_the_systems_at_the_beginning_and_the_users_at_the_end() -> None:
    lines = template("""
        ice_token: </E>
        ice_template:
          begin: "Some instruction.\\n</E>"
          round: [{role: HUMAN, prompt: "{question}"}, {role: BOT, prompt: "{answer}"}]
          end: Go.
    """)

    assert render(lines, X0, examples=[T0]).messages == (
        Message(SYSTEM, "Some instruction.\n"),
        Message(USER, "t0"),
        Message(BOT, "T0"),
        Message(USER, "x0\nGo."),
    )


def test_text_shots_may_stand_within_a_turn() -> None:
    within = template("""
        ice_template: "{question}={answer}"
        prompt_template: {round: [{role: HUMAN, prompt: "{examples}{question}="}]}
    """)

    assert render(within, X0, examples=SHOTS).messages == (Message(USER, "t1=T1\nt0=T0\nx0="),)


def test_the_chat_templates_of_the_seed_are_read_as_they_stand() -> None:
    wrapped = template("""
        ice_template:
          type: PromptTemplate
          template:
            begin: </E>
            round: [{role: HUMAN, prompt: "Text: {question}"}, {role: BOT, prompt: "Label: {answer}"}]
          ice_token: </E>
    """)

    assert render(wrapped, X0, examples=[T0]).messages == (
        Message(USER, "Text: t0"), Message(BOT, "Label: T0"), Message(USER, "Text: x0"),
    )  # fmt: skip


LABELS = """
ice_token: </E>
ice_template:
  good: "</E>{question} is good"
  bad: "</E>{question} is bad"
"""


def test_label_wise_templates_are_rendered_for_each_label_and_shots_by_their_answer() -> None:
    example = Case("t", "t", Expected(("bad",)))

    prompts = render_labels(template(LABELS), X0, examples=[example])

    assert {label: prompt.text for label, prompt in prompts.items()} == {
        "good": "t is bad\nx0 is good",
        "bad": "t is bad\nx0 is bad",
    }
    assert render(template(LABELS), X0).text == "x0 is good"


def test_an_example_whose_answer_is_no_label_is_named_with_the_labels() -> None:
    with pytest.raises(InvalidInputError, match=r"example 't0' has the answer 'T0'.*good, bad"):
        render_labels(template(LABELS), X0, examples=[T0])


def test_likelihood_keeps_the_answer_of_a_dialogue_and_its_end() -> None:
    prompts = render_labels(template(DIALOGUE), X0, labels=["yes", "no"])

    assert {label: prompt.text for label, prompt in prompts.items()} == {
        "yes": "Sys\nQ: x0\nA: yes\nBe brief.",
        "no": "Sys\nQ: x0\nA: no\nBe brief.",
    }


def test_a_template_without_labels_needs_some() -> None:
    with pytest.raises(InvalidInputError, match="'mine' has no labels"):
        render_labels(template(DIALOGUE), X0)


def test_examples_for_a_template_without_a_place_are_an_error() -> None:
    with pytest.raises(InvalidInputError, match=r"'mine' cannot show examples.*neither"):
        render(template('ice_template: "{question}"'), X0, examples=[T0])


def test_an_empty_prompt_is_an_error_that_names_the_case() -> None:
    with pytest.raises(InvalidInputError, match=r"case 'x0'.*empty prompt"):
        render(template('prompt_template: "{answer} "'), X0)

"""A system prompt stands before everything else that a model is told."""

from __future__ import annotations

import pytest

from bakeoff.domain.prompt import Message, Prompt, Role

QUESTION = Message(Role.USER, "Who?")


@pytest.mark.parametrize("prompt", [Prompt(messages=(QUESTION,)), Prompt(text="Who?")], ids=["dialogue", "text"])
def test_a_chat_model_is_told_it_as_the_first_message(prompt: Prompt) -> None:
    assert prompt.after_system("Be brief.", chat=True).messages == (Message(Role.SYSTEM, "Be brief."), QUESTION)


def test_a_system_turn_of_the_template_comes_after_it() -> None:
    prompt = Prompt(messages=(Message(Role.SYSTEM, "Answer in French."), QUESTION))

    told = prompt.after_system("Be brief.", chat=True).messages

    assert [message.content for message in told] == ["Be brief.", "Answer in French.", "Who?"]


def test_a_model_that_takes_plain_text_is_told_it_as_the_first_paragraph() -> None:
    assert Prompt(text="Who?").after_system("Be brief.", chat=False) == Prompt(text="Be brief.\n\nWho?")


def test_none_changes_nothing_and_one_changes_the_digest() -> None:
    prompt = Prompt(text="Who?")

    assert prompt.after_system("", chat=True) is prompt
    assert prompt.after_system("Be brief.", chat=True).digest != prompt.digest

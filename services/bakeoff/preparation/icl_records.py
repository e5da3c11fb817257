"""The two records of the collections for in-context learning: a question with choices, and one with an answer."""

from __future__ import annotations

import msgspec


class IclChoice(msgspec.Struct):
    """A question with choices."""

    query: str
    choices: list[str]
    gold: int
    """Index of the right choice, from 0."""
    category: str = ""


class IclAnswer(msgspec.Struct):
    """A question with an answer."""

    context: str
    answer: str
    aliases: list[str] = []
    chain_of_thought: str = ""
    category: str = ""


def bare(question: str) -> str:
    """Return a question without the words `Question:` and `Answer:` that the collections put round it."""
    return question.removeprefix("Question:").removesuffix("Answer:").strip()

"""Questions to judges, asked many at once in rounds: what cannot be read is asked again, with what was wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bakeoff.domain.answer import Failure
from bakeoff.domain.prompt import Completion, Prompt, Usage
from bakeoff.scoring.judge_answers import UnreadableJudgementError
from bakeoff.scoring.judge_prompts import asked_again

Read = Callable[[str], int | bool | str]


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One thing that one judge of a panel is told."""

    case_id: str
    judge: int
    """Number of the judge in its panel, from 0."""
    prompt: Prompt


class AskPanel(Protocol):
    """Asks many things at once."""

    def __call__(self, requests: Sequence[JudgeRequest]) -> Sequence[Completion | Failure]:
        """Return what each came to, in their order."""


@dataclass(slots=True)
class Question:
    """What one judge is asked until it can be read."""

    case_id: str
    judge: int
    prompt: Prompt
    read: Read
    attempts: int
    """How often it may still be asked."""
    value: int | bool | str | None = None
    """What was read; None when nothing could be."""
    problem: str = ""
    """Why nothing could be read; empty when something was, or nobody was asked yet."""
    said: str = ""
    """The judge's last words."""
    usage: list[Usage] = field(default_factory=list)

    @property
    def open(self) -> bool:
        """Whether it is to be asked."""
        return self.value is None and self.attempts > 0

    def hear(self, outcome: Completion | Failure) -> None:
        """Take what came of asking it."""
        self.attempts -= 1
        if isinstance(outcome, Failure):  # the client has been patient already
            self.problem, self.attempts = outcome.reason, 0
            return
        self.usage.append(outcome.usage)
        self.said = outcome.text
        try:
            self.value, self.problem = self.read(outcome.text), ""
        except UnreadableJudgementError as error:
            cut = "; it was cut off at `max_tokens`" if outcome.finish_reason == "length" else ""
            self.problem = f"{error}{cut}"
            self.prompt = asked_again(self.prompt, outcome.text, self.problem)


def settle(questions: Sequence[Question], ask: AskPanel) -> None:
    """Ask all questions, round by round, until each is read or given up."""
    while pending := [each for each in questions if each.open]:
        outcomes = ask([JudgeRequest(each.case_id, each.judge, each.prompt) for each in pending])
        for question, outcome in zip(pending, outcomes, strict=True):
            question.hear(outcome)

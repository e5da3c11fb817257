"""Fills a template for a case: what a model is told, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bakeoff.domain.answer import Passage
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prompt import Message, Prompt, Role
from bakeoff.inference.prompting.answers import BLANK, ShownAnswer, gold_answer, labelled
from bakeoff.inference.prompting.bodies import Dialogue, LabelWise, Place, Plain, Text, Turn
from bakeoff.inference.prompting.template import PromptTemplate
from bakeoff.inference.prompting.values import Material, slot_values


def render(
    template: PromptTemplate,
    case: Case,
    *,
    passages: Sequence[Passage] = (),
    examples: Sequence[Case] = (),
    chat: bool = True,
) -> Prompt:
    """Return what a model is told to get the answer of a case.

    Slots that hold the answer are blank. Of a dialogue, the turn in which BOT answers is left to the model, and turns
    of one role behind each other become one message, joined by a line break.

    Args:
        template: How it is asked; of a label-wise one the first label's.
        case: What is asked.
        passages: What was retrieved, best first.
        examples: Cases that are shown with their answers, in this order.
        chat: Whether a dialogue is sent as such; otherwise it is one text, its turns joined by line breaks, with the
            beginning of BOT's answer.

    Raises:
        InvalidInputError: the case lacks a column that the template shows, the template cannot show examples, or
            nothing is left to be sent.
    """
    body = template.item.bodies[0][1] if isinstance(template.item, LabelWise) else template.item
    rendering = _Rendering(template, case, passages, examples)
    return rendering.prompt(body, BLANK, chat=chat, keep_answer=not chat)


def render_labels(
    template: PromptTemplate,
    case: Case,
    *,
    labels: Sequence[str] = (),
    passages: Sequence[Passage] = (),
    examples: Sequence[Case] = (),
    chat: bool = False,
) -> dict[str, Prompt]:
    """Return what is scored by its likelihood, for each label that an answer may be: the question with that answer.

    Args:
        template: A label-wise template has its own labels and a text for each. Any other shows each label in its
            answer slots.
        case: What is asked.
        labels: For a template that is not label-wise, such as the letters or the texts of the choices.
        passages: What was retrieved, best first.
        examples: Cases that are shown with their answers, in this order.
        chat: As in `render`; the answer is kept in both.

    Raises:
        InvalidInputError: as `render`; or the template has no labels and none are given.
    """
    if isinstance(template.item, LabelWise):
        bodies: Iterable[tuple[str, Plain]] = template.item.bodies
    else:
        bodies = [(label, template.item) for label in labels]
        if not labels:
            raise InvalidInputError(f"the prompt template {template.name!r} has no labels; give those to be scored")
    rendering = _Rendering(template, case, passages, examples)
    return {label: rendering.prompt(body, labelled(label), chat=chat, keep_answer=True) for label, body in bodies}


@dataclass(frozen=True, slots=True)
class _Rendering:
    template: PromptTemplate
    case: Case
    passages: Sequence[Passage]
    examples: Sequence[Case]

    def prompt(self, body: Plain, shown: ShownAnswer, *, chat: bool, keep_answer: bool) -> Prompt:
        material = Material(self.case, shown, self.passages, self._examples_text(), self.template.answer_columns)
        if isinstance(body, Text):
            return self._told(Prompt(text=_filled(body, material)))
        asked = body if keep_answer else _until_answer(body)
        messages = [message for message in self._messages(asked, material) if message.content]
        if not chat:
            return self._told(Prompt(text="\n".join(message.content for message in messages)))
        return self._told(Prompt(messages=_merged(messages)))

    def _told(self, prompt: Prompt) -> Prompt:
        if not prompt.text.strip() and not prompt.messages:
            raise InvalidInputError(
                f"case {self.case.case_id!r}: the prompt template {self.template.name!r} gives an empty prompt"
            )
        return prompt

    def _examples_text(self) -> str:
        shots = ((self._shot(example), example) for example in self.examples)
        return "".join(
            _filled(shot, self._example(example)) + self.template.separator
            for shot, example in shots
            if isinstance(shot, Text)
        )

    def _messages(self, dialogue: Dialogue, material: Material) -> Iterable[Message]:
        for item in dialogue.items:
            if isinstance(item, Place):
                yield from self._example_messages()
            else:
                yield self._message(item, material)

    def _example_messages(self) -> Iterable[Message]:
        for example in self.examples:
            shot = self._shot(example)
            if isinstance(shot, Dialogue):
                yield from self._messages(shot, self._example(example))

    def _message(self, turn: Turn, material: Material) -> Message:
        folded = self.template.fold_system and turn.role is Role.SYSTEM
        return Message(turn.fallback if folded else turn.role, _filled(turn.text, material))

    def _example(self, example: Case) -> Material:
        return Material(example, gold_answer(example), answer_columns=self.template.answer_columns)

    def _shot(self, example: Case) -> Plain:
        """Return how an example is shown; of a label-wise template by the label that is its answer."""
        shot = self.template.shot
        if shot is None:
            raise InvalidInputError(f"the prompt template {self.template.name!r} {self.template.why_no_examples}")
        if not isinstance(shot, LabelWise):
            return shot
        gold, bodies = gold_answer(example), dict(shot.bodies)
        names = (gold.answer, gold.text, str(example.expected.value))
        known = next((name for name in names if name in bodies), None)
        if known is None:
            raise InvalidInputError(
                f"the example {example.case_id!r} has the answer {gold.answer!r}, which is no label of the prompt "
                f"template {self.template.name!r}: {', '.join(bodies)}"
            )
        return bodies[known]


def _filled(text: Text, material: Material) -> str:
    return text.fill(slot_values(material, text.slots))


def _until_answer(dialogue: Dialogue) -> Dialogue:
    """Return a dialogue without the turn in which the model answers, and what stands behind it in the round."""
    for index in reversed(range(len(dialogue.round))):
        item = dialogue.round[index]
        if isinstance(item, Turn) and item.role is Role.ASSISTANT:
            return replace(dialogue, round=dialogue.round[:index])
    return dialogue


def _merged(messages: Sequence[Message]) -> tuple[Message, ...]:
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role is message.role:
            merged[-1] = Message(message.role, f"{merged[-1].content}\n{message.content}")
        else:
            merged.append(message)
    return tuple(merged)

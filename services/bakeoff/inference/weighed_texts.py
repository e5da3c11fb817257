"""The texts of a case whose likelihood is asked for, each with what stands before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.domain.answer import Passage
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.identity import digest_of
from bakeoff.domain.recipe import Continuation, LikelihoodPart
from bakeoff.inference.examples.retriever import Chosen
from bakeoff.inference.prompted import Prompting
from bakeoff.inference.prompting.bodies import LabelWise, slots_in
from bakeoff.inference.prompting.choices import letter
from bakeoff.inference.prompting.eval_types import EvalType
from bakeoff.inference.prompting.library import load_template
from bakeoff.inference.prompting.rendering import render, render_labels
from bakeoff.inference.prompting.template import PromptTemplate
from bakeoff.inference.prompting.values import choices_of
from bakeoff.models.likelihood import Weighing

ANSWER_SLOTS = frozenset({"answer", "answer_text", "answer_letters"})
BEFORE_LAST_SPACE = re.compile(r"(.*)\s\S*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class WeighedText:
    """One text whose likelihood is asked for."""

    name: str
    """`choices`, `unconditional`, `better`, `rejected`, `answer` or `text`; one for each choice under the first two."""
    weighing: Weighing
    text: str
    """What its length is measured of: without what joins it to the prompt."""


@dataclass(frozen=True, slots=True)
class WeighedTexts:
    """All that is weighed for a case."""

    texts: tuple[WeighedText, ...]
    """At least one."""
    facts: dict[str, object]
    """What is to be known of how they came about; JSON values, as `Told.facts`."""


def weighed_texts(
    prompting: Prompting,
    part: LikelihoodPart,
    case: Case,
    passages: Sequence[Passage],
    *,
    position: int | None = None,
) -> WeighedTexts:
    """Return what is weighed for a case: its choices; else its better and its rejected text; else its gold answer.

    A text of the evaluation type key1_text_score is weighed alone, without a prompt. A template that shows the answer,
    as one for each label does, gives a whole prompt for each choice; behind any other the choice is set. Always as
    plain text: likelihoods are not asked of dialogues.

    Args:
        prompting: Template and examples.
        part: What stands for a choice, and whether it is weighed without the question, too.
        case: What is asked.
        passages: What was retrieved, best first, with their texts.
        position: As in `Prompting.tell`.

    Raises:
        InvalidInputError: the case has none of these, or lacks what the template shows; or the template's labels are
            not those of the choices.
    """
    if case.metadata.get("eval_type") == EvalType.TEXT_SCORE.value:
        return WeighedTexts((WeighedText("text", Weighing("", case.query), case.query),), {})
    labels = _labels(case, part)
    template = prompting.template or _built_in(part, bool(passages))
    chosen = prompting.retriever.choose(case, prompting.examples.of(case), position=position)
    prompts = _Prompts(template, case, passages, chosen)
    texts = tuple(prompts.weighed(labels))
    if part.unconditional and labels[0][0] == "choices":
        texts += tuple(WeighedText("unconditional", joined(part.unconditional, each.text), each.text) for each in texts)
    return WeighedTexts(texts, _facts(template, chosen, texts))


def joined(context: str, text: str) -> Weighing:
    """Return a text behind a context: the space between them, one where there is none, belongs to the text.

    Tokenizers put a space to the word behind it, so that a context must not end in one.
    """
    stem = context.rstrip()
    between = context[len(stem) :]
    if stem and not between and not text[:1].isspace():
        between = " "
    return Weighing(stem, between + text)


def parted(prompts: Sequence[str]) -> list[Weighing]:
    """Return prompts as what they share and what differs, from the word in which the first two differ.

    Raises:
        InvalidInputError: there is no difference.
    """
    if len(set(prompts)) < len(prompts):
        raise InvalidInputError("the prompt template shows the same prompt for different labels: nothing can be told")
    cut = BEFORE_LAST_SPACE.match(_shared_start(prompts))
    stem = cut[1].rstrip() if cut else ""
    return [Weighing(stem, prompt[len(stem) :]) for prompt in prompts]


def _shared_start(texts: Sequence[str]) -> str:
    # What the first and the last in order share, all between them share.
    first, last = min(texts), max(texts)
    length = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:length]


@dataclass(frozen=True, slots=True)
class _Prompts:
    template: PromptTemplate
    case: Case
    passages: Sequence[Passage]
    chosen: Chosen

    def weighed(self, labels: Sequence[tuple[str, str]]) -> Iterator[WeighedText]:
        """Yield the texts of some labels, each with the name under which it is kept."""
        if not self._shows_answer():
            prompt = render(
                self.template, self.case, passages=self.passages, examples=self.chosen.examples, chat=False
            ).text
            yield from (WeighedText(name, joined(prompt, text), text) for name, text in labels)
            return
        prompts = self._whole([text for _, text in labels])
        if len(prompts) == 1:
            (name, text), (prompt,) = labels[0], prompts
            yield WeighedText(name, Weighing("", prompt), text)
            return
        for (name, _), weighing in zip(labels, parted(prompts), strict=True):
            yield WeighedText(name, weighing, weighing.continuation.strip())

    def _shows_answer(self) -> bool:
        answers = ANSWER_SLOTS | self.template.answer_columns
        return isinstance(self.template.item, LabelWise) or bool(slots_in(self.template.item) & answers)

    def _whole(self, texts: Sequence[str]) -> list[str]:
        rendered = render_labels(
            self.template, self.case, labels=texts, passages=self.passages, examples=self.chosen.examples
        )
        if not isinstance(self.template.item, LabelWise):
            return [rendered[text].text for text in texts]
        return [rendered[self._label(number, text, rendered)].text for number, text in enumerate(texts)]

    def _label(self, number: int, text: str, known: Mapping[str, object]) -> str:
        """Return the template's label of a choice: its text, its letter, or its number from 0."""
        found = next((name for name in (text, letter(number), str(number)) if name in known), None)
        if found is None:
            raise InvalidInputError(
                f"case {self.case.case_id!r}: the prompt template {self.template.name!r} has no label for {text!r} "
                f"({letter(number)}, {number}); it has {', '.join(known)}"
            )
        return found


def _labels(case: Case, part: LikelihoodPart) -> list[tuple[str, str]]:
    choices = choices_of(case)
    if choices is not None and choices.valid:
        if part.continuation is Continuation.LETTER:
            return [("choices", letter(number)) for number in range(len(choices.texts))]
        return [("choices", text) for text in choices.texts]
    pair = [(side, case.expected.metadata.get(side)) for side in ("better", "rejected")]
    told = [(side, text) for side, text in pair if isinstance(text, str) and text.strip()]
    if len(told) == len(pair):
        return told
    if case.expected.answers and case.expected.answers[0].strip():
        return [("answer", case.expected.answers[0])]
    raise InvalidInputError(
        f"case {case.case_id!r}: nothing can be weighed: it has no choices, no better and rejected text, and no gold "
        "answer"
    )


def _built_in(part: LikelihoodPart, with_passages: bool) -> PromptTemplate:
    if with_passages:
        return load_template("retrieval")
    return load_template("single_choice" if part.continuation is Continuation.LETTER else "question")


def _facts(template: PromptTemplate, chosen: Chosen, texts: Sequence[WeighedText]) -> dict[str, object]:
    asked = [[each.weighing.context, each.weighing.continuation] for each in texts]
    facts: dict[str, object] = {"prompt": digest_of(asked), "template": template.digest}
    if chosen.examples:
        facts["examples"] = [example.case_id for example in chosen.examples]
    if chosen.excluded:
        facts["excluded_examples"] = chosen.excluded
    return facts

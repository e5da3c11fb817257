"""What a judge is asked: pointwise on a declared scale, or which of two answers is better; answered as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from bakeoff.domain.benchmark import Json
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.identity import digest_of
from bakeoff.domain.prompt import Message, Prompt, Role
from bakeoff.domain.slots import check_slots, fill, slots_of

AGAIN = "That is not what was asked for: {problem}. Answer again, with the JSON object and nothing else."
SHARED_SLOTS = ("task", "criterion", "question", "passages", "references", "form")
POINTWISE_SLOTS = (*SHARED_SLOTS, "anchors", "answer")
POINTWISE_NEEDS = ("question", "answer", "form")
PAIRWISE_SLOTS = (*SHARED_SLOTS, "answer_a", "answer_b")
PAIRWISE_NEEDS = ("question", "answer_a", "answer_b", "form")


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale of whole numbers; higher is better."""

    minimum: int = 1
    maximum: int = 5
    anchors: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    """What some of the numbers mean."""

    def __post_init__(self) -> None:
        """Refuse a scale of fewer than two numbers, and anchors outside of it.

        Raises:
            InvalidInputError: as said.
        """
        if self.minimum >= self.maximum:
            raise InvalidInputError(f"a scale must go up: from {self.minimum} to {self.maximum} it does not")
        if outside := [number for number in self.anchors if not self.minimum <= number <= self.maximum]:
            raise InvalidInputError(f"anchors {outside} are not on the scale {self.minimum} to {self.maximum}")

    def share(self, rating: float) -> float:
        """Return where a rating stands on the scale, in [0, 1]."""
        return (rating - self.minimum) / (self.maximum - self.minimum)


@dataclass(frozen=True, slots=True)
class Frame:
    """A prompt with slots around what is judged; a slot of material is a marked block on lines of its own."""

    system: str
    prompt: str


@dataclass(frozen=True, slots=True)
class Rubric:
    """What a judge is to look at."""

    name: str
    """Part of the metric's name: lower case, digits, underscores."""
    criterion: str
    """What makes an answer good, in words."""
    scale: Scale | None = Scale()
    """None for a plain yes or no."""
    needs_reference: bool = False
    """Whether the gold answers are shown; a case without any is not applicable then."""
    needs_contexts: bool = False
    """Whether given or retrieved passages are shown; a case without any is not applicable then."""
    shows_given: bool = False
    """Whether passages that the case itself brings are shown, if it brings any."""
    frame: Frame | None = None
    """A prompt of its own; None for the built-in one."""

    def showing_what(self, frame: Frame) -> Rubric:
        """Return the rubric with a prompt of its own, which shows what it has slots for."""
        slots = slots_of(frame.prompt)
        return replace(self, frame=frame, needs_reference="references" in slots, needs_contexts="passages" in slots)


@dataclass(frozen=True, slots=True)
class Material:
    """What a judge is shown of a case."""

    question: str
    references: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    given: bool = False
    """Whether the case itself brings the contexts; otherwise they were retrieved."""


def pointwise_schema(rubric: Rubric) -> Json:
    """Return the JSON schema of a pointwise judge's answer, for endpoints that hold models to one."""
    if rubric.scale is None:
        return _schema("verdict", {"type": "boolean"})
    return _schema("score", {"type": "integer", "minimum": rubric.scale.minimum, "maximum": rubric.scale.maximum})


def pairwise_schema() -> Json:
    """Return the JSON schema of a pairwise judge's answer."""
    return _schema("winner", {"type": "string", "enum": ["A", "B", "tie"]})


def _schema(name: str, value: Json) -> Json:
    return {
        "type": "object",
        "properties": {"reasoning": {"type": "string"}, name: value},
        "required": ["reasoning", name],
        "additionalProperties": False,
    }


def frame_of_text(prompt: str, slots: Sequence[str], needed: Sequence[str], system: str) -> Frame:
    """Return the frame of a prompt that somebody wrote.

    Raises:
        InvalidInputError: a slot is not known, or one that is needed is missing; names it.
    """
    check_slots(prompt, slots)
    if lacking := [name for name in needed if name not in slots_of(prompt)]:
        raise InvalidInputError(f"the judge's prompt must have the slot {{{lacking[0]}}}")
    return Frame(system, prompt)


def prompt_digest(rubric: Rubric, *, pairwise: bool) -> str:
    """Return the SHA-256 of all words that a judge is told besides the material, 64 hexadecimal digits."""
    shown = [rubric.needs_reference, rubric.needs_contexts, rubric.shows_given]
    scale = None if pairwise or not rubric.scale else [rubric.scale.minimum, rubric.scale.maximum]
    parts = _of_pair(rubric) if pairwise else _of_one(rubric)
    frame = _frame(rubric, pairwise)
    return digest_of([frame.system, frame.prompt, sorted(parts.items()), shown, scale, AGAIN])


def pointwise_prompt(rubric: Rubric, material: Material, answer: str) -> Prompt:
    """Return the prompt that asks for a rating of one answer."""
    return _prompt(rubric, _frame(rubric, False), _of_one(rubric), material, {"answer": answer})


def pairwise_prompt(rubric: Rubric, material: Material, first: str, second: str) -> Prompt:
    """Return the prompt that asks which of two answers is better; the first is shown as A."""
    answers = {"answer A": first, "answer B": second}
    return _prompt(rubric, _frame(rubric, True), _of_pair(rubric), material, answers)


def asked_again(prompt: Prompt, said: str, problem: str) -> Prompt:
    """Return a prompt that shows the judge its own malformed answer and asks once more."""
    more = (Message(Role.ASSISTANT, said), Message(Role.USER, AGAIN.replace("{problem}", problem)))
    return Prompt(messages=prompt.messages + more)


def _frame(rubric: Rubric, pairwise: bool) -> Frame:
    from bakeoff.scoring.rubric_library import frame  # it reads files into what is defined here

    return rubric.frame or frame("pairwise" if pairwise else "pointwise")


def _of_one(rubric: Rubric) -> dict[str, str]:
    scale = rubric.scale
    if scale is None:
        form = '{"reasoning": "<one or two sentences>", "verdict": <true or false>}'
        task = "Does the answer meet the criterion?"
    else:
        low, high = scale.minimum, scale.maximum
        form = f'{{"reasoning": "<one or two sentences>", "score": <whole number from {low} to {high}>}}'
        task = f"Rate the answer on a scale from {low} (worst) to {high} (best)."
    anchors = "".join(f"{number}: {scale.anchors[number]}\n" for number in sorted(scale.anchors)) if scale else ""
    return {"task": task, "criterion": rubric.criterion, "anchors": anchors, "form": form}


def _of_pair(rubric: Rubric) -> dict[str, str]:
    form = '{"reasoning": "<one or two sentences>", "winner": "A", "B" or "tie"}'
    return {"task": "Which of the two answers is better?", "criterion": rubric.criterion, "form": form}


def _prompt(
    rubric: Rubric, frame: Frame, said: Mapping[str, str], material: Material, answers: Mapping[str, str]
) -> Prompt:
    passages = [(f"passage {number}", text) for number, text in enumerate(material.contexts, start=1)]
    blocks: dict[str, list[tuple[str, str]]] = {
        "question": [("question", material.question)],
        "passages": passages if rubric.needs_contexts or (rubric.shows_given and material.given) else [],
        "references": [("reference answer", text) for text in material.references] if rubric.needs_reference else [],
        **{name.replace(" ", "_").lower(): [(name, text)] for name, text in answers.items()},
    }
    # Marks that depend on all of the material: none of it can know them, and so none can close them.
    mark = digest_of([each for block in blocks.values() for each in block])[:8]
    shown = {
        slot: "".join(f"[{name} {mark}]\n{text}\n[/{name} {mark}]\n" for name, text in block)
        for slot, block in blocks.items()
    }
    asked = fill(frame.prompt, {**said, **shown})
    return Prompt(messages=(Message(Role.SYSTEM, frame.system), Message(Role.USER, asked)))

"""From a case to what a model is told: the template, the passages that it shows, the examples before the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import yaml

from bakeoff.domain.answer import Passage
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.recipe import AnswerPart
from bakeoff.inference.examples.pools import ExamplePools
from bakeoff.inference.examples.retriever import ExampleRetriever
from bakeoff.inference.examples.retrievers.zero import zero
from bakeoff.inference.prompting.assembling import Assembled, Assembler
from bakeoff.inference.prompting.library import built_in_names, load_template
from bakeoff.inference.prompting.reading import template_of
from bakeoff.inference.prompting.template import PromptTemplate
from bakeoff.inference.prompting.values import column_names
from bakeoff.inference.registries import example_retrievers

IN_RECIPE = "the recipe's template"


@dataclass(frozen=True, slots=True)
class Told:
    """What a model is told for a case."""

    assembled: Assembled
    template: str
    """Digest of the template."""

    def facts(self) -> dict[str, object]:
        """Return what is kept with the answer: JSON values, nothing that is as it is by default."""
        shown = self.assembled
        facts: dict[str, object] = {"prompt": shown.prompt.digest, "template": self.template}
        if shown.example_ids:
            facts["examples"] = list(shown.example_ids)
        if shown.excluded:
            facts["excluded_examples"] = shown.excluded
        if shown.invalid_choices:
            facts["invalid_choices"] = True
        return facts


@dataclass(frozen=True, slots=True)
class Prompting:
    """How a recipe's answer part asks. Thread-safe; the same case gives the same prompt, whoever asks when."""

    template: PromptTemplate | None = None
    """None takes the built-in template that fits the case."""
    retriever: ExampleRetriever = field(default_factory=zero)
    examples: ExamplePools = field(default_factory=ExamplePools)
    """Cases that may be shown."""
    chat: bool = True
    """Whether a dialogue is sent as such; otherwise as one text."""
    system: str = ""
    """System prompt of the model, before what the template says; empty for none."""

    @classmethod
    def of(cls, part: AnswerPart, examples: ExamplePools, *, chat: bool = True, system: str = "") -> Prompting:
        """Return how an answer part asks.

        Args:
            part: Its template is empty, the name of a built-in one, or the text of one.
            examples: Cases that may be shown.
            chat: Whether a dialogue is sent as such.
            system: System prompt of the model; empty for none.

        Raises:
            NotFoundError: there is no example retriever of that name.
            InvalidInputError: the template cannot be read, or a setting of the retriever is wrong.
        """
        retriever = example_retrievers.make(part.examples) if part.examples else zero()
        template = read_recipe_template(part.template) if part.template else None
        return cls(template, retriever, examples, chat, system)

    def check(self, cases: Sequence[Case]) -> None:
        """Check that not all cases lack the same, which is a fault of the recipe and told once.

        What only some lack fails those alone, when they are told.

        Args:
            cases: What will be asked; with none, nothing is wrong.

        Raises:
            InvalidInputError: no case has enough examples, or a slot of the template is filled by none.
        """
        wrong = [tuple(self.examples.check(self.retriever, case)) for case in cases]
        if wrong and all(wrong):
            faults = tuple(dict.fromkeys(fault for each in wrong for fault in each))
            raise InvalidInputError("the examples cannot be chosen", faults)
        if cases and self.template is not None:
            columns = frozenset(name for case in cases for name in column_names(case))
            shown = self.examples.columns if self.retriever.count else None
            self.template.check(columns, example_columns=shown)

    def tell(self, case: Case, passages: Sequence[Passage], *, position: int | None = None) -> Told:
        """Return what a model is told for a case.

        Args:
            case: What is asked.
            passages: What was retrieved, best first, with their texts.
            position: Row of the case in its benchmark, from 0; only a legacy draw of examples looks at it.

        Raises:
            InvalidInputError: the case lacks what the template shows, or there are too few examples.
        """
        template = self.template or built_in_for(case, passages)
        assembler = Assembler(template, self.retriever, self.examples, self.chat)
        assembled = assembler.assemble(case, passages=passages, position=position)
        prompt = assembled.prompt.after_system(self.system, chat=self.chat)
        return Told(replace(assembled, prompt=prompt), template.digest)


def read_recipe_template(text: str) -> PromptTemplate:
    """Return the template that a recipe says.

    Args:
        text: Name of a built-in template; or YAML with `prompt_template` or `ice_template`; or a plain prompt.

    Raises:
        InvalidInputError: it is no template.
    """
    if text in built_in_names():
        return load_template(text)
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError:
        content = None
    # "Question: {question}" is a mapping for YAML, too: only the keys of a template tell that one is meant.
    if isinstance(content, dict) and content.keys() & {"prompt_template", "ice_template"}:
        return template_of(content, IN_RECIPE)
    return template_of({"prompt_template": text}, IN_RECIPE)


def built_in_for(case: Case, passages: Sequence[Passage]) -> PromptTemplate:
    """Return the built-in template for what a case and its retrieval bring."""
    if passages:
        return load_template("retrieval")
    if not case.metadata.get("choices"):
        return load_template("question")
    return load_template("multiple_choice" if isinstance(case.expected.value, list | tuple) else "single_choice")

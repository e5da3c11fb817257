"""From a case to what a model is told: the template, the passages that it shows, the examples before the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import yaml

from bakeoff.domain.answer import Passage
from bakeoff.domain.benchmark import Case
from bakeoff.domain.prompt import Prompt
from bakeoff.domain.recipe import AnswerPart
from bakeoff.inference.examples.retriever import Chosen, ExampleRetriever
from bakeoff.inference.prompting.library import built_in_names, load_template
from bakeoff.inference.prompting.reading import template_of
from bakeoff.inference.prompting.rendering import render
from bakeoff.inference.prompting.template import PromptTemplate
from bakeoff.inference.registries import example_retrievers

IN_RECIPE = "the recipe's template"


@dataclass(frozen=True, slots=True)
class Told:
    """What a model is told for a case."""

    prompt: Prompt
    template: str
    """Digest of the template."""
    examples: tuple[str, ...]
    """Ids of the examples that are shown, in their order."""
    excluded: int
    """Examples that were withheld, being the case itself."""


@dataclass(frozen=True, slots=True)
class Prompting:
    """How a recipe's answer part asks. Thread-safe; the same case gives the same prompt, whoever asks when."""

    template: PromptTemplate | None = None
    """None takes the built-in template that fits the case."""
    retriever: ExampleRetriever | None = None
    """None shows no examples."""
    pool: Sequence[Case] = field(default_factory=tuple)
    """Cases that may be shown."""

    @classmethod
    def of(cls, part: AnswerPart, pool: Sequence[Case]) -> Prompting:
        """Return how an answer part asks.

        Args:
            part: Its template is empty, the name of a built-in one, or the text of one.
            pool: Cases that may be shown as examples.

        Raises:
            NotFoundError: there is no example retriever of that name.
            InvalidInputError: the template cannot be read, or the retriever's settings do not fit the pool.
        """
        retriever = example_retrievers.make(part.examples) if part.examples else None
        return cls(read_recipe_template(part.template) if part.template else None, retriever, pool)

    def tell(self, case: Case, passages: Sequence[Passage], *, position: int | None = None, chat: bool = True) -> Told:
        """Return what a model is told for a case.

        Args:
            case: What is asked.
            passages: What was retrieved, best first, with their texts.
            position: Row of the case in its benchmark, from 0; only a legacy draw of examples looks at it.
            chat: Whether a dialogue is sent as such.

        Raises:
            InvalidInputError: the case lacks what the template shows, or the pool has too few examples.
        """
        template = self.template or built_in_for(case, passages)
        chosen = self.retriever.choose(case, self.pool, position=position) if self.retriever else Chosen()
        prompt = render(template, case, passages=passages, examples=chosen.examples, chat=chat)
        shown = tuple(example.case_id for example in chosen.examples)
        return Told(prompt, template.digest, shown, chosen.excluded)


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

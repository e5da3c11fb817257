"""A knowledge recipe: how documents become a knowledge base, how it is asked, and how an answer is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from bakeoff.domain.component import ComponentSpec

DIRECT = "direct"
"""Name of the mode in which a recipe answers without a knowledge base."""


@dataclass(frozen=True, slots=True)
class BuildPart:
    """How documents become a knowledge base."""

    parser: ComponentSpec = field(default_factory=lambda: ComponentSpec("auto"))
    chunker: ComponentSpec = field(default_factory=lambda: ComponentSpec("none"))
    embedder: ComponentSpec | None = None
    """None when no index needs vectors."""
    indexes: tuple[ComponentSpec, ...] = (ComponentSpec("bm25"),)
    """At least one; a hybrid query needs a word index and a vector index."""


@dataclass(frozen=True, slots=True)
class QueryMode:
    """One way to ask a knowledge base."""

    name: str
    """Unique in the recipe; the engine's name unless said otherwise."""
    engine: ComponentSpec
    """Such as `full_text_search`, `vector_search`, `hybrid_search(fusion="rrf", k=60)`."""
    top_k: int = 100
    """Passages that are retrieved, from 1."""


class Continuation(StrEnum):
    """What of a choice is set behind the prompt when its likelihood is asked for."""

    TEXT = "text"
    LETTER = "letter"


@dataclass(frozen=True, slots=True)
class LikelihoodPart:
    """That a model is asked how likely it finds given texts: choices, a better and a rejected text, or a text alone."""

    continuation: Continuation = Continuation.TEXT
    """What stands for a choice."""
    unconditional: str = ""
    """A context that says nothing, such as `Answer:`, in which choices are weighed too; empty asks for nothing."""
    generate: bool = False
    """Whether answers are generated as well."""


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """How an answer is made of what was retrieved."""

    generator: ComponentSpec
    passages: int = 5
    """First passages that the generator sees, from 1."""
    template: str = ""
    """Text of the prompt template; empty means the built-in one for what the case and the recipe bring."""
    examples: ComponentSpec | None = None
    """How in-context examples are chosen, such as `random(k=3, seed=43)`; None means that there are none."""
    samples: int = 1
    """Answers per case, from 1."""
    likelihood: LikelihoodPart | None = None
    """How given texts are weighed; None generates answers and weighs nothing."""

    @property
    def told_to_models(self) -> tuple[str, ...]:
        """Names of the fields that are set and that only a generator which asks a model looks at."""
        said = {
            "template": bool(self.template),
            "examples": self.examples is not None and self.examples.name != "zero",
            "samples": self.samples > 1,
            "likelihood": self.likelihood is not None,
        }
        return tuple(name for name, is_set in said.items() if is_set)


@dataclass(frozen=True, slots=True)
class Recipe:
    """A knowledge recipe under a name."""

    name: str
    """Unique in the evaluation; any text."""
    build: BuildPart = field(default_factory=BuildPart)
    query: tuple[QueryMode, ...] = ()
    """Each is an entrant; empty when the recipe answers without a knowledge base, which then is its one entrant."""
    answer: AnswerPart | None = None
    """None when only retrieval is compared."""

    @property
    def modes(self) -> tuple[QueryMode | None, ...]:
        """What is asked of it: its query modes, or None alone when it answers without a knowledge base."""
        return self.query or (None,)


@dataclass(frozen=True, slots=True)
class Entrant:
    """What is compared: one recipe in one query mode."""

    recipe: str
    mode: str

    @classmethod
    def of(cls, recipe: Recipe, mode: QueryMode | None) -> Entrant:
        """Return the entrant of a recipe in one of its modes."""
        return cls(recipe.name, mode.name if mode else DIRECT)

    def __str__(self) -> str:
        """Print as `recipe/mode`."""
        return f"{self.recipe}/{self.mode}"

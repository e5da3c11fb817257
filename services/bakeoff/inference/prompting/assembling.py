"""The prompt of a case with its passages and examples: it depends on these and on nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bakeoff.domain.answer import Passage
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prompt import Prompt
from bakeoff.inference.examples.pools import ExamplePools
from bakeoff.inference.examples.retriever import Chosen, ExampleRetriever
from bakeoff.inference.prompting.rendering import render
from bakeoff.inference.prompting.template import PromptTemplate
from bakeoff.inference.prompting.values import choices_of, columns_of


@dataclass(frozen=True, slots=True)
class Assembled:
    """A prompt, and what is to be known of how it came about."""

    prompt: Prompt
    example_ids: tuple[str, ...]
    """Examples that it shows, in their order."""
    excluded: int
    """Examples that were withheld since they are the case itself."""
    invalid_choices: bool
    """Whether the case's choices could not be told, and one empty choice stands in."""


@dataclass(frozen=True, slots=True)
class Assembler:
    """Makes prompts. Called from several threads at once."""

    template: PromptTemplate
    retriever: ExampleRetriever
    examples: ExamplePools = field(default_factory=ExamplePools)
    """Cases that may be shown as examples."""
    chat: bool = True
    """Whether a dialogue is sent as such; otherwise as one text."""

    def check(self, cases: Iterable[Case]) -> None:
        """Check, before any question is asked, that there are the examples and that every case fills every slot.

        Args:
            cases: All cases that will be asked.

        Raises:
            InvalidInputError: it has not, or one does not; names what is allowed.
        """
        asked = tuple(cases)
        violations = dict.fromkeys(
            violation for case in asked for violation in self.examples.check(self.retriever, case)
        )
        if violations:
            raise InvalidInputError("the examples cannot be chosen", tuple(violations))
        shown = columns_of(self.examples) if self.retriever.count else None
        self.template.check(columns_of(asked), example_columns=shown)

    def assemble(self, case: Case, *, passages: Sequence[Passage] = (), position: int | None = None) -> Assembled:
        """Return the prompt of a case.

        Args:
            case: What is asked.
            passages: What was retrieved, best first.
            position: Row of the case in its benchmark, from 0; only the legacy draw of examples looks at it.

        Raises:
            InvalidInputError: there are too few examples, or a slot cannot be filled.
        """
        chosen: Chosen = self.retriever.choose(case, self.examples.of(case), position=position)
        prompt = render(self.template, case, passages=passages, examples=chosen.examples, chat=self.chat)
        choices = choices_of(case)
        return Assembled(
            prompt,
            tuple(example.case_id for example in chosen.examples),
            chosen.excluded,
            choices is not None and not choices.valid,
        )


def prompt_digests(assembler: Assembler, cases: Sequence[Case], *, first: int = 0) -> dict[str, str]:
    """Return the digest of each case's prompt by case id: the same in any batch, on any worker, in any order.

    Args:
        assembler: Makes the prompts.
        cases: Consecutive cases of a benchmark.
        first: Row of the first of them in the benchmark, from 0.
    """
    return {
        case.case_id: assembler.assemble(case, position=first + index).prompt.digest for index, case in enumerate(cases)
    }

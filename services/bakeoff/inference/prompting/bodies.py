"""What a template is made of: plain text, a dialogue, or one of these for each label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bakeoff.domain.prompt import Role
from bakeoff.domain.slots import fill, slots_of

EXAMPLES = "examples"
"""The slot where examples go; `ice_token` is another way to write it."""
EXAMPLES_SLOT = "{" + EXAMPLES + "}"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of text with slots."""

    text: str
    when: tuple[str, ...] = ()
    """Slots that must hold something, else the piece is left out; empty means always."""


@dataclass(frozen=True, slots=True)
class Text:
    """Pieces of text, one behind the other."""

    parts: tuple[Part, ...]

    @property
    def slots(self) -> frozenset[str]:
        """Names of all slots in it."""
        return frozenset(name for part in self.parts for name in (*slots_of(part.text), *part.when))

    @property
    def places(self) -> int:
        """How often it says where examples go."""
        return sum(part.text.count(EXAMPLES_SLOT) for part in self.parts)

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with its slots filled; values are never looked into."""
        return "".join(fill(part.text, values) for part in self.parts if all(values[name] for name in part.when))

    def behind_examples(self) -> Text:
        """Return what stands behind the place of the examples; the whole when it names none."""
        for index, part in enumerate(self.parts):
            _, place, rest = part.text.partition(EXAMPLES_SLOT)
            if place:
                return Text((Part(rest, part.when), *self.parts[index + 1 :]))
        return self


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side says."""

    role: Role
    text: Text
    fallback: Role
    """Who says it where the role may not be used."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the turns of the examples go."""

    token: str = EXAMPLES_SLOT


Item = Turn | Place


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Turns: an opening, the round in which the question is asked and answered, and a close."""

    begin: tuple[Item, ...]
    round: tuple[Item, ...]
    end: tuple[Item, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """All turns and places in their order."""
        return (*self.begin, *self.round, *self.end)

    @property
    def texts(self) -> Iterator[Text]:
        """What the turns say."""
        return (item.text for item in self.items if isinstance(item, Turn))


Plain = Text | Dialogue


@dataclass(frozen=True, slots=True)
class LabelWise:
    """A body of its own for each label that an answer may be."""

    bodies: tuple[tuple[str, Plain], ...]
    """At least one; the first is used when an answer is generated."""


Body = Plain | LabelWise


def plain_bodies(body: Body) -> tuple[Plain, ...]:
    """Return the bodies that a body is made of: itself, or one for each label."""
    return tuple(each for _, each in body.bodies) if isinstance(body, LabelWise) else (body,)


def slots_in(body: Body) -> frozenset[str]:
    """Return the names of all slots of a body."""
    names: set[str] = set()
    for plain in plain_bodies(body):
        for text in (plain,) if isinstance(plain, Text) else plain.texts:
            names |= text.slots
    return frozenset(names)


def places_between_turns(body: Plain) -> int:
    """Return how often a body says between its turns where examples go."""
    return 0 if isinstance(body, Text) else sum(isinstance(item, Place) for item in body.items)


def places_of(body: Plain) -> int:
    """Return how often a body says where examples go."""
    return places_between_turns(body) + places_in_text(body)


def places_in_text(body: Plain) -> int:
    """Return how often a body says within a text where examples go."""
    return body.places if isinstance(body, Text) else sum(text.places for text in body.texts)

"""Reads the body of a template: text, parts of text, a dialogue, or one of these for each label."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prompt import Role
from bakeoff.domain.slots import slots_of
from bakeoff.inference.prompting.bodies import (
    EXAMPLES_SLOT,
    Body,
    Dialogue,
    Item,
    LabelWise,
    Part,
    Place,
    Plain,
    Text,
    Turn,
)

SECTIONS = ("begin", "round", "end")
ROLES = {"HUMAN": Role.USER, "BOT": Role.ASSISTANT, "SYSTEM": Role.SYSTEM}
TURN_KEYS = ("role", "prompt", "fallback_role")
PART_KEYS = ("text", "when")
SPEAKER = {"begin": Role.SYSTEM, "round": Role.USER, "end": Role.USER}
"""Who says a line that has no role, by its section."""

Fault = Callable[[str, str], NoReturn]
"""Raises for a field and its problem."""


@dataclass(frozen=True, slots=True)
class BodyReader:
    """Reads bodies; whatever is wrong is told by `fault`."""

    token: str
    """Where examples go; empty when only `{examples}` says so."""
    fault: Fault

    def body(self, given: object, field: str) -> Body:
        """Return a body of any kind.

        Args:
            given: Text, a list of parts, a mapping of begin, round and end, or a mapping from labels to one of these.
            field: Where it stands, for messages.

        Raises:
            InvalidInputError: it is none of these.
        """
        if not isinstance(given, Mapping) or self._is_dialogue(given, field):
            return self._plain(given, field)
        if not given:
            self.fault(field, "must not be an empty mapping")
        for label in given:
            if not isinstance(label, str | int) or isinstance(label, bool):
                self.fault(field, f"has the label {label!r}, which is no text; put it in quotes as it is to be read")
        return LabelWise(tuple((str(label), self._plain(body, f"{field}.{label}")) for label, body in given.items()))

    def _is_dialogue(self, given: Mapping[object, object], field: str) -> bool:
        sections = [key for key in given if key in SECTIONS]
        if sections and len(sections) < len(given):
            other = next(str(key) for key in given if key not in SECTIONS)
            self.fault(f"{field}.{other}", f"cannot stand beside {sections[0]}; a dialogue has {', '.join(SECTIONS)}")
        return bool(sections)

    def _plain(self, given: object, field: str) -> Plain:
        if not isinstance(given, Mapping):
            return self._text(given, field)
        if not self._is_dialogue(given, field):
            self.fault(
                field, f"must be text, parts of text or a dialogue, not a mapping with {', '.join(map(str, given))}"
            )
        if not given.get("round"):
            self.fault(f"{field}.round", "is missing: a dialogue needs the round in which the question is asked")
        begin, middle, end = (self._section(given.get(name), name, f"{field}.{name}") for name in SECTIONS)
        return Dialogue(begin, middle, end)

    def _section(self, given: object, section: str, field: str) -> tuple[Item, ...]:
        items = given if isinstance(given, list) else [] if given is None else [given]
        return tuple(
            item
            for index, each in enumerate(items)
            for item in self._items(each, section, f"{field}[{index}]" if isinstance(given, list) else field)
        )

    def _items(self, given: object, section: str, field: str) -> list[Item]:
        if isinstance(given, str):
            return self._line(given, section, field)
        if not isinstance(given, Mapping):
            self.fault(field, f"must be a turn with {', '.join(TURN_KEYS)}, or text, not {given!r}")
        self._check_keys(given, TURN_KEYS, field)
        role = self._role(given.get("role"), f"{field}.role")
        fallback = self._role(given["fallback_role"], f"{field}.fallback_role") if "fallback_role" in given else None
        if fallback is Role.SYSTEM:
            self.fault(f"{field}.fallback_role", "must be HUMAN or BOT, not SYSTEM")
        text = self._text(given.get("prompt", ""), f"{field}.prompt")
        return [Turn(role, text, fallback or (Role.USER if role is Role.SYSTEM else role))]

    def _line(self, given: str, section: str, field: str) -> list[Item]:
        """Return what a line without a role says, cut where the examples go."""
        role = SPEAKER[section]
        items: list[Item] = []
        for index, piece in enumerate(self._with_slot(given).split(EXAMPLES_SLOT)):
            if index:
                items.append(Place())
            if piece.strip():
                items.append(Turn(role, self._text(piece, field), Role.USER))
        return items

    def _text(self, given: object, field: str) -> Text:
        if isinstance(given, str):
            return Text((self._part(given, (), field),))
        if not isinstance(given, list):
            self.fault(field, f"must be text or a list of parts, not {given!r}")
        return Text(tuple(self._listed_part(part, f"{field}[{index}]") for index, part in enumerate(given)))

    def _listed_part(self, given: object, field: str) -> Part:
        if isinstance(given, str):
            return self._part(given, (), field)
        if not isinstance(given, Mapping) or not isinstance(given.get("text"), str):
            self.fault(field, f"must be text, or a mapping with {' and '.join(PART_KEYS)}, not {given!r}")
        self._check_keys(given, PART_KEYS, field)
        when = given.get("when", [])
        names = [when] if isinstance(when, str) else when
        if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
            self.fault(f"{field}.when", f"must be the name of a slot, or a list of names, not {when!r}")
        return self._part(given["text"], tuple(names), field)

    def _part(self, text: str, when: tuple[str, ...], field: str) -> Part:
        written = self._with_slot(text)
        try:
            slots_of(written)
        except InvalidInputError as error:
            self.fault(field, error.message)
        return Part(written, when)

    def _with_slot(self, text: str) -> str:
        return text.replace(self.token, EXAMPLES_SLOT) if self.token else text

    def _role(self, given: object, field: str) -> Role:
        if not isinstance(given, str) or given not in ROLES:
            self.fault(field, f"must be one of {', '.join(ROLES)}, not {given!r}")
        return ROLES[given]

    def _check_keys(self, given: Mapping[object, object], allowed: tuple[str, ...], field: str) -> None:
        for key in given:
            if key not in allowed:
                self.fault(f"{field}.{key}", f"is no known field (allowed: {', '.join(allowed)})")

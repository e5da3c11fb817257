"""A component of a recipe or a benchmark: its spec, which prints as its own signature, and its card."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from bakeoff.domain.errors import InvalidInputError

NAME = re.compile(r"[a-z][a-z0-9_]*")


class ComponentKind(StrEnum):
    """What a component is for; one registry each."""

    ADAPTER = "adapter"
    PARSER = "parser"
    CHUNKER = "chunker"
    EMBEDDER = "embedder"
    INDEX = "index"
    QUERY_ENGINE = "query_engine"
    GENERATOR = "generator"
    EVALUATOR = "evaluator"
    RENDERER = "renderer"
    EXAMPLE_RETRIEVER = "example_retriever"
    RERANKER = "reranker"


@dataclass(frozen=True, slots=True)
class ComponentSpec:
    """A component by name with its settings, such as `tokens(overlap=20, size=200)`."""

    name: str
    settings: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """JSON values by setting name; a setting that is left out has the component's default."""

    def __str__(self) -> str:
        """Print as the canonical signature: settings sorted by name, values as JSON. `parse` reads it back."""
        if not self.settings:
            return self.name
        inner = ", ".join(
            f"{key}={json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)}"
            for key, value in sorted(self.settings.items())
        )
        return f"{self.name}({inner})"

    def __hash__(self) -> int:
        """Hash the signature, since settings may hold lists."""
        return hash(str(self))

    def __eq__(self, other: object) -> bool:
        """Two specs are the same when their signatures are."""
        return isinstance(other, ComponentSpec) and str(self) == str(other)

    @classmethod
    def parse(cls, text: str) -> ComponentSpec:
        """Read a signature such as `tokens(size=200, overlap=20)`.

        Values are JSON; a bare word is taken as text.

        Raises:
            InvalidInputError: the text is no signature; the message shows it and what is expected.
        """
        name, bracket, rest = text.strip().partition("(")
        name = name.strip()
        if not NAME.fullmatch(name) or (bracket and not rest.rstrip().endswith(")")):
            raise InvalidInputError(f"{text!r} is no component; write it as name or name(setting=value, …)")
        return cls(name, _settings(rest.rstrip()[:-1], text) if bracket else {})


def _settings(inner: str, whole: str) -> dict[str, object]:
    settings: dict[str, object] = {}
    rest = inner.strip()
    decoder = json.JSONDecoder()
    while rest:
        match = re.match(r"([a-z][a-z0-9_]*)\s*=\s*", rest)
        if not match:
            raise InvalidInputError(f"{whole!r}: {rest!r} is no setting; write setting=value, …")
        rest = rest[match.end() :]
        try:
            value, used = decoder.raw_decode(rest)
        except json.JSONDecodeError:
            word = re.match(r"[^,()\"\[\]{}]+", rest)
            if not word:
                raise InvalidInputError(f"{whole!r}: {rest!r} is no value; write JSON or a bare word") from None
            value, used = word.group().strip(), word.end()
        if match.group(1) in settings:
            raise InvalidInputError(f"{whole!r}: the setting {match.group(1)!r} stands there twice")
        settings[match.group(1)] = value
        rest = rest[used:].lstrip()
        if rest and not rest.startswith(","):
            raise InvalidInputError(f"{whole!r}: expected a comma before {rest!r}")
        rest = rest[1:].lstrip()
    return settings


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting that a component takes."""

    name: str
    type: str
    """One of bool, int, float, str, path (made absolute by who reads a file), list, mapping."""
    default: object = None
    """JSON value; only meaningful when `required` is false."""
    required: bool = False
    minimum: float | None = None
    """Smallest value allowed; None when there is no bound."""
    maximum: float | None = None
    """Largest value allowed; None when there is no bound."""
    choices: tuple[object, ...] = ()
    """The values allowed; empty when any of the type is."""
    below: str | None = None
    """Name of another setting that this one must be smaller than; None when there is none."""
    doc: str = ""
    """What it does, with its unit."""
    nullable: bool = False
    """Whether null is allowed."""
    slots: tuple[str, ...] = ()
    """Slots that the text may have, such as `{question}`; empty when it is no template."""
    needed_slots: tuple[str, ...] = ()
    """Of these, those that it must have."""


@dataclass(frozen=True, slots=True)
class ComponentCard:
    """What is known of a component without importing it: enough to check a recipe and to fill in defaults."""

    kind: ComponentKind
    name: str
    version: str
    """Changes whenever the component's results change; part of every key that depends on it."""
    settings: tuple[Setting, ...] = ()
    doc: str = ""
    """The first line of its docstring."""
    facts: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """What checks across components need, such as `{"needs_indexes": ["bm25"]}`; JSON values."""

    def resolve(self, spec: ComponentSpec) -> ComponentSpec:
        """Return the spec with every default filled in, so that two ways to say the same are the same."""
        known = {setting.name: setting.default for setting in self.settings if not setting.required}
        floats = {setting.name for setting in self.settings if setting.type == "float"}
        merged = {**known, **spec.settings}
        return ComponentSpec(
            spec.name,
            {name: _as_float(value) if name in floats else value for name, value in merged.items()},
        )


def _as_float(value: object) -> object:
    # 1 and 1.0 are one number and must be one signature.
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value

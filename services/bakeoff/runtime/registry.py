"""Plug-ins by name: one file each, found in their package, by entry point, or in a module named by the operator."""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import entry_points
from typing import Annotated, Generic, TypeVar, get_args, get_origin, get_type_hints

from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec, Setting
from bakeoff.domain.errors import InvalidInputError, NotFoundError, Violation
from bakeoff.domain.slots import check_slots, slots_of
from bakeoff.runtime.key_addresses import refusal
from bakeoff.runtime.settings import KEY_PREFIX
from bakeoff.runtime.written_secrets import KEY, LIKE_A_NAME, NAME, shown_name, written_secrets

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Is:
    """What a setting's annotation says beside its type: `size: Annotated[int, Is("tokens", minimum=1)]`."""

    doc: str
    """What the setting does, with its unit."""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[object, ...] = ()
    below: str | None = None
    """Another setting that must be larger."""
    path: bool = False
    """Whether the text is a local path or an address; made absolute by who reads a file."""
    slots: tuple[str, ...] = ()
    """Slots that the text may have; empty when it is no template."""
    needed_slots: tuple[str, ...] = ()
    """Of these, those that it must have."""


class Registry(Generic[T]):
    """All components of one kind.

    A component is a factory function with keyword-only settings, whose annotations and docstring make its card.
    """

    def __init__(self, kind: ComponentKind, package: str) -> None:
        """Make an empty registry.

        Args:
            kind: What its components are for.
            package: Import path of the package whose modules register the built-in ones.
        """
        self.kind = kind
        self._package = package
        self._factories: dict[str, Callable[..., T]] = {}
        self._cards: dict[str, ComponentCard] = {}
        self._loaded = False

    def register(
        self, name: str, *, version: str = "1", facts: Mapping[str, object] | None = None
    ) -> Callable[[Callable[..., T]], Callable[..., T]]:
        """Register a factory under a name.

        Args:
            name: Name in recipes: lower case, digits, underscores.
            version: Must change whenever the component's results change.
            facts: What checks across components need; JSON values.

        Raises:
            ValueError: the name is taken by another factory, or the factory's settings cannot be told.
        """

        def add(factory: Callable[..., T]) -> Callable[..., T]:
            if name in self._factories:
                raise ValueError(f"two {self.kind.value}s are named {name!r}")
            doc = (inspect.getdoc(factory) or "").partition("\n")[0]
            self._cards[name] = ComponentCard(self.kind, name, version, _settings_of(factory), doc, dict(facts or {}))
            self._factories[name] = factory
            return factory

        return add

    def load(self, plugins: Sequence[str] = ()) -> Registry[T]:
        """Import the built-in modules, entry points of the group `bakeoff.<kind>`, and the modules that are named.

        Raises:
            InvalidInputError: a plug-in cannot be imported; names the module and who asked for it.
        """
        if not self._loaded:
            self._loaded = True
            package = importlib.import_module(self._package)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{self._package}.{module.name}")
            for entry in entry_points(group=f"bakeoff.{self.kind.value}"):
                _plug_in(f"the entry point {entry.name!r} of {entry.group!r} names {entry.value!r}", entry.load)
        for plugin in plugins:
            _plug_in(f"BAKEOFF_PLUGINS names the module {plugin!r}", partial(importlib.import_module, plugin))
        return self

    def names(self) -> list[str]:
        """Return all names, sorted."""
        return sorted(self._cards)

    def cards(self) -> list[ComponentCard]:
        """Return all cards by name."""
        return [self._cards[name] for name in self.names()]

    def card(self, name: str) -> ComponentCard:
        """Return the card of a component.

        Raises:
            NotFoundError: there is none of that name; the message has the nearest and all known names.
        """
        if name not in self._cards:
            raise NotFoundError(unknown(self.kind, name, self.names()))
        return self._cards[name]

    def make(self, spec: ComponentSpec) -> T:
        """Make a component from its spec, after checking its settings.

        Raises:
            NotFoundError: there is none of that name.
            InvalidInputError: a setting is unknown, missing, of another type or out of range.
        """
        card = self.card(spec.name)
        violations = check_settings(card, spec, field=str(spec.name))
        if violations:
            # Without its settings: a secret may be among them, and what is wrong is said of each.
            raise InvalidInputError(f"the {self.kind.value.replace('_', ' ')} {spec.name} cannot be made", violations)
        return self._factories[spec.name](**spec.settings)


def _plug_in(asked_by: str, load: Callable[[], object]) -> None:
    try:
        load()
    except Exception as error:  # a plug-in's own code may raise anything
        absent = isinstance(error, ModuleNotFoundError) and f"{error.name}'" in asked_by
        hint = "; is its folder in PYTHONPATH?" if absent else ""
        raise InvalidInputError(f"{asked_by}, which cannot be loaded: {type(error).__name__}: {error}{hint}") from error


def unknown(kind: ComponentKind, name: str, known: Sequence[str]) -> str:
    """Return the message for an unknown component: what was asked, the nearest name, all known names."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"no {kind.value.replace('_', ' ')} is named {name!r}; {hint}known: {', '.join(known) or 'none'}"


def check_settings(card: ComponentCard, spec: ComponentSpec, field: str) -> list[Violation]:
    """Return what is wrong with a spec's settings, by the card alone.

    Args:
        card: The component's card.
        spec: What somebody wrote.
        field: Path of the spec in its file, for the messages.
    """
    known = {setting.name: setting for setting in card.settings}
    violations = []
    for name in spec.settings:
        if name not in known:
            near = difflib.get_close_matches(name, list(known), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            violations.append(
                Violation(
                    f"{field}.{name}",
                    f"{card.name} has no setting {name!r}{hint} (allowed: {', '.join(known) or 'none'})",
                )
            )
    resolved = card.resolve(spec).settings
    for setting in card.settings:
        if setting.required and setting.name not in spec.settings:
            violations.append(Violation(f"{field}.{setting.name}", f"{card.name} needs the setting {setting.name!r}"))
        elif setting.name in resolved:
            problem = _problem(setting, resolved[setting.name], resolved)
            if problem:
                violations.append(Violation(f"{field}.{setting.name}", problem))
    return [*violations, *written_secrets(spec.settings, field), *_key_faults(card, resolved, field)]


def _key_faults(card: ComponentCard, settings: Mapping[str, object], field: str) -> list[Violation]:
    name = settings.get(KEY)
    if not isinstance(name, str) or not name or not any(setting.name == KEY for setting in card.settings):
        return []
    problem = _key_problem(card, name, str(settings.get("base_url", "")))
    return [Violation(f"{field}.{KEY}", problem)] if problem else []


def _key_problem(card: ComponentCard, name: str, base_url: str) -> str | None:
    """Return what is wrong with the name of a key; what may be the key itself is not repeated."""
    if not NAME.fullmatch(name):
        return "must be the name of a key, not a key: letters, digits and _ . - only, at most 64"
    known, sent_to = card.facts.get("keys"), card.facts.get("keys_sent_to")
    # As variables, they have no case.
    if isinstance(known, list | tuple) and name not in known and name.lower() not in known:
        advice = f"set {KEY_PREFIX}{name.upper()}" if LIKE_A_NAME.fullmatch(name) else "write its name, not the key"
        return f"there is no key {shown_name(name)} (known: {', '.join(map(str, known)) or 'none'}): {advice}"
    if isinstance(sent_to, Mapping):
        return refusal(name, base_url, {str(key).lower(): list(places) for key, places in sent_to.items()})
    return None


TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "path": (str,),
    "list": (list, tuple),
    "mapping": (dict, types.MappingProxyType),
}


def _problem(setting: Setting, value: object, others: Mapping[str, object]) -> str | None:
    if value is None:
        return None if setting.nullable or setting.default is None else f"must be {setting.type}, not null"
    if not isinstance(value, TYPES[setting.type]) or (isinstance(value, bool) and setting.type != "bool"):
        return f"must be {setting.type}, not {type(value).__name__} {value!r}"
    if setting.choices and value not in setting.choices:
        near = difflib.get_close_matches(str(value), [str(choice) for choice in setting.choices], n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return f"must be one of {', '.join(map(repr, setting.choices))}, not {value!r}{hint}"
    if setting.slots and isinstance(value, str):
        return _slot_problem(setting, value)
    if isinstance(value, int | float):
        if value != value or value in (float("inf"), float("-inf")):
            return f"must be a finite number, not {value!r}"
        if setting.minimum is not None and value < setting.minimum:
            return f"must be at least {setting.minimum:g}, not {value!r}"
        if setting.maximum is not None and value > setting.maximum:
            return f"must be at most {setting.maximum:g}, not {value!r}"
        limit = others.get(setting.below) if setting.below else None
        if isinstance(limit, int | float) and value >= limit:
            return f"must be smaller than {setting.below} ({limit}), not {value!r}"
    return None


def _slot_problem(setting: Setting, template: str) -> str | None:
    try:
        check_slots(template, setting.slots)
    except InvalidInputError as error:
        return str(error)
    lacking = [name for name in setting.needed_slots if name not in slots_of(template)]
    return f"must have the slot {{{lacking[0]}}}" if lacking else None


def _settings_of(factory: Callable[..., object]) -> tuple[Setting, ...]:
    hints = get_type_hints(factory, include_extras=True)
    settings = []
    for parameter in inspect.signature(factory).parameters.values():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            raise ValueError(f"{factory.__qualname__}: the setting {parameter.name!r} must be keyword-only")
        required = parameter.default is inspect.Parameter.empty
        settings.append(
            _setting(parameter.name, hints[parameter.name], None if required else parameter.default, required)
        )
    return tuple(settings)


def _setting(name: str, hint: object, default: object, required: bool) -> Setting:
    extra = Is("")
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        extra = next((note for note in notes if isinstance(note, Is)), extra)
    nullable = False
    if get_origin(hint) in (types.UnionType, typing.Union):
        arms = [arm for arm in get_args(hint) if arm is not type(None)]
        nullable = len(arms) < len(get_args(hint))
        hint = arms[0] if len(arms) == 1 else str
    choices = extra.choices
    if get_origin(hint) is typing.Literal:
        choices = get_args(hint)
        hint = type(choices[0])
    origin = get_origin(hint) or hint
    names = {bool: "bool", int: "int", float: "float", str: "str", list: "list", tuple: "list", dict: "mapping"}
    kind = names.get(typing.cast(type, origin), "mapping" if re.search("Mapping", str(origin)) else "str")
    return Setting(
        name,
        "path" if extra.path else kind,
        list(default) if isinstance(default, tuple) else default,
        required,
        extra.minimum,
        extra.maximum,
        choices,
        extra.below,
        extra.doc,
        nullable,
        extra.slots,
        extra.needed_slots,
    )

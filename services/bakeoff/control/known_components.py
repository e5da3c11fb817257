"""One component of a request against its card: is it known, are its settings right, what are all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bakeoff.control.findings import Findings
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.model_pins import pin_problem
from bakeoff.runtime.nested import inner_kinds, resolve_nested
from bakeoff.runtime.registry import check_settings, unknown


class KnownComponents:
    """The components that there are; what is wrong with a spec is noted."""

    def __init__(self, cards: Sequence[ComponentCard], findings: Findings) -> None:
        """Know all cards, and where to note."""
        self.cards = {(card.kind, card.name): card for card in cards}
        self.names: dict[ComponentKind, list[str]] = {}
        """By kind, sorted."""
        for card in sorted(cards, key=lambda card: card.name):
            self.names.setdefault(card.kind, []).append(card.name)
        self._found = findings

    def resolve(self, kind: ComponentKind, spec: ComponentSpec, field: str) -> ComponentSpec:
        """Return a component with all its settings, and note what is wrong with it."""
        if kind not in self.names:
            self._found.missing.add(kind)
            return spec
        card = self.cards.get((kind, spec.name))
        if card is None:
            self._found.wrong(field, unknown(kind, spec.name, self.names[kind]))
            return spec
        self._found.violations.extend(check_settings(card, spec, field))
        if refused := card.facts.get("refused"):
            self._found.wrong(field, f"{spec.name} is refused: {refused}")
        siblings = {name: self.cards[kind, name] for name in self.names[kind]}
        resolved, wrong = resolve_nested(card, card.resolve(spec), siblings, field)
        self._found.violations.extend(wrong)
        if problem := pin_problem(card, resolved):
            self._found.wrong(field, problem)
        return self._inner(card, resolved, field)

    def fact(self, kind: ComponentKind, spec: ComponentSpec, name: str) -> object:
        """Return a fact of a component's card; None when it has no such fact or is not known."""
        card = self.cards.get((kind, spec.name))
        return card.facts.get(name) if card else None

    def _inner(self, card: ComponentCard, spec: ComponentSpec, field: str) -> ComponentSpec:
        """Return a component in whose settings those of other kinds have all their settings."""
        settings = dict(spec.settings)
        for name, kind in inner_kinds(card).items():
            if not isinstance(settings.get(name), str):  # lacking or of another type is a fault already
                continue
            try:
                inner = ComponentSpec.parse(str(settings[name]))
            except InvalidInputError as error:
                self._found.wrong(f"{field}.{name}", str(error))
                continue
            settings[name] = str(self.resolve(kind, inner, f"{field}.{name}"))
        return replace(spec, settings=settings)

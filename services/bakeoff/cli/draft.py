"""A request in the making: what is wrong with its files, and where each of its parts stands."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace

from bakeoff.cli.shape import Key, Shape
from bakeoff.cli.yaml_values import Value
from bakeoff.domain.component import ComponentCard, ComponentKind
from bakeoff.domain.errors import Violation

Found = dict[str, Value]


class Draft:
    """Collects faults while files are read.

    A path is that of a part of the request, such as `benchmarks[0].adapter`; a field is that of a value in its file,
    such as `benchmarks[0].folder`.
    """

    def __init__(self, cards: Sequence[ComponentCard]) -> None:
        """Begin with nothing wrong.

        Args:
            cards: Components that are known; they tell settings that are paths, and names from other keys.
        """
        self.cards = {(card.kind, card.name): card for card in cards}
        self.faults: list[Violation] = []
        self._places: dict[str, Value] = {}

    def names(self, kind: ComponentKind) -> list[str]:
        """Return the names of the components of a kind, sorted."""
        return sorted(name for known, name in self.cards if known is kind)

    def place(self, path: str, value: Value) -> None:
        """Remember where a part of the request stands."""
        self._places[path] = value

    def fault(self, value: Value, problem: str, key: str = "") -> None:
        """Note what is wrong with a value, or with a key that it lacks."""
        self.faults.append(value.fault(problem, key))

    def mapping(self, value: Value, shape: Shape) -> Found:
        """Return a mapping's known keys; unknown and lacking ones are faults. A null that is allowed is left out."""
        if not isinstance(value.data, dict):
            self.fault(
                value,
                f"must be a mapping with the keys {', '.join(key.name for key in shape)}, not {value.described()}",
            )
            return {}
        known = {key.name: key for key in shape}
        found = {}
        for name, item in value.data.items():
            if name not in known:
                self.unknown_key(item, name, list(known))
            elif not (item.data is None and known[name].nullable):
                found[name] = item
        for key in shape:
            if key.required and key.name not in value.data:
                self.fault(value, f"is missing ({key.doc[0].lower()}{key.doc[1:].rstrip('.')})", key.name)
        return found

    def unknown_key(self, item: Value, name: str, known: Sequence[str]) -> None:
        """Note a key that nobody knows, with the nearest that somebody does."""
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        self.fault(item, f"there is no key {name!r} here; {hint}allowed: {', '.join(known)}")

    def scalars(self, found: Found, shape: Shape, path: str) -> dict[str, object]:
        """Return the text and numbers among the keys that were found, and remember where they stand.

        A value of the wrong type is a fault and stands in as that type's empty value. Ranges are not checked here.
        """
        values: dict[str, object] = {}
        for key in shape:
            if key.name not in found or key.type not in _EMPTY:
                continue
            value = found[key.name]
            self.place(f"{path}.{key.name}" if path else key.name, value)
            values[key.name] = self._scalar(value, key)
        return values

    def _scalar(self, value: Value, key: Key) -> object:
        data = value.data
        if key.type == "text":
            if isinstance(data, str):
                return data
            hint = "; put it in quotes" if isinstance(data, bool | int | float) else ""
            if isinstance(data, dict):
                hint = f"; with `{key.name}: |`, what stands below is text"
            self.fault(value, f"must be text, not {value.described()}{hint}")
        elif key.type == "flag":
            if isinstance(data, bool):
                return data
            self.fault(value, f"must be true or false, not {value.described()}")
        elif isinstance(data, bool) or not isinstance(data, int if key.type == "integer" else int | float):
            what = "a whole number" if key.type == "integer" else "a number"
            self.fault(value, f"must be {what}, not {value.described()}")
        else:
            return data
        return _EMPTY[key.type]

    def located(self, violations: Sequence[Violation]) -> list[Violation]:
        """Return violations of the request as violations of its files.

        Those of a part that could not be read are left out: they would only say again what a fault says already.
        """
        placed = [self._located(violation) for violation in violations]
        return [one for one in placed if not any(_within(one, fault) or _within(fault, one) for fault in self.faults)]

    def _located(self, violation: Violation) -> Violation:
        if violation.file:  # stands in a file of the benchmark's
            return violation
        path = violation.field
        while path not in self._places:
            cut = max(path.rfind("."), path.rfind("["))
            if cut < 0:
                whole = self._places[""]
                return replace(violation, file=whole.file, line=whole.line)
            path = path[:cut]
        value = self._places[path]
        rest = violation.field[len(path) :]
        return Violation((value.field + rest).removeprefix("."), violation.problem, value.file, value.line)


_EMPTY: dict[str, object] = {"text": "", "integer": 1, "number": 0.5, "flag": False}


def _within(inner: Violation, outer: Violation) -> bool:
    if inner.file != outer.file or not inner.field.startswith(outer.field):
        return False
    return inner.field == outer.field or not outer.field or inner.field[len(outer.field)] in ".["

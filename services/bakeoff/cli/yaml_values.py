"""YAML as values that know where they stand: file, line and field.

The scalars are those of YAML 1.2's core schema: `no`, `on`, `2024-01-01` and `1:30` stay the text that they are.
Anchors are allowed; duplicate keys, keys that are no text, tags, NaN and infinity are not.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import yaml

from bakeoff.domain.errors import Violation

LARGEST_TREE = 100_000  # values after anchors are spelled out: far beyond any evaluation, far below a memory's end
NO_TEXT = re.compile("[\0\ud800-\udfff]")  # neither a path nor UTF-8 can hold them
LONGEST_SHOWN = 60  # characters of a text in a message
TAG = "tag:yaml.org,2002:"


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a YAML file."""

    data: bool | int | float | str | list[Value] | dict[str, Value] | None
    field: str
    """Path in the file, such as `recipes[0].build`; empty for the whole."""
    file: str
    """As the user knows it."""
    line: int
    """Where it, or its key, starts; from 1."""

    def fault(self, problem: str, key: str = "") -> Violation:
        """Return a violation at this value, or at one of its keys that is not there."""
        return Violation(self.field_of(key) if key else self.field, problem, self.file, self.line)

    def field_of(self, key: str) -> str:
        """Return the path of a key of this mapping."""
        return f"{self.field}.{key}" if self.field else key

    def plain(self) -> object:
        """Return the value as JSON types."""
        if isinstance(self.data, list):
            return [item.plain() for item in self.data]
        if isinstance(self.data, dict):
            return {key: item.plain() for key, item in self.data.items()}
        return self.data

    def described(self) -> str:
        """Return what it is, for a message that says what it is not."""
        if isinstance(self.data, list):
            return "a list"
        if isinstance(self.data, dict):
            return "a mapping"
        if self.data is None:
            return "empty"
        if isinstance(self.data, bool):
            return str(self.data).lower()
        if isinstance(self.data, str):
            return f"the text {self.data if len(self.data) <= LONGEST_SHOWN else self.data[:LONGEST_SHOWN] + '…'!r}"
        return f"the number {self.data!r}"


def parse(text: str, file: str) -> tuple[Value | None, list[Violation]]:
    """Read one YAML document.

    Args:
        text: The file's text.
        file: Name of the file for the messages.

    Returns:
        The value, None when nothing can be made of the text; and all faults. What is faulty stands in the value as
        something harmless of its kind, so that the rest can still be checked.
    """
    try:
        node = _CoreLoader(text.removeprefix("\ufeff")).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        because = f" ({error.context})" if error.context else ""
        return None, [Violation("", f"is no YAML: {error.problem}{because}", file, mark.line + 1 if mark else None)]
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, int(error.position)) + 1
        return None, [
            Violation("", f"is no YAML: the character {chr(int(error.character))!r} is not allowed", file, line)
        ]
    except RecursionError:
        return None, [Violation("", "is nested too deeply", file, 1)]
    if node is None:
        return None, [Violation("", "is empty", file, 1)]
    tree = _Tree(file)
    try:
        value = tree.value(node, "", node.start_mark.line + 1)
    except _TooLargeError:
        return None, [
            Violation("", f"holds more than {LARGEST_TREE:,} values, or an anchor that holds itself", file, 1)
        ]
    return value, tree.faults


class _CoreLoader(yaml.SafeLoader):
    """PyYAML's parser with the scalars of YAML 1.2's core schema instead of those of YAML 1.1."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012  # PyYAML's own shape


for _tag, _pattern, _first in (
    ("null", r"null|Null|NULL|~|", ["n", "N", "~", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        list("-+0123456789."),
    ),
):
    _CoreLoader.add_implicit_resolver(TAG + _tag, re.compile(f"^(?:{_pattern})$"), _first)


class _TooLargeError(Exception):
    """The tree has too many values once anchors are spelled out."""


class _Tree:
    """Makes values of nodes and notes what is wrong with them."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._count = 0
        self.faults: list[Violation] = []

    def value(self, node: yaml.Node, field: str, line: int) -> Value:
        self._count += 1
        if self._count > LARGEST_TREE or field.count(".") + field.count("[") > 200:
            raise _TooLargeError
        if isinstance(node, yaml.MappingNode):
            if node.tag != TAG + "map":
                self._fault(field, line, f"has the tag {node.tag!r}; tags are not allowed")
            return Value(self._mapping(node, field), field, self._file, line)
        if isinstance(node, yaml.SequenceNode):
            if node.tag != TAG + "seq":
                self._fault(field, line, f"has the tag {node.tag!r}; tags are not allowed")
            items = [self.value(item, f"{field}[{i}]", item.start_mark.line + 1) for i, item in enumerate(node.value)]
            return Value(items, field, self._file, line)
        return Value(self._scalar(node, field, line), field, self._file, line)

    def _mapping(self, node: yaml.MappingNode, field: str) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode) or key_node.tag != TAG + "str":
                shown = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else "?"
                self._fault(f"{field}.{shown}".removeprefix("."), line, "is a key that is no text; keys must be text")
                continue
            key = str(key_node.value)
            path = f"{field}.{key}" if field else key
            if key in found:
                self._fault(path, line, f"stands there twice; first on line {found[key].line}")
                continue
            found[key] = self.value(value_node, path, line)
        return found

    def _scalar(self, node: yaml.Node, field: str, line: int) -> bool | int | float | str | None:
        text = str(node.value)
        if node.tag == TAG + "null":
            return None
        if node.tag == TAG + "bool":
            return text.lower() == "true"
        if node.tag in (TAG + "int", TAG + "float"):
            return self._number(text, field, line, whole=node.tag == TAG + "int")
        if node.tag != TAG + "str":
            self._fault(field, line, f"has the tag {node.tag!r}; tags are not allowed")
        if NO_TEXT.search(text):
            self._fault(field, line, f"holds a character that no text may have: {text!r}")
            return ""
        return text

    def _number(self, text: str, field: str, line: int, *, whole: bool) -> int | float:
        """Read a number; the text may be none when an explicit tag says that it is one."""
        bases = {"0o": 8, "0x": 16}
        try:
            if whole:
                # Python refuses to read some thousands of digits, with a ValueError too.
                return int(text[2:], bases[text[:2]]) if text[:2] in bases else int(text)
            number = float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            self._fault(field, line, f"must be a finite number, not {text[:40]}")
            return 0
        return number

    def _fault(self, field: str, line: int, problem: str) -> None:
        self.faults.append(Violation(field, problem, self._file, line))

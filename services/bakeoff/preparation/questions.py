"""The YAML file of questions: a few words about the benchmark, and its cases."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError, NotFoundError, Violation
from bakeoff.preparation.written_cases import CaseReader

ABOUT = ("name", "version", "split", "licence", "homepage", "citation")


@dataclass(frozen=True, slots=True)
class Questions:
    """What stands in the file."""

    cases: tuple[Case, ...]
    lines: dict[str, int]
    """Line, from 1, by case id."""
    about: dict[str, str]
    """What the file says of the benchmark: name, version, split, licence, homepage, citation."""
    guesses: tuple[str, ...] = ()
    """Which column of a table was taken for what, by its name alone; empty when nothing was guessed."""


def read_questions(path: Path) -> Questions:
    """Read a YAML file of questions.

    Raises:
        NotFoundError: there is no such file.
        InvalidInputError: it is no YAML, or a case is wrong; tells all faults with their lines.
    """
    try:
        stamp = path.stat()
    except OSError as error:
        raise NotFoundError(f"the questions file {str(path)!r} cannot be read: {error.strerror}") from error
    return _read(path, stamp.st_size, stamp.st_mtime_ns)


@lru_cache(maxsize=4)  # a benchmark asks several times; size and time notice a file that was changed in between
def _read(path: Path, size_bytes: int, modified_ns: int) -> Questions:
    root = _compose(path)
    if not isinstance(root, yaml.MappingNode):
        raise _wrong(path, [Violation("", "must be a mapping with cases", str(path), 1)])
    reader = CaseReader(path)
    cases: list[tuple[Case, int]] = []
    about: dict[str, str] = {}
    for key, node in root.value:
        name = str(key.value)
        if name == "cases" and isinstance(node, yaml.SequenceNode):
            cases = _cases(node, reader)
        elif name in ABOUT and isinstance(node, yaml.ScalarNode):
            about[name] = str(node.value)
        else:
            problem = "must be a list" if name == "cases" else _unknown(name)
            reader.faults.append(Violation(name, problem, str(path), key.start_mark.line + 1))
    if not cases and not reader.faults:
        reader.faults.append(Violation("cases", "must have at least one case", str(path), 1))
    if reader.faults:
        raise _wrong(path, reader.faults)
    return Questions(tuple(case for case, _ in cases), {case.case_id: line for case, line in cases}, about)


def _cases(node: yaml.SequenceNode, reader: CaseReader) -> list[tuple[Case, int]]:
    """Return each case and its line, which several may share."""
    cases: list[tuple[Case, int]] = []
    for index, item in enumerate(node.value):
        line, place = item.start_mark.line + 1, f"cases[{index}]"
        for path, twice in _repeated(item, place):  # YAML itself would quietly take the last
            reader.faults.append(Violation(path, "stands there twice", str(reader.file), twice))
        try:
            given = yaml.constructor.SafeConstructor().construct_document(item)
        except (yaml.YAMLError, ValueError) as error:  # a date such as 2032-13-01 is a ValueError
            reader.faults.append(Violation(place, str(error), str(reader.file), line))
            continue
        case = reader.read(given, place, line)
        if case:
            cases.append((case, line))
    return cases


def _repeated(node: yaml.Node, place: str) -> Iterator[tuple[str, int]]:
    """Yield the place and line of each field that its mapping had before."""
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _repeated(item, f"{place}[{index}]")
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            path = f"{place}.{key.value}"
            if path in seen:
                yield path, key.start_mark.line + 1
            seen.add(path)
            yield from _repeated(value, path)


def _unknown(name: str) -> str:
    known = ("cases", *ABOUT)
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"is no known field{hint} (allowed: {', '.join(known)})"


def _compose(path: Path) -> yaml.Node | None:
    try:
        return yaml.compose(path.read_bytes(), Loader=_LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = str(getattr(error, "problem", None) or error)
        raise _wrong(path, [Violation("", problem, str(path), mark.line + 1 if mark else None)]) from error


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one is ten times as fast, and not everywhere


def _wrong(path: Path, faults: list[Violation]) -> InvalidInputError:
    return InvalidInputError(f"{str(path)!r} cannot be read as questions", faults)

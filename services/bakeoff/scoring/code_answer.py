"""The program that an answer and the tests of its case make together."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from bakeoff.domain.benchmark import Case

FENCE = re.compile(
    r"^[ \t]*(?P<mark>```+|~~~+)[ \t]*(?P<language>[\w+-]*)[^\n]*\n(?P<code>.*?)(?:^[ \t]*(?P=mark)[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
PYTHON = ("python", "py", "python3")


@dataclass(frozen=True, slots=True)
class CodeTests:
    """The tests of a case."""

    setup: str
    """Source that runs before the tests, such as imports; may be empty."""
    source: str
    """The tests themselves."""
    entry_point: str
    """Name of what is tested; empty when the tests call it by themselves."""
    prefix: str
    """Source that the answer continues, such as a signature with its docstring; empty for none."""


def case_tests(case: Case) -> CodeTests | None:
    """Return the tests of a case; None when it has none.

    `metadata["tests"]` is a list of statements as in MBPP, with `test_setup_code` before them; `metadata["test_code"]`
    is a module as in HumanEval, whose `check` is called with `metadata["entry_point"]`. The prefix is
    `metadata["code_prefix"]`, else the query when it is Python that defines the entry point.
    """
    metadata = case.metadata
    entry_point = str(metadata.get("entry_point") or "")
    setup = str(metadata.get("test_setup_code") or "")
    prefix = metadata.get("code_prefix")
    if not isinstance(prefix, str):
        prefix = case.query if entry_point and defines(case.query, entry_point) else ""
    tests = metadata.get("tests")
    if isinstance(tests, list | tuple) and tests:
        return CodeTests(setup, "\n".join(map(str, tests)), entry_point, prefix)
    code = metadata.get("test_code")
    if isinstance(code, str) and code.strip():
        # HumanEval's test modules define `check` and leave the call to who runs them.
        call = f"\n\ncheck({entry_point})\n" if entry_point and defines(code, "check") else ""
        return CodeTests(setup, code + call, entry_point, prefix)
    return None


def code_of(answer: str) -> str:
    """Return the code of an answer: its last fenced block of Python, else its last fenced block, else all of it.

    Leading indentation is kept: it is a part of the code, above all when the answer continues a function.
    """
    blocks = list(FENCE.finditer(answer))
    python = [block for block in blocks if block["language"].lower() in PYTHON]
    if chosen := python or blocks:
        return chosen[-1]["code"]
    return answer


def program_of(code: str, tests: CodeTests) -> tuple[tuple[str, str], ...]:
    """Return the pieces of the program, by name: the answer with what it continues, then the tests.

    An answer that defines the entry point by itself stands beside the prefix, whose imports it may need; any other
    continues it.
    """
    answer = tests.prefix + code
    if tests.prefix and (not tests.entry_point or defines(code, tests.entry_point)):
        whole = tests.prefix + "\n" if parses(tests.prefix) else ""
        answer = whole + code if tests.entry_point else answer
    pieces = (("answer", answer), ("setup", tests.setup), ("tests", tests.source))
    return tuple(piece for piece in pieces if piece[1].strip())


def parses(source: str) -> bool:
    """Return whether a text is Python."""
    return _tree(source) is not None


def defines(source: str, name: str) -> bool:
    """Return whether a text is Python that defines a name at its top level."""
    tree = _tree(source)
    return tree is not None and any(name in _names(statement) for statement in tree.body)


def _tree(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _names(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Assign):
        return {target.id for target in statement.targets if isinstance(target, ast.Name)}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name for alias in statement.names}
    return set()

"""Answers by rule from a file: a model for tests and demonstrations that is never down and never surprises."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import yaml

from bakeoff.domain.answer import Passage
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.identity import digest_of
from bakeoff.inference.generator import Generated, Generator
from bakeoff.inference.registries import generators
from bakeoff.runtime.registry import Is

WHEN = ("case", "question", "prompt")
"""What a rule may look at; all that it names must match."""


@generators.register("mock")
def mock(*, path: Annotated[str, Is("YAML or JSON file with `rules` and a `default`", path=True)]) -> Generator:
    """Answer by the first rule of a file that matches.

    The file has `rules`, each with an `answer` and at least one of `case` (the case's id), `question` and `prompt` (a
    regular expression that is searched for, `.` matching line ends too), and optionally a `default`. A case that no
    rule matches, in a file without a default, fails.
    """
    return Mock.read(Path(path))


@dataclass(frozen=True, slots=True)
class Rule:
    """When to say what."""

    answer: str
    case: str | None = None
    """None looks at no id."""
    question: re.Pattern[str] | None = None
    """None looks at no question."""
    prompt: re.Pattern[str] | None = None
    """None looks at no prompt."""

    def matches(self, case_id: str, question: str, prompt: str) -> bool:
        """Say whether the rule is meant for a case."""
        return (
            (self.case is None or self.case == case_id)
            and (self.question is None or self.question.search(question) is not None)
            and (self.prompt is None or self.prompt.search(prompt) is not None)
        )


@dataclass(frozen=True, slots=True)
class Mock:
    """A generator that looks its answers up."""

    rules: tuple[Rule, ...]
    default: str | None
    """None fails the cases that no rule matches."""
    digest: str
    """SHA-256 over the content of the file, 64 hexadecimal digits."""

    @classmethod
    def read(cls, path: Path) -> Mock:
        """Read the rules of a file.

        Raises:
            InvalidInputError: the file cannot be read, or holds no such rules; names every fault.
        """
        found = _content(path)
        violations: list[Violation] = []
        if not isinstance(found, Mapping) or not set(found) <= {"rules", "default"}:
            raise InvalidInputError(f"the file of rules {path} must hold `rules` and `default`, and nothing else")
        given = found.get("rules") or ()
        if not isinstance(given, list | tuple):
            raise InvalidInputError(f"{path}: `rules` must be a list, not {type(given).__name__}")
        rules = [_rule(item, f"rules[{number}]", str(path), violations) for number, item in enumerate(given)]
        default = found.get("default")
        if default is not None and not isinstance(default, str):
            violations.append(Violation("default", f"must be text, not {default!r}", str(path)))
        if not given and default is None:
            violations.append(Violation("rules", "must have a rule, or the file a default", str(path)))
        if violations:
            raise InvalidInputError("the rules cannot be used", violations)
        return cls(tuple(rules), default, digest_of(found))

    def generate(self, question: str, passages: Sequence[Passage], *, seed: int, case_id: str) -> Generated:
        """Answer a question; its prompt is the passages' texts and the question, a line each."""
        prompt = "\n".join([*(passage.text or "" for passage in passages), question])
        return Generated(self.reply(prompt, question=question, case_id=case_id))

    def reply(self, prompt: str, *, question: str = "", case_id: str = "") -> str:
        """Return the answer to a prompt.

        Raises:
            InvalidInputError: no rule matches, and there is no default.
        """
        for rule in self.rules:
            if rule.matches(case_id, question, prompt):
                return rule.answer
        if self.default is None:
            raise InvalidInputError(f"no rule matches the case {case_id!r}, and the file has no default")
        return self.default


def _content(path: Path) -> object:
    """Return what a file holds, with numbers as they are written: an id of digits is text."""
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            return json.loads(text, parse_int=str, parse_float=str)
        return yaml.load(text, Loader=yaml.BaseLoader)
    except OSError as error:
        raise InvalidInputError(f"the file of rules {path} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise InvalidInputError(f"the file of rules {path} cannot be read: {error}") from error


def _rule(item: object, field: str, file: str, violations: list[Violation]) -> Rule:
    if not isinstance(item, Mapping):
        violations.append(Violation(field, f"must have an answer and one of {', '.join(WHEN)}, not {item!r}", file))
        return Rule("")
    violations += [
        Violation(f"{field}.{name}", f"is unknown (allowed: answer, {', '.join(WHEN)})", file)
        for name in item
        if name not in ("answer", *WHEN)
    ]
    violations += [
        Violation(f"{field}.{name}", f"must be text, not {item[name]!r}", file)
        for name in ("answer", *WHEN)
        if name in item and not isinstance(item[name], str)
    ]
    if "answer" not in item:
        violations.append(Violation(f"{field}.answer", "is missing", file))
    if not any(name in item for name in WHEN):
        violations.append(Violation(field, f"must have one of {', '.join(WHEN)}; for all others write `default`", file))
    return Rule(
        str(item.get("answer", "")),
        str(item["case"]) if "case" in item else None,
        _pattern(item, "question", field, file, violations),
        _pattern(item, "prompt", field, file, violations),
    )


def _pattern(
    item: Mapping[str, object], name: str, field: str, file: str, violations: list[Violation]
) -> re.Pattern[str] | None:
    if name not in item:
        return None
    try:
        return re.compile(str(item[name]), re.DOTALL)
    except re.error as error:
        violations.append(Violation(f"{field}.{name}", f"is no regular expression: {error}: {item[name]!r}", file))
        return None

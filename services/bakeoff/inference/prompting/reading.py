"""Reads a template from its file: YAML with an ice_template, a prompt_template or both; or plain text."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import yaml

from bakeoff.domain.errors import InvalidInputError, NotFoundError, Violation
from bakeoff.inference.prompting.body_reading import BodyReader
from bakeoff.inference.prompting.shots import fitting_shot
from bakeoff.inference.prompting.template import SEPARATOR, PromptTemplate

KEYS = (
    "description",
    "ice_template",
    "prompt_template",
    "ice_token",
    "separator",
    "repeat_instruction",
    "fold_system",
    "answer_columns",
)
WRAPPER_KEYS = {"type", "template", "ice_token"}
YAML_SUFFIXES = (".yaml", ".yml")


def read_template(path: Path, name: str = "") -> PromptTemplate:
    """Read a template from a file: YAML by its suffix, else plain text, without one line break at its end.

    Args:
        path: The file, UTF-8.
        name: Name in messages and reports; empty means the file's name.

    Raises:
        NotFoundError: there is no such file.
        InvalidInputError: it is no template; names the file, the field, and what is allowed.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise NotFoundError(f"the prompt template {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"the prompt template {path} is not UTF-8: {error}") from error
    if path.suffix not in YAML_SUFFIXES:
        return template_of({"prompt_template": text.removesuffix("\n")}, name or path.name, str(path))
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        violation = Violation("", f"is no YAML: {getattr(error, 'problem', error)}", str(path), line)
        raise InvalidInputError(f"the prompt template {path} cannot be read", [violation]) from error
    return template_of(content, name or path.name, str(path))


def template_of(content: object, name: str, file: str | None = None) -> PromptTemplate:
    """Return the template that a mapping says.

    Args:
        content: As read from YAML; at least one of `ice_template` and `prompt_template`.
        name: Name in messages and reports.
        file: Where it stands, for messages; None when in no file.

    Raises:
        InvalidInputError: it says no template; names the field and what is allowed.
    """
    return _Reading(name, file).template(content)


@dataclass(frozen=True, slots=True)
class _Reading:
    name: str
    file: str | None

    def fault(self, field: str, problem: str) -> NoReturn:
        message = f"the prompt template {self.name!r} cannot be read"
        raise InvalidInputError(message, [Violation(field, problem, self.file)])

    def template(self, content: object) -> PromptTemplate:
        if not isinstance(content, Mapping):
            self.fault("", f"must be a mapping with {', '.join(KEYS)}, not {type(content).__name__}")
        content = _unwrapped(content)
        self._check_keys(content)
        if "ice_template" not in content and "prompt_template" not in content:
            self.fault("", "must have an ice_template, a prompt_template, or both")
        token = self._ice_token(content)
        bodies = BodyReader(token, self.fault)
        item_key = "prompt_template" if "prompt_template" in content else "ice_template"
        item = bodies.body(content[item_key], item_key)
        shown = bodies.body(content["ice_template"], "ice_template") if "ice_template" in content else None
        shot = fitting_shot(
            item,
            shown,
            alone=item_key == "ice_template",
            token_given=bool(token),
            repeat_instruction=self._flag(content, "repeat_instruction"),
            fault=self.fault,
        )
        separator = content.get("separator", SEPARATOR)
        if not isinstance(separator, str):
            self.fault("separator", f"must be text, not {separator!r}")
        return PromptTemplate(
            self.name, item, shot, separator, self._flag(content, "fold_system"), self._answer_columns(content)
        )

    def _check_keys(self, content: Mapping[object, object]) -> None:
        for key in content:
            if key not in KEYS:
                near = difflib.get_close_matches(str(key), KEYS, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                self.fault(str(key), f"is no known field{hint} (allowed: {', '.join(KEYS)})")

    def _ice_token(self, content: Mapping[object, object]) -> str:
        token = content.get("ice_token", "")
        if not isinstance(token, str) or (not token and "ice_token" in content):
            self.fault("ice_token", f"must be text such as '</E>', not {token!r}")
        if token and ("{" in token or "}" in token):
            self.fault("ice_token", f"must have no braces, which {token!r} has")
        return token

    def _flag(self, content: Mapping[object, object], key: str) -> bool:
        value = content.get(key, False)
        if not isinstance(value, bool):
            self.fault(key, f"must be true or false, not {value!r}")
        return value

    def _answer_columns(self, content: Mapping[object, object]) -> frozenset[str]:
        value = content.get("answer_columns", [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.fault("answer_columns", f"must be a list of column names, not {value!r}")
        return frozenset(value)


def _unwrapped(content: Mapping[object, object]) -> dict[object, object]:
    """Return a template without the mappings of `template` and `ice_token` in which a prior system wraps bodies."""
    plain = dict(content)
    for key in ("ice_template", "prompt_template"):
        body = plain.get(key)
        if isinstance(body, Mapping) and "template" in body and set(body) <= WRAPPER_KEYS:
            plain[key] = body["template"]
            if "ice_token" in body:
                plain.setdefault("ice_token", body["ice_token"])
    return plain

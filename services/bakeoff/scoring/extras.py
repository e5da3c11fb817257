"""Libraries that only some metrics need: found when the metric is made, imported when it is first used."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from types import ModuleType

from bakeoff.domain.errors import InvalidInputError


def must_have(module: str, asked_by: str) -> None:
    """Check that a library is installed, without importing it.

    Args:
        module: Its top-level import name.
        asked_by: The metric that needs it, for the message.

    Raises:
        InvalidInputError: it is not; the message says what to install.
    """
    if find_spec(module) is None:
        raise InvalidInputError(
            f"the evaluator {asked_by} needs the library {module!r}, which is not installed: install bakeoff[answers]"
        )


def library(module: str) -> ModuleType:
    """Import a library that `must_have` found; its types are not known here."""
    return importlib.import_module(module)

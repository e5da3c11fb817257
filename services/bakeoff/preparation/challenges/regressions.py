"""The list of challenges that passed before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.challenges.dependencies import short_name


def read_regressions(path: Path) -> tuple[str, ...]:
    """Return the names of the challenges on a list, without what a test runner puts before names.

    Args:
        path: JSON: a list of names; or an object by name, as agbenchmark's `regression_tests.json` is; or a report in
            agbenchmark's shape, of which those are taken that passed.

    Raises:
        InvalidInputError: it is none of these; names the file and what is wrong.
    """
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"the list of regressions {path} cannot be read: {error}") from error
    if isinstance(found, Mapping) and isinstance(found.get("tests"), Mapping):
        names = [name for name, test in found["tests"].items() if _passed(test)]
    elif isinstance(found, list | Mapping) and all(isinstance(name, str) and name.strip() for name in found):
        names = list(found)
    else:
        problem = f"must be a list of names, an object by name, or a report with `tests`, not {type(found).__name__}"
        raise InvalidInputError("the list of regressions cannot be used", [Violation("", problem, str(path))])
    return tuple(dict.fromkeys(short_name(name) for name in names))


def _passed(test: object) -> bool:
    if not isinstance(test, Mapping):
        return False
    if "state" in test:
        return bool(test["state"] == "passed")
    results = test.get("results")
    last = results[-1] if isinstance(results, list) and results else {}
    return isinstance(last, Mapping) and last.get("success") is True

"""The templates that come with Bakeoff, and those of other people's files."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from bakeoff.domain.errors import NotFoundError
from bakeoff.inference.prompting.reading import read_template
from bakeoff.inference.prompting.template import PromptTemplate

BUILT_IN = Path(__file__).parent.parent / "prompts"


def built_in_names() -> tuple[str, ...]:
    """Return the names of the built-in templates, sorted."""
    return tuple(sorted(file.stem for file in BUILT_IN.glob("*.yaml")))


def load_template(name: str) -> PromptTemplate:
    """Return a built-in template by its name, or that of a file by its path.

    Args:
        name: A built-in name; else the path of a YAML or text file.

    Raises:
        NotFoundError: there is neither; the message has the built-in names.
        InvalidInputError: the file is no template.
    """
    if name in built_in_names():
        return _built_in(name)
    if not Path(name).is_file():
        known = ", ".join(built_in_names())
        raise NotFoundError(f"no prompt template is named {name!r}, and there is no such file; built in: {known}")
    return read_template(Path(name))


@lru_cache
def _built_in(name: str) -> PromptTemplate:
    return read_template(BUILT_IN / f"{name}.yaml", name)

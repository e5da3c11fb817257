"""Components that run a model from files, and say which by its digest: its place may hold another one tomorrow."""

from __future__ import annotations

from bakeoff.domain.component import ComponentCard, ComponentSpec

MODEL_FILES = "model_files"
"""A card's fact: that the component has a model in files. ONE_MODEL or WHOLE_FOLDER."""
ONE_MODEL = "one"
"""An ONNX model, whose name in the folder is the setting `file`, and its tokenizer."""
WHOLE_FOLDER = "all"
DIRECTORY = "directory"
"""Setting: the folder; empty when the model is in a package."""
PACKAGE = "package"
"""Setting: import name of a package and the folder in it; empty when the model is in a directory."""
FILE = "file"
PIN = "sha256"
"""Setting: digest of the model's files."""


def pin_problem(card: ComponentCard, spec: ComponentSpec) -> str | None:
    """Return why it is not known which model a component has; None when it is, or it has none in files.

    Args:
        card: The component's card.
        spec: With all settings filled in.
    """
    if MODEL_FILES not in card.facts:
        return None
    given = [name for name in (DIRECTORY, PACKAGE) if spec.settings.get(name)]
    if len(given) != 1:
        named = " and ".join(given) or "neither"
        return f"{card.name} needs a model: give either {DIRECTORY} or {PACKAGE}, not {named}"
    if not spec.settings.get(PIN):
        return (
            f"{card.name} does not say which model is in {spec.settings[given[0]]!r}: give its {PIN}, which the "
            "command fills in where the model is at hand"
        )
    return None

"""Models in files that a component names: known by their digest, which is filled in where the files are at hand."""

from __future__ import annotations

from dataclasses import replace

from bakeoff.cli.draft import Draft
from bakeoff.cli.setting_paths import with_absolute_paths
from bakeoff.cli.yaml_values import Value
from bakeoff.domain.component import ComponentCard, ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.model_pins import MODEL_FILES, PIN
from bakeoff.runtime.nested import inner_kinds


def with_places(spec: ComponentSpec, card: ComponentCard | None, value: Value, draft: Draft) -> ComponentSpec:
    """Return a component with its local paths made absolute and the digests of its models, also within its settings.

    Args:
        spec: The component.
        card: Its card; None when it is not known, and stays as it is.
        value: Where it is written; takes a fault when the model is not there.
        draft: Has the cards of components within its settings.
    """
    spec = with_absolute_paths(spec, card, value.file)
    if card is None:
        return spec
    settings = dict(spec.settings)
    for name, kind in inner_kinds(card).items():
        try:
            inner = ComponentSpec.parse(str(settings[name]))
        except (KeyError, InvalidInputError):  # lacking, or told when the request is checked
            continue
        settings[name] = str(with_places(inner, draft.cards.get((kind, inner.name)), value, draft))
    return _pinned(replace(spec, settings=settings), card, value, draft)


def _pinned(spec: ComponentSpec, card: ComponentCard, value: Value, draft: Draft) -> ComponentSpec:
    if MODEL_FILES not in card.facts:
        return spec
    from bakeoff.knowledge.model_files import pinned

    try:
        return pinned(spec, card)
    except InvalidInputError as error:
        draft.fault(value, f"{error.message}; of a model that only the workers have, give the {PIN}")
        return spec

"""What the knowledge service announces of its components."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bakeoff.domain.component import ComponentKind, ComponentSpec
from bakeoff.knowledge.registries import cards, chunkers, embedders, engines, indexes, load, parsers
from bakeoff.runtime.settings import Settings

load()
BUILT_IN = {
    ComponentKind.PARSER: {"auto", "html", "markdown", "record", "text"},
    ComponentKind.CHUNKER: {"none", "sentences", "tokens"},
    ComponentKind.EMBEDDER: {"hashing", "wordllama"},
    ComponentKind.INDEX: {"bm25", "dense"},
    ComponentKind.QUERY_ENGINE: {"full_text_search", "hybrid_search", "vector_search"},
}
ALL = [(registry, name) for registry in (parsers, chunkers, embedders, indexes, engines) for name in registry.names()]


def test_all_kinds_are_announced() -> None:
    found = cards(Settings())

    for kind, names in BUILT_IN.items():
        assert names <= {card.name for card in found if card.kind is kind}


@pytest.mark.parametrize(("registry", "name"), ALL, ids=str)
def test_every_component_says_what_it_does_and_is_made_by_its_name_alone(registry: object, name: str) -> None:
    card = registry.card(name)  # type: ignore[attr-defined]

    assert card.doc.endswith(".")
    assert card.version
    assert all(setting.doc for setting in card.settings)
    assert registry.make(ComponentSpec(name)) is not None  # type: ignore[attr-defined]


def test_cards_tell_what_checks_across_components_need() -> None:
    assert indexes.card("dense").facts["needs_vectors"] is True
    assert indexes.card("bm25").facts["needs_vectors"] is False
    assert engines.card("hybrid_search").facts["needs_indexes"] == ["bm25", "dense"]


def test_announcing_does_not_import_what_only_building_needs() -> None:
    heavy = ["scipy", "pyarrow", "bm25s", "selectolax", "tokenizers", "wordllama"]
    script = (
        "import sys; from bakeoff.knowledge.registries import cards; from bakeoff.runtime.settings import Settings;"
        f"cards(Settings()); print([name for name in {heavy} if name in sys.modules])"
    )

    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert ended.stdout.strip() == "[]"

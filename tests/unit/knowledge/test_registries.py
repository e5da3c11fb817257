"""What the knowledge service announces of its components."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bakeoff.domain.component import ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.registries import cards, chunkers, embedders, engines, indexes, load, parsers, rerankers
from bakeoff.runtime.settings import Settings

load()
BUILT_IN = {
    ComponentKind.PARSER: {"auto", "html", "markdown", "record", "text"},
    ComponentKind.CHUNKER: {"none", "sentences", "tokens"},
    ComponentKind.EMBEDDER: {"hashing", "onnx", "openai", "sentence_transformers", "wordllama"},
    ComponentKind.INDEX: {"bm25", "dense", "lance", "pgvector"},
    ComponentKind.QUERY_ENGINE: {"full_text_search", "hybrid_search", "rerank", "vector_search"},
    ComponentKind.RERANKER: {"cross_encoder"},
}
REGISTRIES = {
    "parser": parsers,
    "chunker": chunkers,
    "embedder": embedders,
    "index": indexes,
    "reranker": rerankers,
    "engine": engines,
}
ALL = [
    pytest.param(registry, name, id=f"{kind}-{name}")
    for kind, registry in REGISTRIES.items()
    for name in registry.names()
    if not name.endswith("_for_tests")  # other tests bring some of their own
]
NEEDS_A_MODEL = ("cross_encoder", "onnx", "openai", "rerank", "scanned", "sentence_transformers")
"""Made in tests of their own."""


def test_all_kinds_are_announced() -> None:
    found = cards(Settings())

    for kind, names in BUILT_IN.items():
        assert names <= {card.name for card in found if card.kind is kind}


@pytest.mark.parametrize(("registry", "name"), ALL)
def test_every_component_says_what_it_does_and_is_made_by_its_name_alone_unless_it_needs_a_model(
    registry: object, name: str
) -> None:
    card = registry.card(name)  # type: ignore[attr-defined]

    assert card.doc.endswith(".")
    assert card.version
    assert all(setting.doc for setting in card.settings)
    if name in NEEDS_A_MODEL:
        with pytest.raises(InvalidInputError):
            registry.make(ComponentSpec(name))  # type: ignore[attr-defined]
    else:
        assert registry.make(ComponentSpec(name)) is not None  # type: ignore[attr-defined]


def test_cards_tell_what_checks_across_components_need() -> None:
    assert indexes.card("dense").facts["needs_vectors"] is True
    assert indexes.card("bm25").facts["needs_vectors"] is False
    assert engines.card("hybrid_search").facts["needs_indexes"] == ["bm25", "dense"]


def test_announcing_does_not_import_what_only_building_needs() -> None:
    heavy = ["lancedb", "pg8000"]
    heavy += ["scipy", "pyarrow", "bm25s", "selectolax", "tokenizers", "wordllama", "onnxruntime", "faiss", "aiohttp"]
    script = (
        "import sys; from bakeoff.knowledge.registries import cards; from bakeoff.runtime.settings import Settings;"
        f"cards(Settings()); print([name for name in {heavy} if name in sys.modules])"
    )

    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert ended.stdout.strip() == "[]"

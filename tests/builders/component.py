"""Builders of component cards: a small set that looks like the real one, and does not change with it."""

from __future__ import annotations

from bakeoff.domain.component import ComponentCard, ComponentKind, Setting


def some_cards() -> list[ComponentCard]:
    """Return cards of every kind that a request can name."""
    kind = ComponentKind
    k = Setting("k", "int", 10, minimum=1, nullable=True, doc="first ranks that count")
    return [
        ComponentCard(
            kind.ADAPTER,
            "beir",
            "1",
            (Setting("path", "path", required=True), Setting("split", "str", "test")),
            facts={"names": {"path": ["scifact", "nfcorpus"]}},
        ),
        ComponentCard(
            kind.ADAPTER,
            "folder",
            "1",
            (Setting("path", "path", required=True), Setting("questions", "path", required=True)),
        ),
        ComponentCard(kind.PARSER, "auto", "3"),
        ComponentCard(kind.CHUNKER, "none", "1"),
        ComponentCard(
            kind.CHUNKER,
            "tokens",
            "1",
            (Setting("size", "int", 200, minimum=1), Setting("overlap", "int", 0, minimum=0, below="size")),
        ),
        ComponentCard(kind.CHUNKER, "sentences", "2", (Setting("max_tokens", "int", 200, minimum=1),)),
        ComponentCard(kind.EMBEDDER, "static", "1"),
        ComponentCard(kind.INDEX, "bm25", "1", (Setting("k1", "float", 0.9, minimum=0), Setting("b", "float", 0.4))),
        ComponentCard(kind.INDEX, "dense", "1", facts={"needs_vectors": True}),
        ComponentCard(kind.QUERY_ENGINE, "full_text_search", "1", facts={"needs_indexes": ["bm25"]}),
        ComponentCard(kind.QUERY_ENGINE, "vector_search", "1", facts={"needs_indexes": ["dense"]}),
        ComponentCard(
            kind.QUERY_ENGINE,
            "hybrid_search",
            "1",
            (Setting("fusion", "str", "rrf", choices=("rrf", "weighted")), Setting("k", "int", 60, minimum=1)),
            facts={"needs_indexes": ["bm25", "dense"]},
        ),
        ComponentCard(kind.GENERATOR, "extractive", "1", (Setting("sentences", "int", 1, minimum=1),)),
        ComponentCard(kind.EVALUATOR, "ndcg", "1", (k,)),
        ComponentCard(kind.EVALUATOR, "evidence_recall", "1", (k,)),
    ]

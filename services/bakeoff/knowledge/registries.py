"""The registers of everything that a knowledge base can be made of and asked with."""

from __future__ import annotations

from dataclasses import replace

from bakeoff.domain.component import ComponentCard, ComponentKind
from bakeoff.knowledge.chunking import Chunker
from bakeoff.knowledge.embedding import Embedder
from bakeoff.knowledge.indexing import IndexKind
from bakeoff.knowledge.outside_settings import lacking_outside
from bakeoff.knowledge.parsing import Parser
from bakeoff.knowledge.querying import QueryEngine
from bakeoff.knowledge.reranking import Reranker
from bakeoff.runtime.registry import Registry
from bakeoff.runtime.settings import Settings

parsers: Registry[Parser] = Registry(ComponentKind.PARSER, "bakeoff.knowledge.parsers")
chunkers: Registry[Chunker] = Registry(ComponentKind.CHUNKER, "bakeoff.knowledge.chunkers")
embedders: Registry[Embedder] = Registry(ComponentKind.EMBEDDER, "bakeoff.knowledge.embedders")
indexes: Registry[IndexKind] = Registry(ComponentKind.INDEX, "bakeoff.knowledge.indexes")
rerankers: Registry[Reranker] = Registry(ComponentKind.RERANKER, "bakeoff.knowledge.rerankers")
engines: Registry[QueryEngine] = Registry(ComponentKind.QUERY_ENGINE, "bakeoff.knowledge.engines")


def load(plugins: tuple[str, ...] = ()) -> None:
    """Load the built-in components, those of installed distributions, and those of the modules that are named."""
    parsers.load(plugins)
    chunkers.load(plugins)
    embedders.load(plugins)
    indexes.load(plugins)
    rerankers.load(plugins)
    engines.load(plugins)


def cards(settings: Settings) -> list[ComponentCard]:
    """Load all components and return their cards, by kind and name."""
    load(settings.plugin_modules)
    return [
        *parsers.cards(),
        *chunkers.cards(),
        *embedders.cards(),
        *(_permitted(card, settings) for card in indexes.cards()),
        *rerankers.cards(),
        *engines.cards(),
    ]


def _permitted(card: ComponentCard, settings: Settings) -> ComponentCard:
    """Return an index's card, which says why it cannot be had here if so."""
    lacking = lacking_outside(settings).get(card.name)
    return replace(card, facts={**card.facts, "refused": lacking}) if lacking else card

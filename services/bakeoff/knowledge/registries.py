"""The registers of everything that a knowledge base can be made of and asked with."""

from __future__ import annotations

from bakeoff.domain.component import ComponentCard, ComponentKind
from bakeoff.knowledge.chunking import Chunker
from bakeoff.knowledge.embedding import Embedder
from bakeoff.knowledge.indexing import IndexKind
from bakeoff.knowledge.parsing import Parser
from bakeoff.knowledge.querying import QueryEngine
from bakeoff.runtime.registry import Registry
from bakeoff.runtime.settings import Settings

parsers: Registry[Parser] = Registry(ComponentKind.PARSER, "bakeoff.knowledge.parsers")
chunkers: Registry[Chunker] = Registry(ComponentKind.CHUNKER, "bakeoff.knowledge.chunkers")
embedders: Registry[Embedder] = Registry(ComponentKind.EMBEDDER, "bakeoff.knowledge.embedders")
indexes: Registry[IndexKind] = Registry(ComponentKind.INDEX, "bakeoff.knowledge.indexes")
engines: Registry[QueryEngine] = Registry(ComponentKind.QUERY_ENGINE, "bakeoff.knowledge.engines")


def load(plugins: tuple[str, ...] = ()) -> None:
    """Load the built-in components, those of installed distributions, and those of the modules that are named."""
    parsers.load(plugins)
    chunkers.load(plugins)
    embedders.load(plugins)
    indexes.load(plugins)
    engines.load(plugins)


def cards(settings: Settings) -> list[ComponentCard]:
    """Load all components and return their cards, by kind and name."""
    load(settings.plugin_modules)
    return [
        *parsers.cards(),
        *chunkers.cards(),
        *embedders.cards(),
        *indexes.cards(),
        *engines.cards(),
    ]

"""The knowledge service: builds knowledge bases, opens them and searches them.

Its core needs no server::

    from pathlib import Path
    from bakeoff.knowledge import BuildPart, ComponentSpec, QueryMode, SourceDocument
    from bakeoff.knowledge import build_knowledge_base, open_knowledge_base

    documents = [
        SourceDocument("mole", b"The harbour is closed by a mole of granite."),
        SourceDocument("light", b"The light on the pier is green."),
    ]
    build_knowledge_base(documents, BuildPart(), Path("kb"))
    mode = QueryMode("words", ComponentSpec("full_text_search"), top_k=5)
    [passages] = open_knowledge_base(Path("kb")).search(["Which colour has the light?"], mode, text_ranks=1)
    assert passages[0].document_id == "light"
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bakeoff.domain.component import ComponentSpec
    from bakeoff.domain.recipe import BuildPart, QueryMode
    from bakeoff.knowledge.build import build_knowledge_base
    from bakeoff.knowledge.lance_store import LanceStore
    from bakeoff.knowledge.outside import Site
    from bakeoff.knowledge.parsing import SourceDocument
    from bakeoff.knowledge.postgres_server import PostgresServer
    from bakeoff.knowledge.search import KnowledgeBase, open_knowledge_base

__all__ = [
    "BuildPart",
    "ComponentSpec",
    "KnowledgeBase",
    "LanceStore",
    "PostgresServer",
    "QueryMode",
    "Site",
    "SourceDocument",
    "build_knowledge_base",
    "open_knowledge_base",
]
_PLACES = {
    "BuildPart": "bakeoff.domain.recipe",
    "ComponentSpec": "bakeoff.domain.component",
    "KnowledgeBase": "bakeoff.knowledge.search",
    "LanceStore": "bakeoff.knowledge.lance_store",
    "PostgresServer": "bakeoff.knowledge.postgres_server",
    "QueryMode": "bakeoff.domain.recipe",
    "Site": "bakeoff.knowledge.outside",
    "SourceDocument": "bakeoff.knowledge.parsing",
    "build_knowledge_base": "bakeoff.knowledge.build",
    "open_knowledge_base": "bakeoff.knowledge.search",
}
"""Modules of what is named above, imported when it is asked for: the service itself must start quickly."""


def __getattr__(name: str) -> object:
    """Import what is asked for."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)

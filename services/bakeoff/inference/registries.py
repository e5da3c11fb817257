"""The generators, the example retrievers, and the engines and rerankers that ask models, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.domain.component import ComponentKind
from bakeoff.inference.examples.retriever import ExampleRetriever
from bakeoff.inference.generator import AnyGenerator
from bakeoff.runtime.registry import Registry

if TYPE_CHECKING:  # they are made of parts that are found by name here
    from bakeoff.inference.retrieving.reranking import ModelReranker
    from bakeoff.inference.retrieving.searching import ModelEngine

generators: Registry[AnyGenerator] = Registry(ComponentKind.GENERATOR, "bakeoff.inference.generators")
example_retrievers: Registry[ExampleRetriever] = Registry(
    ComponentKind.EXAMPLE_RETRIEVER, "bakeoff.inference.examples.retrievers"
)
engines: Registry[ModelEngine] = Registry(ComponentKind.QUERY_ENGINE, "bakeoff.inference.engines")
"""Those that ask a model, or search more than once; the plain ones are the knowledge service's."""
rerankers: Registry[ModelReranker] = Registry(ComponentKind.RERANKER, "bakeoff.inference.rerankers")
"""Those that ask a model; the others are the knowledge service's."""

"""The generators and the example retrievers by name."""

from __future__ import annotations

from bakeoff.domain.component import ComponentKind
from bakeoff.inference.examples.retriever import ExampleRetriever
from bakeoff.inference.generator import AnyGenerator
from bakeoff.runtime.registry import Registry

generators: Registry[AnyGenerator] = Registry(ComponentKind.GENERATOR, "bakeoff.inference.generators")
example_retrievers: Registry[ExampleRetriever] = Registry(
    ComponentKind.EXAMPLE_RETRIEVER, "bakeoff.inference.examples.retrievers"
)

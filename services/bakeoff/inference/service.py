"""The inference service: takes the tasks of the stage `infer`, answers `InferenceService`."""

from __future__ import annotations

from typing import Any

from bakeoff.domain.component import ComponentCard
from bakeoff.inference.handlers import make_handler, remote_knowledge
from bakeoff.inference.registries import example_retrievers, generators
from bakeoff.inference.rpc import InferenceRpc
from bakeoff.models.opening import models_of
from bakeoff.runtime.service import Deps, Service
from bakeoff.runtime.settings import Settings
from bakeoff.v1.inference_service_pb2 import DESCRIPTOR
from bakeoff.v1.inference_service_pb2_grpc import add_InferenceServiceServicer_to_server


def cards(settings: Settings) -> list[ComponentCard]:
    """Return the cards of generators and example retrievers."""
    return [*generators.load(settings.plugin_modules).cards(), *example_retrievers.load().cards()]


def serve(server: Any, deps: Deps) -> tuple[str, ...]:
    """Add the servicer to a server and return its full name."""
    add_InferenceServiceServicer_to_server(InferenceRpc(remote_knowledge(deps), models_of(deps)), server)
    return (DESCRIPTOR.services_by_name["InferenceService"].full_name,)


service = Service("inference", cards, make_handler, serve)

"""The inference service: takes the tasks of the stage `infer`, answers `InferenceService`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bakeoff.domain.component import ComponentCard
from bakeoff.inference.agents.permission import COMMAND, REFUSED, permit_commands, permit_private
from bakeoff.inference.handlers import make_handler, remote_knowledge
from bakeoff.inference.registries import engines, example_retrievers, generators, rerankers
from bakeoff.inference.rpc import InferenceRpc
from bakeoff.models.opening import models_of
from bakeoff.runtime.service import Deps, Service
from bakeoff.runtime.settings import Settings
from bakeoff.v1.inference_service_pb2 import DESCRIPTOR
from bakeoff.v1.inference_service_pb2_grpc import add_InferenceServiceServicer_to_server


def cards(settings: Settings) -> list[ComponentCard]:
    """Return the cards of what answers and what retrieves by models; the operator's word on agents' commands counts."""
    permit_commands(settings.agent_commands)
    permit_private(settings.private_models)
    found = generators.load(settings.plugin_modules).cards()
    if not settings.agent_commands:
        found = [
            replace(card, facts={**card.facts, "refused": REFUSED}) if card.name == COMMAND else card for card in found
        ]
    return [
        *found,
        *example_retrievers.load().cards(),
        *rerankers.load().cards(),
        *engines.load().cards(),
    ]


def serve(server: Any, deps: Deps) -> tuple[str, ...]:
    """Add the servicer to a server and return its full name."""
    add_InferenceServiceServicer_to_server(InferenceRpc(remote_knowledge(deps), models_of(deps)), server)
    return (DESCRIPTOR.services_by_name["InferenceService"].full_name,)


service = Service("inference", cards, make_handler, serve)

"""The knowledge service: works on `build` and serves `KnowledgeService`."""

from __future__ import annotations

from typing import Any

from bakeoff.knowledge.handlers import build_handler
from bakeoff.knowledge.library import Library
from bakeoff.knowledge.registries import cards
from bakeoff.knowledge.rpc import KnowledgeServicer
from bakeoff.runtime.items import StageHandler
from bakeoff.runtime.service import Deps, Service
from bakeoff.v1.knowledge_service_pb2 import DESCRIPTOR
from bakeoff.v1.knowledge_service_pb2_grpc import add_KnowledgeServiceServicer_to_server


def _serve(server: Any, deps: Deps) -> tuple[str, ...]:
    add_KnowledgeServiceServicer_to_server(KnowledgeServicer(deps.objects, deps.settings.cache_dir), server)
    return (DESCRIPTOR.services_by_name["KnowledgeService"].full_name,)


def _handler(deps: Deps) -> StageHandler:
    return build_handler(Library(deps.objects, deps.settings.cache_dir))


service = Service("knowledge", cards=cards, handler=_handler, serve=_serve)

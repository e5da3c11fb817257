"""The knowledge service: works on `build` and serves `KnowledgeService`."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from bakeoff.knowledge.claims import claims_of
from bakeoff.knowledge.handlers import build_handler
from bakeoff.knowledge.library import Library
from bakeoff.knowledge.outside_settings import outside_of
from bakeoff.knowledge.publishing import Resources
from bakeoff.knowledge.registries import cards
from bakeoff.knowledge.rpc import KnowledgeServicer
from bakeoff.knowledge.stages import SharedStages
from bakeoff.models.kept_vectors import VectorStore
from bakeoff.models.opening import models_of
from bakeoff.runtime.items import StageHandler
from bakeoff.runtime.service import Deps, Service
from bakeoff.v1.knowledge_service_pb2 import DESCRIPTOR
from bakeoff.v1.knowledge_service_pb2_grpc import add_KnowledgeServiceServicer_to_server


def _serve(server: Any, deps: Deps) -> tuple[str, ...]:
    settings = deps.settings
    servicer = KnowledgeServicer(
        _resources(deps),
        settings.cache_dir,
        cache_bytes=settings.knowledge_cache_bytes,
        folders=settings.local_folders,
    )
    add_KnowledgeServiceServicer_to_server(servicer, server)
    return (DESCRIPTOR.services_by_name["KnowledgeService"].full_name,)


def _handler(deps: Deps) -> StageHandler:
    settings = deps.settings
    resources = _resources(deps)
    library = Library(
        deps.objects,
        settings.cache_dir,
        cache_bytes=settings.knowledge_cache_bytes,
        models=resources.models,
        outside=resources.outside,
    )
    return build_handler(library, resources)


def _resources(deps: Deps) -> Resources:
    settings = deps.settings
    return Resources(
        deps.objects,
        SharedStages(deps.objects, claims_of(deps.bus)),
        settings.build_processes or len(os.sched_getaffinity(0)),
        settings.plugin_modules,
        replace(models_of(deps), vectors=VectorStore(deps.objects)),
        outside_of(settings),
    )


service = Service("knowledge", cards=cards, handler=_handler, serve=_serve)

"""The ingestion service: works on `ingest` and serves `DocumentService`."""

from __future__ import annotations

from typing import Any

from bakeoff.ingestion.handlers import ingest_handler
from bakeoff.ingestion.rpc import DocumentServicer
from bakeoff.runtime.scratch import scratch_root
from bakeoff.runtime.service import Deps, Service
from bakeoff.v1 import document_service_pb2, document_service_pb2_grpc


def _serve(server: Any, deps: Deps) -> tuple[str, ...]:
    servicer = DocumentServicer(deps.objects, deps.settings.max_document_bytes, scratch_root(deps.settings))
    document_service_pb2_grpc.add_DocumentServiceServicer_to_server(servicer, server)
    return (document_service_pb2.DESCRIPTOR.services_by_name["DocumentService"].full_name,)


service = Service("ingestion", handler=lambda deps: ingest_handler(), serve=_serve)

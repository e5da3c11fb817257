"""The reporting service: takes the tasks of the stage `report`, answers `ReportService`."""

from __future__ import annotations

from typing import Any

from bakeoff.domain.component import ComponentCard
from bakeoff.reporting.handlers import make_handler
from bakeoff.reporting.registries import renderers
from bakeoff.reporting.rpc import ReportRpc
from bakeoff.runtime.service import Deps, Service
from bakeoff.runtime.settings import Settings
from bakeoff.v1.report_service_pb2 import DESCRIPTOR
from bakeoff.v1.report_service_pb2_grpc import add_ReportServiceServicer_to_server


def cards(settings: Settings) -> list[ComponentCard]:
    """Return the renderers' cards."""
    return renderers.load(settings.plugin_modules).cards()


def serve(server: Any, deps: Deps) -> tuple[str, ...]:
    """Add the servicer to a server and return its full name."""
    add_ReportServiceServicer_to_server(ReportRpc(deps.objects), server)
    return (DESCRIPTOR.services_by_name["ReportService"].full_name,)


service = Service("reporting", cards, lambda deps: make_handler(), serve)

"""The preparation service: works on `prepare` and serves `BenchmarkService`."""

from __future__ import annotations

from typing import Any

from bakeoff.domain.component import ComponentCard
from bakeoff.preparation.handlers import prepare_handler
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.rpc import BenchmarkServicer
from bakeoff.runtime.service import Deps, Service
from bakeoff.runtime.settings import Settings
from bakeoff.v1 import benchmark_service_pb2, benchmark_service_pb2_grpc


def _cards(settings: Settings) -> list[ComponentCard]:
    return adapters.load(settings.plugin_modules).cards()


def _serve(server: Any, deps: Deps) -> tuple[str, ...]:
    servicer = BenchmarkServicer(deps.objects, deps.settings)
    benchmark_service_pb2_grpc.add_BenchmarkServiceServicer_to_server(servicer, server)
    return (benchmark_service_pb2.DESCRIPTOR.services_by_name["BenchmarkService"].full_name,)


service = Service("preparation", _cards, lambda deps: prepare_handler(deps.settings), _serve)

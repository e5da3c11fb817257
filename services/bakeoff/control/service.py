"""The control service: EvaluationService, and the loops that move evaluations forward."""

from __future__ import annotations

from typing import Any

from bakeoff.control.engine import Engine
from bakeoff.control.intake import Intake
from bakeoff.control.loops import Loops
from bakeoff.control.rpc import EvaluationService
from bakeoff.control.trial import ScoringTrial
from bakeoff.runtime.service import Deps, Service
from bakeoff.v1 import evaluation_service_pb2, evaluation_service_pb2_grpc


def assemble(deps: Deps) -> Service:
    """Return the service around one engine, which its server and its loops share."""
    trial = ScoringTrial(deps.peers)
    engine = Engine(deps.bus, deps.objects, deps.settings.window, trial)
    folders = deps.settings.local_folders
    intake = Intake(deps.bus, deps.objects, engine.states, engine.catalogue, engine.announcer, folders, trial)

    def serve(server: Any, deps: Deps) -> tuple[str, ...]:
        servicer = EvaluationService(engine, intake)
        evaluation_service_pb2_grpc.add_EvaluationServiceServicer_to_server(servicer, server)
        return (evaluation_service_pb2.DESCRIPTOR.services_by_name["EvaluationService"].full_name,)

    async def work(deps: Deps) -> None:
        await Loops(deps.bus, engine, intake, deps.settings.sweep_s).run()

    return Service("control", serve=serve, background=work)


service = Service("control", assemble=assemble)

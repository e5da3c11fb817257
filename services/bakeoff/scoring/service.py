"""The scoring service: takes the tasks of the stage `score`, answers `ScoringService`."""

from __future__ import annotations

from typing import Any

from bakeoff.domain.component import ComponentCard
from bakeoff.models.opening import models_of
from bakeoff.runtime.service import Deps, Service
from bakeoff.runtime.settings import Settings
from bakeoff.scoring.handlers import make_handler
from bakeoff.scoring.judge_models import OpenedModels
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.rpc import ScoringRpc
from bakeoff.scoring.sandbox import permit_unconfined
from bakeoff.v1.scoring_service_pb2 import DESCRIPTOR
from bakeoff.v1.scoring_service_pb2_grpc import add_ScoringServiceServicer_to_server


def cards(settings: Settings) -> list[ComponentCard]:
    """Return the evaluators' cards, and let the operator's word on code of answers count."""
    permit_unconfined(settings.unconfined_code)
    return evaluators.load(settings.plugin_modules).cards()


def _rpc(deps: Deps) -> ScoringRpc:
    return ScoringRpc(OpenedModels(models_of(deps)), deps.settings.local_folders)


def serve(server: Any, deps: Deps) -> tuple[str, ...]:
    """Add the servicer to a server and return its full name."""
    add_ScoringServiceServicer_to_server(_rpc(deps), server)
    return (DESCRIPTOR.services_by_name["ScoringService"].full_name,)


service = Service("scoring", cards, make_handler, serve)

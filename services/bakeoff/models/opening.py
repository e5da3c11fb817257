"""What a service opens models with: keys from the settings, responses in the objects, limits on the bus."""

from __future__ import annotations

import asyncio

from bakeoff.models.access import ModelAccess
from bakeoff.models.choice import ModelChoice
from bakeoff.models.elsewhere import BucketsElsewhere
from bakeoff.models.responses import ResponseStore
from bakeoff.models.shared_limiter import SharedLimiter, sheet_key
from bakeoff.runtime.quick_objects import asynchronous
from bakeoff.runtime.service import Deps


def models_of(deps: Deps) -> ModelAccess:
    """Return what opens models. On an event loop, all workers share what may be asked of an endpoint."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # a child process, which asks alone
        return ModelAccess(deps.settings, _responses(deps))
    buckets = BucketsElsewhere(deps.bus, loop)

    def limiter(choice: ModelChoice) -> SharedLimiter:
        return SharedLimiter(buckets, sheet_key(choice.settings), choice.settings.bounds)

    return ModelAccess(deps.settings, _responses(deps), limiter)


def _responses(deps: Deps) -> ResponseStore:
    # An item whose worker was killed comes back no sooner than two thirds of the ack wait after that.
    return ResponseStore(deps.objects, believed_s=deps.settings.ack_wait_s / 2, way=asynchronous)

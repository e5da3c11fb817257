"""What the contract tests may use."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.contract.bus_fixtures import OnBus, run_on


@pytest.fixture(params=["memory", "nats", pytest.param("cluster", marks=pytest.mark.slow)])
def on_bus(request: pytest.FixtureRequest, tmp_path: Path) -> OnBus:
    """Run a scenario on each twin of the bus, empty at its start."""
    return partial(run_on, request.param, tmp_path / "nats")

"""What the integration tests may use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.runtime.nats_server import NatsServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    """A NATS server of the test's own, empty."""
    with NatsServer(tmp_path / "nats") as server:
        yield server

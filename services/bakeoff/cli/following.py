"""Following an evaluation to its end."""

from __future__ import annotations

import time

from bakeoff.cli.client import Client
from bakeoff.cli.progress import Progress
from bakeoff.domain.errors import UnavailableError
from bakeoff.domain.evaluation import EvaluationStatus

PATIENCE_S = 60.0  # a server that restarts is back by then
PAUSE_S = 1.0


def follow(client: Client, evaluation_id: str, progress: Progress) -> EvaluationStatus:
    """Show an evaluation until it ended; return how it stands then.

    A server that goes away is waited for; one that was never there is not.

    Raises:
        NotFoundError: there is no such evaluation.
        UnavailableError: the server does not answer, or stayed away for a minute.
    """
    heard: float | None = None
    try:
        while True:
            try:
                for status in client.watch(evaluation_id):
                    heard = time.monotonic()
                    progress.show(status)
                    if status.state.ended:
                        return status
            except UnavailableError:
                if heard is None or time.monotonic() - heard > PATIENCE_S:
                    raise
            time.sleep(PAUSE_S)
    finally:
        progress.close()

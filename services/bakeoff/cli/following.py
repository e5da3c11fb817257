"""Following an evaluation to its end."""

from __future__ import annotations

from bakeoff.cli.progress import Progress
from bakeoff.client import Client
from bakeoff.domain.evaluation import EvaluationStatus


def follow(client: Client, evaluation_id: str, progress: Progress) -> EvaluationStatus:
    """Show an evaluation until it ended; return how it stands then.

    A server that goes away is waited for; one that was never there is not.

    Raises:
        NotFoundError: there is no such evaluation.
        UnavailableError: the server does not answer, or stayed away for a minute.
    """
    try:
        return client.wait(evaluation_id, show=progress.show)
    finally:
        progress.close()

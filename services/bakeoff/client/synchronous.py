"""The client whose calls are waited for."""

from __future__ import annotations

from bakeoff.client.answers import Answers
from bakeoff.client.evaluations import Evaluations
from bakeoff.client.operations import Operations
from bakeoff.client.reports import Reports
from bakeoff.client.sources import Sources


class Client(Evaluations, Reports, Sources, Answers, Operations):
    """A platform in Python.

        with Client("127.0.0.1:7601", token="…") as bakeoff:
            name = bakeoff.run("evaluation.yaml")
            print(bakeoff.report(name).entrants[0].metrics[0].mean)

    Every method raises UnavailableError when the platform does not answer in time, UnauthenticatedError when it knows
    nobody by the token, and ForbiddenError when the token does not allow the call; what else is said with the method.
    Errors are those of `bakeoff.domain.errors`, all of them BakeoffErrors.
    """

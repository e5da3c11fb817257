"""What operators do: look at what was given up, do it again, and ask what an evaluation waits for."""

from __future__ import annotations

from bakeoff.client import operation_calls as calls
from bakeoff.client.connection import AsyncConnection, Connection
from bakeoff.client.operation_calls import Diagnosed, GivenUp, Replayed
from bakeoff.domain.evaluation import Stage


class Operations(Connection):
    """What operators do, waited for."""

    def dead_letters(self, evaluation_id: str = "") -> list[GivenUp]:
        """Return what was given up, oldest first, each with whether it was taken up again since.

        Args:
            evaluation_id: Only this evaluation's; empty means all.

        Raises:
            NotFoundError: there is none of that id.
        """
        return self._call(calls.dead_letters(evaluation_id))

    def dead_letter(self, evaluation_id: str, stage: Stage, item: str) -> GivenUp:
        """Return the last dead letter of an item, and whether it was taken up again since.

        Raises:
            NotFoundError: there is no such evaluation, or no such letter.
        """
        return self._call(calls.dead_letter(evaluation_id, stage, item))

    def replay(self, evaluation_id: str, *, failed_cases: bool = False) -> Replayed:
        """Do what failed of an evaluation again; return how it stands, and the items that are done again.

        Args:
            evaluation_id: Which.
            failed_cases: Whether items are done again as well that have a result in which cases failed.

        Raises:
            NotFoundError: there is none of that id.
            InvalidInputError: it has not ended, or nothing of it failed.
        """
        return self._call(calls.replay(evaluation_id, failed_cases))

    def diagnose(self, evaluation_id: str) -> Diagnosed:
        """Return how an evaluation stands, and what it waits for.

        Raises:
            NotFoundError: there is none of that id.
        """
        return self._call(calls.diagnose(evaluation_id))


class AsyncOperations(AsyncConnection):
    """What operators do, awaited: each method does what its namesake of `Client` does, and raises the same."""

    async def dead_letters(self, evaluation_id: str = "") -> list[GivenUp]:
        """Return what was given up, oldest first, each with whether it was taken up again since."""
        return await self._call(calls.dead_letters(evaluation_id))

    async def dead_letter(self, evaluation_id: str, stage: Stage, item: str) -> GivenUp:
        """Return the last dead letter of an item, and whether it was taken up again since."""
        return await self._call(calls.dead_letter(evaluation_id, stage, item))

    async def replay(self, evaluation_id: str, *, failed_cases: bool = False) -> Replayed:
        """Do what failed of an evaluation again; return how it stands, and the items that are done again."""
        return await self._call(calls.replay(evaluation_id, failed_cases))

    async def diagnose(self, evaluation_id: str) -> Diagnosed:
        """Return how an evaluation stands, and what it waits for."""
        return await self._call(calls.diagnose(evaluation_id))

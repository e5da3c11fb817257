"""The client whose calls are awaited."""

from __future__ import annotations

from bakeoff.client.answers import AsyncAnswers
from bakeoff.client.evaluations import AsyncEvaluations
from bakeoff.client.operations import AsyncOperations
from bakeoff.client.reports import AsyncReports
from bakeoff.client.sources import AsyncSources


class AsyncClient(AsyncEvaluations, AsyncReports, AsyncSources, AsyncAnswers, AsyncOperations):
    """A platform in Python, for asyncio: the methods of `Client`, awaited, and its iterators with `async for`.

    async with AsyncClient("127.0.0.1:7601", token="…") as bakeoff:
        name = await bakeoff.run("evaluation.yaml")
        print((await bakeoff.report(name)).digest)
    """

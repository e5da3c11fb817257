"""Making the plan of an evaluation, once its benchmarks are prepared."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.contract.stored import decode
from bakeoff.control.catalogue import Catalogue
from bakeoff.control.methods import resolve_methods
from bakeoff.control.planning import Prepared, make_plan
from bakeoff.control.sources import Sources
from bakeoff.control.states import States
from bakeoff.control.trial import TryMethods
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import EvaluationRecord, EvaluationRequest, ObjectRef
from bakeoff.domain.prepared import PreparedManifest, PreparedUnit, PrepareResult
from bakeoff.domain.work import Plan
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.holdings import Holdings
from bakeoff.runtime.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class PlanMaker:
    """Makes plans of what is stored and announced."""

    bus: Bus
    objects: ObjectStore
    states: States
    catalogue: Catalogue
    holdings: Holdings
    try_methods: TryMethods
    """Tells what is wrong with the methods that a plan would have."""

    async def make(self, record: EvaluationRecord, results: Sequence[ObjectRef]) -> Plan:
        """Return the plan of an evaluation.

        Args:
            record: The evaluation.
            results: What the benchmarks of its request were prepared as, in their order; none for a re-scoring.

        Raises:
            InvalidInputError: a benchmark has no case, or cannot be asked or scored as the request says.
            UnavailableError: no service has announced what it needs, or a server does not answer.
        """
        request = decode(await self._read(record.request), EvaluationRequest)
        cards = await self.catalogue.cards()
        if request.rescoring is not None:
            return await Sources(self.bus, self.objects, self.states).take_over(record.evaluation_id, request, cards)
        prepared = [await self._prepared(request, number, result) for number, result in enumerate(results)]
        prepared, versions = resolve_methods(request, prepared, cards)
        for benchmark in prepared:
            await self.try_methods(benchmark.evaluators, f"benchmark {benchmark.name!r}, evaluators")
        return make_plan(record.evaluation_id, request, prepared, versions)

    async def _prepared(self, request: EvaluationRequest, number: int, result: ObjectRef) -> Prepared:
        ref = decode(await self._read(result), PrepareResult).manifest
        manifest = decode(await self._read(ref), PreparedManifest)
        units = decode(await self._read(manifest.units), tuple[PreparedUnit, ...])
        if manifest.cases == 0:
            raise InvalidInputError(f"benchmark {manifest.benchmark.name!r} has no case to ask")
        chosen = request.benchmarks[number].evaluators or manifest.evaluators
        await asyncio.to_thread(self.holdings.note_benchmark, request.tenant, manifest)
        return Prepared(manifest.benchmark.name, ref, manifest, units, chosen)

    async def _read(self, ref: ObjectRef) -> bytes:
        return await asyncio.to_thread(self.objects.read, ref)

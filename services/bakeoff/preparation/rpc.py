"""`BenchmarkService`: checks and shows benchmarks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from itertools import islice
from typing import Any

from bakeoff.contract import codec, object_keys, stored
from bakeoff.contract.stored import PreparedReader
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.prepared import PreparedManifest, PreparedUnit, QualityFinding, QualityReport
from bakeoff.preparation.check import check_benchmark
from bakeoff.runtime import callers
from bakeoff.runtime.holdings import Holdings
from bakeoff.runtime.objects import ObjectStore
from bakeoff.runtime.settings import Settings
from bakeoff.v1 import benchmark_pb2, benchmark_service_pb2, benchmark_service_pb2_grpc, object_pb2

CASES_PER_STEP = 200
"""Cases that are read from the store at once while they are streamed."""


class BenchmarkServicer(benchmark_service_pb2_grpc.BenchmarkServiceServicer):
    """Serves `BenchmarkService`."""

    def __init__(self, objects: ObjectStore, settings: Settings) -> None:
        """Read prepared benchmarks from a store."""
        self._objects = objects
        self._settings = settings
        self._holdings = Holdings(objects)

    async def CheckBenchmark(  # noqa: N802  # named by the contract
        self, request: benchmark_service_pb2.CheckBenchmarkRequest, context: Any
    ) -> benchmark_service_pb2.CheckBenchmarkResponse:
        """Check whether a benchmark can be prepared."""
        choice = codec.benchmark_choice_from_wire(request.benchmark)
        manifest = await asyncio.to_thread(check_benchmark, choice, self._settings)
        return benchmark_service_pb2.CheckBenchmarkResponse(manifest=codec.manifest_to_wire(manifest))

    async def GetBenchmark(  # noqa: N802  # named by the contract
        self, request: benchmark_service_pb2.GetBenchmarkRequest, context: Any
    ) -> benchmark_service_pb2.GetBenchmarkResponse:
        """Get a prepared benchmark."""
        benchmark = await asyncio.to_thread(self._benchmark, request.fingerprint)
        return benchmark_service_pb2.GetBenchmarkResponse(benchmark=benchmark)

    async def ListCases(  # noqa: N802  # named by the contract
        self, request: benchmark_service_pb2.ListCasesRequest, context: Any
    ) -> AsyncIterator[benchmark_service_pb2.ListCasesResponse]:
        """List the cases of a prepared benchmark."""
        reader = await asyncio.to_thread(self._reader, request.fingerprint)
        stop = request.start + request.count if request.count else None
        cases = reader.cases(request.start, stop)
        while step := await asyncio.to_thread(lambda: list(islice(cases, CASES_PER_STEP))):
            for case in step:
                yield benchmark_service_pb2.ListCasesResponse(case=codec.case_to_wire(case))

    def _reader(self, fingerprint: str) -> PreparedReader:
        return PreparedReader(self._objects, stored.decode(self._manifest(fingerprint), PreparedManifest))

    def _manifest(self, fingerprint: str) -> bytes:
        if len(fingerprint) != 64 or not fingerprint.isalnum():
            raise InvalidInputError(f"a fingerprint has 64 hexadecimal digits, not {fingerprint!r}")
        missing = f"no prepared benchmark has the fingerprint {fingerprint}"
        try:
            data = self._objects.read_key(object_keys.prepared_manifest(fingerprint))
        except NotFoundError as error:
            raise NotFoundError(missing) from error
        about = stored.decode(data, PreparedManifest).benchmark
        if not self._holdings.holds_benchmark(callers.current(), about.name, about.split, fingerprint):
            raise NotFoundError(missing)
        return data

    def _benchmark(self, fingerprint: str) -> benchmark_pb2.PreparedBenchmark:
        data = self._manifest(fingerprint)
        reader = PreparedReader(self._objects, stored.decode(data, PreparedManifest))
        quality = stored.decode(self._objects.read(reader.manifest.quality), QualityReport)
        ref = ObjectRef(object_keys.prepared_manifest(fingerprint), sha256_hex(data), len(data))
        return _benchmark_to_wire(reader.manifest, reader.units(), quality.findings, ref)


def _benchmark_to_wire(
    manifest: PreparedManifest, units: Iterable[PreparedUnit], findings: Iterable[QualityFinding], ref: ObjectRef
) -> benchmark_pb2.PreparedBenchmark:
    return benchmark_pb2.PreparedBenchmark(
        fingerprint=manifest.fingerprint,
        manifest=codec.manifest_to_wire(manifest.benchmark),
        adapter=str(manifest.adapter),
        evaluators=[str(spec) for spec in manifest.evaluators],
        documents=manifest.documents,
        cases=manifest.cases,
        units=[
            benchmark_pb2.PreparedUnit(
                unit_id=unit.unit_id,
                documents_digest=unit.documents_digest,
                documents=unit.documents,
                cases=object_pb2.Span(start=unit.cases_start, stop=unit.cases_stop),
            )
            for unit in units
        ],
        findings=[
            benchmark_pb2.QualityFinding(
                code=finding.code, count=finding.count, message=finding.message, examples=finding.examples
            )
            for finding in findings
        ],
        ref=codec.object_ref_to_wire(ref),
    )

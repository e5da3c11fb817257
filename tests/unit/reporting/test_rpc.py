"""ReportService over stored reports."""

from __future__ import annotations

import asyncio

import pytest

from bakeoff.contract import object_keys
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.gather import gather
from bakeoff.reporting.load import dump_report
from bakeoff.reporting.rpc import PIECE_BYTES, ReportRpc
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.v1 import report_service_pb2 as pb
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import evaluate


def stored(*, found: list[str], evaluation_id: str, objects: MemoryObjects) -> None:
    made = evaluate(
        a_request(recipes=[a_recipe("bm25")]),
        [a_case(f"c{number}") for number in range(4)],
        lambda entrant, case: an_answer(case.case_id, found=found),
        methods=["reciprocal_rank"],
        evaluation_id=evaluation_id,
    )
    report = assemble(gather(made.plan, made.context))
    objects.create(object_keys.report(evaluation_id, "report.json"), dump_report(report))


def fetch(objects: MemoryObjects, evaluation_id: str, kind: int = pb.REPORT_FORMAT_JSON) -> list[bytes]:
    async def pieces() -> list[bytes]:
        request = pb.GetReportRequest(evaluation_id=evaluation_id, format=kind)  # type: ignore[arg-type]
        return [piece.data async for piece in ReportRpc(objects).GetReport(request, None)]

    return asyncio.run(pieces())


def test_a_large_file_comes_in_pieces_of_a_mebibyte() -> None:
    objects = MemoryObjects()
    data = bytes(range(256)) * 4097 * 2
    objects.create(object_keys.report("ev-1", "report.json"), b"{}")
    objects.create(object_keys.report("ev-1", "trec.zip"), data)
    pieces = fetch(objects, "ev-1", pb.REPORT_FORMAT_TREC)
    assert [len(piece) for piece in pieces] == [PIECE_BYTES, PIECE_BYTES, 512]
    assert b"".join(pieces) == data


@pytest.mark.parametrize("evaluation_id", ["ev-2", "", "../ev-1", "ev-1/report"])
def test_an_evaluation_without_a_report_is_not_found(evaluation_id: str) -> None:
    objects = MemoryObjects()
    objects.create(object_keys.report("ev-1", "report.json"), b"{}")
    with pytest.raises(NotFoundError, match="has no report"):
        fetch(objects, evaluation_id)


def test_a_page_without_its_report_is_not_yet_there() -> None:
    objects = MemoryObjects()
    objects.create(object_keys.report("ev-1", "report.html"), b"<p>")
    with pytest.raises(NotFoundError, match="has not finished"):
        fetch(objects, "ev-1", pb.REPORT_FORMAT_HTML)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="not 99"):
        fetch(MemoryObjects(), "ev-1", 99)


def test_two_reports_are_compared_metric_by_metric() -> None:
    objects = MemoryObjects()
    stored(found=["d1"], evaluation_id="ev-1", objects=objects)
    stored(found=["d2", "d1"], evaluation_id="ev-2", objects=objects)
    request = pb.CompareReportsRequest(evaluation_id="ev-1", baseline_evaluation_id="ev-2")
    found = asyncio.run(ReportRpc(objects).CompareReports(request, None))
    (difference,) = found.differences
    assert (difference.metric, difference.mean, difference.baseline_mean) == ("mrr", 1.0, 0.5)
    assert not found.same_digest
    same = pb.CompareReportsRequest(evaluation_id="ev-1", baseline_evaluation_id="ev-1")
    assert asyncio.run(ReportRpc(objects).CompareReports(same, None)).same_digest

"""The digest of a report: equal for equal questions, data and numbers, whoever worked them out and how."""

from __future__ import annotations

from dataclasses import fields, replace

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest
from bakeoff.domain.identity import digest_of
from bakeoff.domain.report import EvaluationReport


def report_digest(report: EvaluationReport) -> str:
    """Return the SHA-256 of a report without what may differ from run to run.

    Left out are `digest` and `run`; of the request, who asked, under which key, in what batches and how much at once,
    and whose answers were scored again, since the digests of the cases tell them; the settings of adapters, which hold
    paths: a benchmark is known by its fingerprint; and the last number of Python's version: a container's Python is
    rarely that of a laptop, and its mends change no figure.
    """
    kept = {each.name: getattr(report, each.name) for each in fields(report) if each.name not in ("digest", "run")}
    kept["request"] = _essence(report.request)
    kept["benchmarks"] = [replace(each, adapter=each.adapter.partition("(")[0]) for each in report.benchmarks]
    kept["versions"] = {
        name: _minor(version) if name == "python" else version for name, version in report.versions.items()
    }
    return digest_of(kept)


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _essence(request: EvaluationRequest) -> EvaluationRequest:
    defaults = EvaluationOptions()
    return replace(
        request,
        benchmarks=tuple(replace(each, adapter=ComponentSpec(each.adapter.name)) for each in request.benchmarks),
        options=replace(request.options, batch_cases=defaults.batch_cases, concurrency=defaults.concurrency),
        tenant="",
        idempotency_key="",
        rescoring=None,
    )

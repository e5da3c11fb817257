"""Benchmarks, cases and evidence on the wire."""

from __future__ import annotations

from bakeoff.contract.codec.values import (
    enum_from_wire,
    enum_to_wire,
    struct_from_wire,
    struct_to_wire,
    value_from_wire,
    value_to_wire,
)
from bakeoff.domain.benchmark import BenchmarkChoice, BenchmarkManifest, BuildScope, Case, Evidence, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.v1 import benchmark_pb2


def benchmark_choice_to_wire(choice: BenchmarkChoice) -> benchmark_pb2.BenchmarkChoice:
    """Return the message of a chosen benchmark."""
    return benchmark_pb2.BenchmarkChoice(
        adapter=str(choice.adapter),
        name=choice.name,
        limit=choice.limit,
        evaluators=[str(spec) for spec in choice.evaluators],
    )


def benchmark_choice_from_wire(message: benchmark_pb2.BenchmarkChoice) -> BenchmarkChoice:
    """Return the chosen benchmark of a message.

    Raises:
        InvalidInputError: a signature cannot be read.
    """
    return BenchmarkChoice(
        ComponentSpec.parse(message.adapter),
        message.name,
        message.limit if message.HasField("limit") else None,
        tuple(ComponentSpec.parse(text) for text in message.evaluators),
    )


def manifest_to_wire(manifest: BenchmarkManifest) -> benchmark_pb2.BenchmarkManifest:
    """Return the message of a benchmark's manifest."""
    return benchmark_pb2.BenchmarkManifest(
        name=manifest.name,
        version=manifest.version,
        split=manifest.split,
        task_type=manifest.task_type,
        build_scope=enum_to_wire(manifest.build_scope, "BUILD_SCOPE", benchmark_pb2.BuildScope),  # type: ignore[arg-type]
        homepage=manifest.homepage,
        licence=manifest.licence,
        citation=manifest.citation,
        metadata=struct_to_wire(manifest.metadata),
    )


def manifest_from_wire(message: benchmark_pb2.BenchmarkManifest) -> BenchmarkManifest:
    """Return the manifest of a message."""
    return BenchmarkManifest(
        message.name,
        message.version,
        message.split,
        message.task_type,
        enum_from_wire(message.build_scope, "BUILD_SCOPE", benchmark_pb2.BuildScope, BuildScope),
        message.homepage,
        message.licence,
        message.citation,
        struct_from_wire(message.metadata),
    )


def evidence_to_wire(evidence: Evidence) -> benchmark_pb2.Evidence:
    """Return the message of a piece of evidence."""
    return benchmark_pb2.Evidence(
        reference_id=evidence.reference_id,
        locator=struct_to_wire(evidence.locator),
        text=evidence.text,
        relevance=evidence.relevance,
    )


def evidence_from_wire(message: benchmark_pb2.Evidence) -> Evidence:
    """Return the evidence of a message.

    Raises:
        InvalidInputError: it points nowhere.
    """
    return Evidence(message.reference_id, struct_from_wire(message.locator), message.text, message.relevance)


def expected_to_wire(expected: Expected) -> benchmark_pb2.Expected:
    """Return the message of what is expected."""
    return benchmark_pb2.Expected(
        answers=expected.answers,
        evidence=[evidence_to_wire(evidence) for evidence in expected.evidence],
        value=None if expected.value is None else value_to_wire(expected.value),
        metadata=struct_to_wire(expected.metadata),
    )


def expected_from_wire(message: benchmark_pb2.Expected) -> Expected:
    """Return what is expected by a message."""
    return Expected(
        tuple(message.answers),
        tuple(evidence_from_wire(evidence) for evidence in message.evidence),
        value_from_wire(message.value) if message.HasField("value") else None,
        struct_from_wire(message.metadata),
    )


def case_to_wire(case: Case) -> benchmark_pb2.Case:
    """Return the message of a case."""
    return benchmark_pb2.Case(
        case_id=case.case_id,
        query=case.query,
        expected=expected_to_wire(case.expected),
        labels=case.labels,
        metadata=struct_to_wire(case.metadata),
    )


def case_from_wire(message: benchmark_pb2.Case) -> Case:
    """Return the case of a message."""
    return Case(
        message.case_id,
        message.query,
        expected_from_wire(message.expected),
        dict(message.labels),
        struct_from_wire(message.metadata),
    )

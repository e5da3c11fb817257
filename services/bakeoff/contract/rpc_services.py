"""Which service answers which gRPC service."""

from __future__ import annotations

PACKAGE = "bakeoff.v1"
ANSWERED_BY = {
    f"{PACKAGE}.EvaluationService": "control",
    f"{PACKAGE}.BenchmarkService": "preparation",
    f"{PACKAGE}.DocumentService": "ingestion",
    f"{PACKAGE}.KnowledgeService": "knowledge",
    f"{PACKAGE}.InferenceService": "inference",
    f"{PACKAGE}.ScoringService": "scoring",
    f"{PACKAGE}.ReportService": "reporting",
}
"""Name of the service by full name of the gRPC service."""

"""What each call needs: one role a method; a method that does not stand here is for operators."""

from __future__ import annotations

from bakeoff.contract.rpc_services import PACKAGE

OPEN = "grpc.health.v1.Health"
"""Service that anybody may call: health checks have no tokens."""
OPERATE = "operate"
NEEDS: dict[str, dict[str, str]] = {
    f"{PACKAGE}.EvaluationService": {
        "SubmitEvaluation": "submit",
        "GetEvaluation": "read",
        "ListEvaluations": "read",
        "WatchEvaluation": "read",
        "CancelEvaluation": "submit",
        "PauseEvaluation": "submit",
        "ResumeEvaluation": "submit",
        "ListDeadLetters": "read",
        "GetDeadLetter": "read",
        "ReplayDeadLetters": "submit",
        "DiagnoseEvaluation": "read",
        "ListComponents": "read",
    },
    f"{PACKAGE}.BenchmarkService": {"CheckBenchmark": "submit", "GetBenchmark": "read", "ListCases": "read"},
    f"{PACKAGE}.DocumentService": {
        "DownloadDocument": "read",
        "GetDocument": "read",
        "ListDocuments": "read",
        # Raw storage is one for all tenants.
        "UploadDocument": OPERATE,
    },
    f"{PACKAGE}.KnowledgeService": {
        "GetKnowledgeBase": "read",
        "ListKnowledgeBases": "read",
        "Retrieve": "read",
        "RetrieveRankings": "read",
        "BuildKnowledgeBase": OPERATE,
        # Other tenants' evaluations may use the same one.
        "DeleteKnowledgeBase": OPERATE,
    },
    # These ask models, with the operator's keys.
    f"{PACKAGE}.InferenceService": {"Answer": "submit", "GenerateAnswers": "submit"},
    f"{PACKAGE}.ScoringService": {"ScoreAnswers": "submit"},
    f"{PACKAGE}.ReportService": {
        "GetReport": "read",
        "CompareReports": "read",
        "TraceAnswers": "read",
        "FindDocumentUses": "read",
    },
    # Names and messages of what is served.
    "grpc.reflection.v1alpha.ServerReflection": {"ServerReflectionInfo": "read"},
}
"""Role by method by full name of the gRPC service."""


def role_needed(method: str) -> str | None:
    """Return the role that a call needs; None when it needs none.

    Args:
        method: As gRPC names it, `/<service>/<method>`.
    """
    service, _, name = method.strip("/").partition("/")
    if service == OPEN:
        return None
    return NEEDS.get(service, {}).get(name, OPERATE)

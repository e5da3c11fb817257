"""The map of the bucket: every key under which something is stored."""

from __future__ import annotations

from bakeoff.domain.identity import key_segment

EVALUATIONS = "evaluations/"
"""Prefix of what belongs to one evaluation each."""
REPORT_FILE = "report.json"
"""The report itself; it is stored last of its files."""


def raw(benchmark: str, split: str, document_id: str, name: str) -> str:
    """Return the key of an original: `raw/benchmarks/{benchmark}/{split}/{document_id}/{name}`, segments encoded."""
    segments = (benchmark, split, document_id, name)
    return "raw/benchmarks/" + "/".join(key_segment(segment) for segment in segments)


def raw_other(benchmark: str, split: str, document_id: str, name: str, sha256: str) -> str:
    """Return the key of an original whose published key is taken by other bytes."""
    segments = (benchmark, split, document_id, f"sha256-{sha256[:16]}", name)
    return "raw/benchmarks/" + "/".join(key_segment(segment) for segment in segments)


def raw_prefix(benchmark: str = "", split: str = "") -> str:
    """Return the prefix of all originals, of a benchmark's, or of a split's."""
    given = [key_segment(segment) for segment in (benchmark, split) if segment]
    return "/".join(["raw/benchmarks", *given, ""])


def prepared_manifest(fingerprint: str) -> str:
    """Return the key of a PreparedManifest."""
    return f"prepared/{fingerprint}/manifest.json"


def prepared_part(fingerprint: str, kind: str, part: int) -> str:
    """Return the key of a part of `originals`, `documents` or `cases`."""
    return f"prepared/{fingerprint}/{kind}/part-{part:06d}.json"


def prepared_file(fingerprint: str, name: str) -> str:
    """Return the key of a single file such as `units.json`."""
    return f"prepared/{fingerprint}/{name}"


def blob(sha256: str) -> str:
    """Return the key at which bytes wait for ingestion."""
    return f"prepared/blobs/{sha256[:2]}/{sha256}"


def ingested_part(fingerprint: str, part: int) -> str:
    """Return the key of the IngestedOriginals of one part."""
    return f"prepared/{fingerprint}/ingested/part-{part:06d}.json"


def stage_artefact(stage: str, key: str) -> str:
    """Return the key of parsed, chunked or embedded documents; `stage` is `parse`, `chunk` or `embed`."""
    return f"stages/{stage}/{key}"


def kb_manifest(kb_id: str) -> str:
    """Return the key of a KnowledgeBaseManifest: the KB exists when this does."""
    return f"kb/{kb_id}/manifest.json"


def kb_file(kb_id: str, name: str) -> str:
    """Return the key of a file of a knowledge base."""
    return f"kb/{kb_id}/{name}"


def kb_prefix(kb_id: str = "") -> str:
    """Return the prefix of all knowledge bases, or of the files of one."""
    return f"kb/{kb_id}/" if kb_id else "kb/"


def response(key: str) -> str:
    """Return the key of a stored model response."""
    return f"responses/{key[:2]}/{key}"


def response_prefix(first: str = "") -> str:
    """Return the prefix of all responses, or of those whose key starts with two given digits: a 256th of all."""
    return f"responses/{first}/" if first else "responses/"


def kept_vectors(identity: str, pack: str = "") -> str:
    """Return the key of a pack of vectors that an endpoint made, or the prefix of all that are asked for alike.

    Args:
        identity: Digest of what is asked, and how, but for the texts.
        pack: Name of the pack; empty for the prefix.
    """
    return f"responses/vectors/{identity}/{pack}"


def prepare_result(evaluation_id: str, item: str) -> str:
    """Return the key of what a prepare item points at."""
    return f"evaluations/{evaluation_id}/prepared/{item}.json"


def request(evaluation_id: str) -> str:
    """Return the key of the EvaluationRequest."""
    return f"evaluations/{evaluation_id}/request.json"


def plan(evaluation_id: str) -> str:
    """Return the key of the Plan."""
    return f"evaluations/{evaluation_id}/plan.json"


def answers(evaluation_id: str, item: str) -> str:
    """Return the key of an AnswerBatch."""
    return f"evaluations/{evaluation_id}/answers/{item}.json"


def scores(evaluation_id: str, item: str) -> str:
    """Return the key of a ScoreBatch."""
    return f"evaluations/{evaluation_id}/scores/{item}.json"


def later_plan(evaluation_id: str, sha256: str) -> str:
    """Return the key of a Plan that takes the place of an earlier one, by its digest."""
    return f"evaluations/{evaluation_id}/plans/{sha256[:32]}.json"


def later_plans(evaluation_id: str) -> str:
    """Return the prefix of such plans."""
    return f"evaluations/{evaluation_id}/plans/"


def report(evaluation_id: str, name: str, item: str = "report") -> str:
    """Return the key of a file of a report: report.json, report.html, cases.csv, cases.parquet, trec.zip.

    Args:
        evaluation_id: Whose report it is.
        name: Of the file.
        item: The report item that made it: an evaluation that was taken up again has further ones.
    """
    return f"evaluations/{evaluation_id}/{item}/{name}"


def reports(evaluation_id: str) -> str:
    """Return the prefix of the files of all reports of an evaluation."""
    return f"evaluations/{evaluation_id}/report"


def tenant_benchmark(tenant: str, benchmark: str, split: str, fingerprint: str) -> str:
    """Return the key of the note that a tenant's evaluations use a prepared benchmark."""
    return f"{tenant_benchmarks(tenant)}{key_segment(benchmark)}/{key_segment(split)}/{fingerprint}"


def tenant_benchmarks(tenant: str, benchmark: str = "", split: str = "") -> str:
    """Return the prefix of all such notes of a tenant, or of those of a benchmark's split."""
    place = f"{key_segment(benchmark)}/{key_segment(split)}/" if benchmark else ""
    return f"tenants/{key_segment(tenant)}/benchmarks/{place}"

"""From material to a report: pure arithmetic, the same for the same material."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version

from bakeoff.domain.identity import digest_of
from bakeoff.domain.report import (
    SCHEMA_VERSION,
    BenchmarkResult,
    Comparison,
    EntrantResult,
    EvaluationReport,
    KnowledgeBaseResult,
    MetricSummary,
)
from bakeoff.domain.retrieval import excludes_self
from bakeoff.domain.score import MetricCard, Outcome, Score
from bakeoff.reporting.comparisons import Contender, compare_all
from bakeoff.reporting.counting import counted_mean, headline_value, paired_value, pooled_value
from bakeoff.reporting.digest import report_digest
from bakeoff.reporting.document_findings import document_findings, unreadable_documents
from bakeoff.reporting.failures import failed_cases
from bakeoff.reporting.groups import groups_of, macro_mean
from bakeoff.reporting.judging import judge_agreements
from bakeoff.reporting.material import BenchmarkMaterial, EntrantMaterial, KnowledgeBaseMaterial, Material
from bakeoff.reporting.prompt_findings import prompt_facts
from bakeoff.reporting.run_facts import run_facts
from bakeoff.reporting.statistics import mean_interval, wilson_interval

LIBRARIES = ("numpy", "scipy")
"""What computes intervals and tests here."""


def assemble(material: Material) -> EvaluationReport:
    """Return the report of an evaluation."""
    request = material.plan.request
    level = request.options.confidence
    report = EvaluationReport(
        schema_version=SCHEMA_VERSION,
        name=request.name,
        digest="",
        request=request,
        benchmarks=tuple(_benchmark(each) for each in material.benchmarks),
        entrants=tuple(
            _entrant(benchmark, entrant, level) for benchmark in material.benchmarks for entrant in benchmark.entrants
        ),
        comparisons=tuple(
            comparison
            for benchmark in material.benchmarks
            for comparison in _comparisons(benchmark, level, request.options.seed)
        ),
        knowledge_bases=tuple(_knowledge_base(each) for each in material.knowledge_bases),
        versions=_versions(material),
        digests=_digests(material),
        run=run_facts(material),
        agreements=judge_agreements(material),
    )
    return replace(report, digest=report_digest(report))


def _benchmark(benchmark: BenchmarkMaterial) -> BenchmarkResult:
    manifest = benchmark.manifest
    return BenchmarkResult(
        name=benchmark.name,
        version=manifest.benchmark.version,
        split=manifest.benchmark.split,
        licence=manifest.benchmark.licence,
        fingerprint=manifest.fingerprint,
        adapter=str(manifest.adapter),
        documents=manifest.documents,
        cases=len(benchmark.cases),
        units=benchmark.units,
        metrics=benchmark.metrics,
        quality=benchmark.quality,
        exclude_self=excludes_self(manifest.benchmark),
    )


def _entrant(benchmark: BenchmarkMaterial, entrant: EntrantMaterial, level: float) -> EntrantResult:
    failed = failed_cases(entrant)
    groups = groups_of(benchmark.manifest.benchmark, [planned.case for planned in benchmark.cases])
    return EntrantResult(
        benchmark=benchmark.name,
        entrant=entrant.name,
        recipe=entrant.recipe.name,
        mode=entrant.mode,
        planned_cases=len(benchmark.cases),
        answered_cases=sum(outcome.failure is None for outcome in entrant.outcomes),
        failed_cases=len(failed),
        failures=dict(sorted(Counter(failure.kind.value for failure in failed.values()).items())),
        metrics=tuple(
            replace(
                summarise(card, [outcome.scores[index] for outcome in entrant.outcomes], level),
                macro=macro_mean(groups, [headline_value(outcome.scores[index], card) for outcome in entrant.outcomes]),
            )
            for index, card in enumerate(benchmark.metrics)
        ),
        knowledge_bases=entrant.knowledge_bases,
        prompts=prompt_facts(outcome.prompt for outcome in entrant.outcomes),
    )


def summarise(card: MetricCard, scores: Sequence[Score], level: float) -> MetricSummary:
    """Return a metric's summary over all planned cases of an entrant."""
    counts = Counter(score.outcome for score in scores)
    counted = [value for score in scores if (value := headline_value(score, card)) is not None]
    scored = [score.value for score in scores if score.outcome is Outcome.SCORED]
    if card.binary:
        interval = wilson_interval(round(sum(counted)), len(counted), level)
    else:
        interval = mean_interval(counted, level, card.minimum, card.maximum)
    return MetricSummary(
        metric=card.name,
        planned=len(scores),
        scored=counts[Outcome.SCORED],
        failed=counts[Outcome.FAILED],
        not_applicable=counts[Outcome.NOT_APPLICABLE],
        mean=counted_mean(counted),
        mean_scored=counted_mean(scored),
        interval=interval,
        pooled=pooled_value(scores, card),
    )


def _comparisons(benchmark: BenchmarkMaterial, level: float, seed: int) -> list[Comparison]:
    compared = []
    for index, card in enumerate(benchmark.metrics):
        contenders = [
            Contender(entrant.name, [paired_value(outcome.scores[index], card) for outcome in entrant.outcomes])
            for entrant in benchmark.entrants
        ]
        compared += compare_all(benchmark.name, card, contenders, level=level, seed=seed)
    return compared


def _knowledge_base(each: KnowledgeBaseMaterial) -> KnowledgeBaseResult:
    build = each.build
    parts = {"parser": build.parser, "chunker": build.chunker, "embedder": build.embedder}
    signature = [f"{name}={spec}" for name, spec in parts.items() if spec is not None]
    signature.append(f"indexes=[{', '.join(map(str, build.indexes))}]")
    manifest = each.manifest
    return KnowledgeBaseResult(
        kb_id=each.kb_id,
        benchmark=each.benchmark,
        unit_id=each.unit_id,
        build=", ".join(signature),
        documents=manifest.documents if manifest else 0,
        chunks=manifest.chunks if manifest else 0,
        size_bytes=manifest.size_bytes if manifest else 0,
        skipped=len(manifest.skipped) if manifest else 0,
        failed=manifest is None,
        unreadable=unreadable_documents(manifest) if manifest else 0,
        findings=document_findings(manifest) if manifest else (),
    )


def _versions(material: Material) -> dict[str, str]:
    """Return the version of everything that made a number, by name."""
    sources: list[Mapping[str, str]] = [
        material.plan.versions,
        material.versions,
        {name: version(name) for name in (*LIBRARIES, "bakeoff")},
        {"python": platform.python_version()},
        *(each.manifest.versions for each in material.knowledge_bases if each.manifest),
    ]
    merged: dict[str, set[str]] = {}
    for source in sources:
        for name, each in source.items():
            merged.setdefault(name, set()).add(each)
    return {name: ", ".join(sorted(each)) for name, each in sorted(merged.items())}


def _cases_digest(benchmark: BenchmarkMaterial, entrant: EntrantMaterial) -> str:
    """Return a digest over every case's answer and scores; the words of failures may differ from run to run."""
    return digest_of(
        [
            [planned.name, outcome.text, [[each.metric, each.outcome, each.value] for each in outcome.scores]]
            for planned, outcome in zip(benchmark.cases, entrant.outcomes, strict=True)
        ]
    )


def _digests(material: Material) -> dict[str, str]:
    digests = {f"benchmark:{each.name}": each.manifest.fingerprint for each in material.benchmarks}
    for benchmark in material.benchmarks:
        for name, digest in benchmark.manifest.resources.items():
            digests[f"resource:{benchmark.name}/{name}"] = digest
        for entrant in benchmark.entrants:
            digests[f"cases:{benchmark.name}/{entrant.name}"] = _cases_digest(benchmark, entrant)
            # One by one: what fits the case chooses among the built-in templates.
            for template in sorted({each.prompt.template for each in entrant.outcomes} - {""}):
                digests[f"template:{benchmark.name}/{entrant.name}/{template[:8]}"] = template
    for each in material.knowledge_bases:
        digests[f"kb:{each.kb_id}"] = each.manifest.documents_digest if each.manifest else ""
    return dict(sorted(digests.items()))

"""What a report says of documents that could not be read."""

from __future__ import annotations

from dataclasses import replace

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.knowledge import KnowledgeBaseManifest, RemarkedDocument, SkippedDocument
from bakeoff.domain.recipe import BuildPart
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.document_findings import document_findings, document_sentences, unreadable_documents
from bakeoff.reporting.gather import gather
from bakeoff.reporting.page.knowledge_bases import group_knowledge_bases
from bakeoff.reporting.text import render_text
from tests.builders import a_case, a_request, an_answer
from tests.builders.evaluated import evaluate


def a_manifest(*, unreadable: int = 0, remarked: int = 0) -> KnowledgeBaseManifest:
    skipped = [SkippedDocument("empty", None)]
    for number in range(unreadable):
        reason = f"document 'bad{number}' cannot be read: it is cut off"
        skipped.append(SkippedDocument(f"bad{number}", Failure(FailureKind.PARSE, reason)))
    remarks = tuple(RemarkedDocument(f"odd{number}", ("page 1 of 2 is scanned",)) for number in range(remarked))
    return KnowledgeBaseManifest(
        "kb-1", "b", "test", "u", "0" * 64, BuildPart(), {}, 1, 1, 1, {}, tuple(skipped), remarks
    )


def test_an_empty_document_is_no_finding() -> None:
    assert document_findings(a_manifest()) == ()
    assert unreadable_documents(a_manifest()) == 0


def test_every_unread_document_is_counted_and_the_first_are_named() -> None:
    manifest = a_manifest(unreadable=12, remarked=1)
    found = document_findings(manifest)

    assert unreadable_documents(manifest) == 12
    assert found[0] == "document 'bad0' cannot be read: it is cut off"
    assert found[10:] == ("and 2 more could not be read", "document 'odd0': page 1 of 2 is scanned")


def test_a_report_says_how_many_documents_could_not_be_read() -> None:
    cases = [a_case("c", relevant=["d1"])]
    found = evaluate(
        a_request(), cases, lambda entrant, case: an_answer(case.case_id, found=["d1"]), methods=("hit(k=1)",)
    )
    report = assemble(gather(found.plan, found.context))
    [base] = report.knowledge_bases
    benchmark = report.benchmarks[0]
    assert document_sentences(report, benchmark) == []
    manifest = a_manifest(unreadable=2)
    told = replace(base, unreadable=2, findings=document_findings(manifest))
    other = replace(told, build=told.build.replace("chunker=", "chunker=another_"))
    report = replace(report, knowledge_bases=(told, told, other))

    [sentence] = document_sentences(report, benchmark)
    assert sentence.startswith("documents: 4 could not be read by auto;")
    assert sentence.endswith("the first: document 'bad0' cannot be read: it is cut off")
    assert "4 could not be read" in " ".join(render_text(report).split())
    group, _ = group_knowledge_bases(report.knowledge_bases)
    assert group.findings == told.findings

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


def test_every_unread_document_is_counted_and_named_under_its_reason() -> None:
    manifest = a_manifest(unreadable=12, remarked=1)
    bomb = SkippedDocument("bomb", Failure(FailureKind.PARSE, "document 'bomb' cannot be read: it unpacks to much"))
    found = document_findings(replace(manifest, skipped=(bomb, *manifest.skipped)))

    assert unreadable_documents(manifest) == 12
    names = ", ".join(f"'bad{number}'" for number in range(12))
    assert found == (
        f"12 × document … cannot be read: it is cut off: {names}",
        "document 'bomb' cannot be read: it unpacks to much",
        "document 'odd0': page 1 of 2 is scanned",
    )


def test_a_sentence_names_no_more_documents_than_anybody_reads() -> None:
    [found] = document_findings(a_manifest(unreadable=1200))
    assert found.startswith("1200 × document … cannot be read: it is cut off: 'bad0', ")
    assert found.endswith("'bad999' and 200 more")


def test_more_reasons_than_a_page_takes_are_counted() -> None:
    reasons = [
        SkippedDocument(f"d{n}", Failure(FailureKind.PARSE, f"document 'd{n}' cannot be read: byte {n} is no UTF-8"))
        for n in range(60)
    ]
    found = document_findings(replace(a_manifest(), skipped=tuple(reasons)))
    assert found[49:] == ("document 'd49' cannot be read: byte 49 is no UTF-8", "and 10 more could not be read")


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
    # Two units; the second recipe has the same parser, and so the same documents unread.
    assert sentence == (
        f"documents: 4 of {benchmark.documents} could not be read by auto: 2 × it is cut off: 'bad0', 'bad1'"
    )
    assert "could not be read by auto" in " ".join(render_text(report).split())
    group, _ = group_knowledge_bases(report.knowledge_bases)
    assert group.findings == told.findings


def test_a_terminal_is_told_where_all_unread_documents_are_named() -> None:
    cases = [a_case("c", relevant=["d1"])]
    found = evaluate(
        a_request(), cases, lambda entrant, case: an_answer(case.case_id, found=["d1"]), methods=("hit(k=1)",)
    )
    report = assemble(gather(found.plan, found.context))
    manifest = a_manifest(unreadable=90, remarked=2)
    told = replace(report.knowledge_bases[0], unreadable=90, findings=document_findings(manifest))
    report = replace(report, knowledge_bases=(told,))

    [sentence] = document_sentences(report, report.benchmarks[0])
    assert "by auto: 90 × it is cut off: 'bad0', 'bad1'," in sentence
    assert sentence.endswith(" …; the page names all of them, under “Sizes and times”")
    assert "scanned" not in sentence

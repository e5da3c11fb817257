"""A traced answer, and the uses of a document, as lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bakeoff.cli import output
from bakeoff.domain.answer import Span
from bakeoff.domain.trace import DocumentUse, TracedAnswer
from bakeoff.reporting.passage_place import page_words, passage_place

SHOWN_TEXT = 200


def answer_lines(traced: TracedAnswer, problems: Mapping[str, str] | None) -> Iterator[str]:
    """Yield the lines of an answer.

    Args:
        traced: The answer.
        problems: What is wrong with passages, by chunk id, empty for those that are right; None when nobody looked.
    """
    revision, answer = traced.revision, traced.answer
    yield f"case {answer.case_id} of {revision.name}, unit {traced.unit_id}, asked of {traced.entrant}"
    yield f"  question   {_short(traced.query)}"
    if answer.failure:
        yield f"  failed     {answer.failure.kind.value}: {answer.failure.reason}"
    elif answer.text is not None:
        yield f"  answer     {_short(answer.text)}"
    if traced.kb_id:
        yield f"  knowledge  {traced.kb_id}: {traced.parser} version {traced.parser_version}, {traced.chunker}"
    yield f"  benchmark  {revision.name} {revision.version} {revision.split}: {revision.adapter}"
    yield f"             prepared as {revision.fingerprint}"
    for name, digest in revision.resources.items():
        yield f"             {name}: sha256 {digest}"
    documents = {each.document_id: each for each in traced.documents}
    for passage in answer.passages:
        yield f"  {passage.rank}. {passage.chunk_id}  score {passage.score:.6g}"
        if passage.text is not None:
            yield f"     text      {_short(passage.text)}"
        yield f"     place     {passage_place(passage)}"
        document = documents.get(passage.document_id)
        if document:
            yield f"     document  {document.document_id}: {document.name}, {document.media_type}"
            yield f"               sha256 {document.sha256}"
        yield f"     original  {passage.raw_key}"
        yield f"               {_bytes(passage.raw_bytes)}sha256 {passage.raw_sha256}"
        if problems is not None:
            yield f"     checked   {problems[passage.chunk_id] or 'the original, parsed again, says the same'}"
    if not answer.passages:
        yield "  no passages"


def uses_table(uses: Iterable[tuple[str, DocumentUse]]) -> str:
    """Return the answers that used a document as a table, a row each, those to one case together.

    Args:
        uses: Passages of the document in answers, each with its evaluation's id.
    """
    head = ["evaluation", "benchmark", "unit", "case", "entrant", "ranks", "chunks", "pages"]
    answers: dict[tuple[str, ...], list[DocumentUse]] = {}
    for evaluation, use in uses:
        answers.setdefault((evaluation, use.benchmark, use.unit_id, use.case_id, use.entrant), []).append(use)
    places = {answer[:4]: place for place, answer in reversed(list(enumerate(answers)))}
    rows = [[*answer, *_used(answers[answer])] for answer in sorted(answers, key=lambda answer: places[answer[:4]])]
    return output.table(head, rows)


def _used(uses: Iterable[DocumentUse]) -> tuple[str, str, str]:
    """Return ranks, chunks and pages of the passages of one answer, best first."""
    ordered = sorted(uses, key=lambda use: use.rank)
    pages = dict.fromkeys(words for use in ordered if (words := page_words(use.pages)))
    numbers = [words.removeprefix("pages ").removeprefix("page ") for words in pages]
    return (
        ", ".join(str(use.rank) for use in ordered),
        ", ".join(use.chunk_id for use in ordered),
        ", ".join(numbers) or page_words(None),
    )


def _bytes(span: Span | None) -> str:
    return f"bytes {span.start}–{span.stop}, " if span else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_TEXT else line[: SHOWN_TEXT - 1] + "…"

"""Following answers to the documents that they rest on, and documents to the answers that used them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bakeoff.contract import object_keys
from bakeoff.contract.stored import PreparedReader, decode
from bakeoff.contract.stored_answers import decode_answers
from bakeoff.domain.answer import AnswerBatch, CaseAnswer, Failure, FailureKind, Passage
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import NotFoundError
from bakeoff.domain.prepared import PreparedManifest
from bakeoff.domain.ranking import scored_documents
from bakeoff.domain.trace import BenchmarkRevision, DocumentUse, TracedAnswer, TracedDocument
from bakeoff.domain.work import BuildTask, InferTask, Plan
from bakeoff.runtime.objects import ObjectStore

UNANSWERED = Failure(FailureKind.INFRASTRUCTURE, "no answer is stored: the case was not asked yet, or asking failed")


@dataclass(frozen=True, slots=True)
class _Asked:
    """An infer item."""

    item: str
    body: InferTask


class Traces:
    """The answers of one evaluation, in an object store."""

    def __init__(self, objects: ObjectStore, evaluation_id: str) -> None:
        """Open an evaluation, whether or not it has ended.

        Raises:
            NotFoundError: it does not exist, or is not planned yet.
        """
        self._objects = objects
        self._plan = _plan(objects, evaluation_id)
        rescoring = self._plan.request.rescoring
        # A re-scoring has no answers of its own: they lie with the evaluation that asked.
        self._answered_by = rescoring.evaluation_id if rescoring else evaluation_id
        bodies = ((item.task.item, item.task.body) for item in self._plan.items)
        self._asked = [_Asked(item, body) for item, body in bodies if isinstance(body, InferTask)]

    def of_case(
        self, case_id: str, *, benchmark: str = "", entrant: str = "", passages: int | None = None
    ) -> Iterator[TracedAnswer]:
        """Yield the answers to a case, by benchmark, unit and entrant in the plan's order.

        Args:
            case_id: The case.
            benchmark: Only of this one; empty means all.
            entrant: Only of this one, `recipe/mode`, or of all modes of this recipe; empty means all.
            passages: First passages; None means all.

        Raises:
            NotFoundError: there is no such case, benchmark or entrant; says which there are.
        """
        self._check("benchmark", benchmark, {each.body.benchmark for each in self._asked})
        entrants = {str(each.body.entrant): each.body.entrant.recipe for each in self._asked}
        wanted = {name for name, recipe in entrants.items() if entrant in ("", name, recipe)}
        self._check("entrant", "" if wanted else entrant, set(entrants))
        found = False
        for planned in self._plan.benchmarks:
            if benchmark not in ("", planned.name):
                continue
            reader = PreparedReader.open(self._objects, planned.prepared)
            cases = {place: case for place, case in enumerate(reader.cases()) if case.case_id == case_id}
            for each in self._asked:
                if each.body.benchmark != planned.name or str(each.body.entrant) not in wanted:
                    continue
                for place in range(each.body.cases_start, each.body.cases_stop):
                    if place in cases:
                        found = True
                        yield self._traced(each, cases[place], reader, passages)
        if not found:
            where = f"benchmark {benchmark!r}" if benchmark else f"evaluation {self._plan.evaluation_id!r}"
            raise NotFoundError(f"no case {case_id!r} was asked in {where}")

    def of_document(self, document_id: str, page: int | None = None) -> Iterator[DocumentUse]:
        """Yield the passages of a document in answers, by item of the plan, case and rank.

        Args:
            document_id: The document.
            page: Only passages that touch this page, from 0; None means any.

        Raises:
            NotFoundError: no benchmark of the evaluation has such a document.
        """
        known = False
        for each in self._asked:
            batch = self._batch(each)
            for answer in batch.answers if batch else ():
                for row, (name, _) in enumerate(scored_documents(answer.passages)):
                    if name == document_id:
                        known = True
                        if _touches(answer.passages[row], page):
                            yield _use(each.body, answer, answer.passages[row])
        if not known and not self._has(document_id):
            raise NotFoundError(
                f"no benchmark of evaluation {self._plan.evaluation_id!r} has a document {document_id!r}"
            )

    def _has(self, document_id: str) -> bool:
        readers = (PreparedReader.open(self._objects, planned.prepared) for planned in self._plan.benchmarks)
        return any(document.document_id == document_id for reader in readers for document in reader.documents())

    def _check(self, what: str, name: str, known: set[str]) -> None:
        if name and name not in known:
            raise NotFoundError(f"the evaluation has no {what} {name!r}; known: {', '.join(sorted(known))}")

    def _batch(self, each: _Asked) -> AnswerBatch | None:
        key = object_keys.answers(self._answered_by, each.item)
        return decode_answers(self._objects.read_key(key)) if self._objects.stat(key) else None

    def _traced(self, each: _Asked, case: Case, reader: PreparedReader, passages: int | None) -> TracedAnswer:
        batch = self._batch(each)
        answers = {answer.case_id: answer for answer in batch.answers} if batch else {}
        answer = answers.get(case.case_id) or CaseAnswer(case.case_id, failure=UNANSWERED)
        answer = replace(answer, passages=tuple(answer.passages[:passages]))
        build = self._build(each.body.kb_id)
        return TracedAnswer(
            _revision(each.body.benchmark, reader.manifest),
            each.body.unit_id,
            str(each.body.entrant),
            each.body.kb_id,
            str(build.build.parser) if build else "",
            self._plan.versions.get(f"parser:{build.build.parser.name}", "") if build else "",
            str(build.build.chunker) if build else "",
            case.query,
            answer,
            _documents(answer, reader),
        )

    def _build(self, kb_id: str) -> BuildTask | None:
        bodies = (item.task.body for item in self._plan.items)
        return next((body for body in bodies if isinstance(body, BuildTask) and body.kb_id == kb_id), None)


def _plan(objects: ObjectStore, evaluation_id: str) -> Plan:
    try:
        return decode(objects.read_key(object_keys.plan(evaluation_id)), Plan)
    except NotFoundError as error:
        raise NotFoundError(
            f"evaluation {evaluation_id!r} has no plan: it does not exist, or is not planned yet"
        ) from error


def _revision(name: str, manifest: PreparedManifest) -> BenchmarkRevision:
    benchmark = manifest.benchmark
    return BenchmarkRevision(
        name, benchmark.version, benchmark.split, manifest.fingerprint, str(manifest.adapter), manifest.resources
    )


def _documents(answer: CaseAnswer, reader: PreparedReader) -> tuple[TracedDocument, ...]:
    wanted = dict.fromkeys(name for name, _ in scored_documents(answer.passages))
    found: dict[str, TracedDocument] = {}
    for document in reader.documents() if wanted else ():
        if document.document_id in wanted:
            found[document.document_id] = TracedDocument(
                document.document_id, document.name, document.media_type, document.original_id, document.sha256
            )
            if len(found) == len(wanted):
                break
    return tuple(found[name] for name in wanted if name in found)


def _touches(passage: Passage, page: int | None) -> bool:
    return page is None or (passage.pages is not None and passage.pages.start <= page < passage.pages.stop)


def _use(body: InferTask, answer: CaseAnswer, passage: Passage) -> DocumentUse:
    return DocumentUse(
        body.benchmark,
        body.unit_id,
        answer.case_id,
        str(body.entrant),
        passage.rank,
        passage.chunk_id,
        passage.chars,
        passage.pages,
    )

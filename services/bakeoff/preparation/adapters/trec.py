"""Classic collections: documents, topics and judgements as TREC and SMART had them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from bakeoff.domain.benchmark import (
    BenchmarkDocument,
    BenchmarkManifest,
    BenchmarkResource,
    Case,
    Evidence,
    Expected,
    RunUnit,
)
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.adapters.beir import EVALUATORS
from bakeoff.preparation.beir_sets import set_name
from bakeoff.preparation.protocol import BenchmarkProtocol, PreparedSource, Workspace
from bakeoff.preparation.record_documents import RecordLine, TextDocument, record_documents, write_records
from bakeoff.preparation.records import read_records
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.source_files import SourceFile, check_resource, find_files, open_resource, resource_of
from bakeoff.preparation.trec_documents import read_documents
from bakeoff.preparation.trec_qrels import grades_of, padded, read_judgements
from bakeoff.preparation.trec_topics import Topic, read_topics
from bakeoff.runtime.registry import Is

MADE = "corpus.jsonl"
DOCUMENTS = ("cran.all.1400*", "cacm.all", "doc-text*", "*.trec", "*.sgml", "CACM-*.html", "*docs*", "*documents*")
TOPICS = ("*topics*", "cran.qry*", "query.text", "query-text*", "*.qry", "*quer*")
QRELS = ("*qrel*",)


@adapters.register("trec")
def trec(
    *,
    path: Annotated[str, Is("folder or archive with the collection, or its address", path=True)],
    documents: Annotated[str | None, Is("glob of the documents' files below path; null: the usual names")] = None,
    topics: Annotated[str | None, Is("glob of the topics' file; null: the usual names")] = None,
    qrels: Annotated[str | None, Is("glob of the judgements' file; null: the usual names")] = None,
    topic_fields: Annotated[tuple[str, ...], Is("fields of SGML topics that make the query")] = ("title",),
    topic_ids: Annotated[
        Literal["auto", "number", "position"],
        Is("what judgements call a topic: its number, or its place from 1; auto: numbers if all are topics'"),
    ] = "auto",
    gains: Annotated[
        dict[str, Any] | None,
        Is("grade by code, such as {'1': 4, '2': 3, '3': 2, '4': 1, '-1': 0} for Cranfield; null: codes are grades"),
    ] = None,
    pad_ids: Annotated[bool, Is("whether judged ids that lack zeros are put right; false: as published")] = False,
) -> BenchmarkProtocol:
    """A classic collection such as Cranfield, Vaswani or CACM: SGML or dotted documents and topics, and judgements.

    Source: the formats of TREC (<doc>, <top>, qrels of four columns) and SMART (.I, .T, .W).
    """
    return Trec(path, (documents, topics, qrels), tuple(topic_fields), topic_ids, gains, pad_ids)


@dataclass(frozen=True, slots=True)
class Trec:
    """The adapter; see `trec` for its settings."""

    path: str
    globs: tuple[str | None, str | None, str | None]
    topic_fields: tuple[str, ...]
    topic_ids: Literal["auto", "number", "position"]
    gains: dict[str, Any] | None
    pad_ids: bool

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is: named after its folder or archive."""
        return BenchmarkManifest(set_name(self.path), "1", "test", "retrieval", metadata={"pad_ids": self.pad_ids})

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return the collection."""
        return (resource_of("collection", self.path),)

    def check(self) -> list[Violation]:
        """Return what is missing, as far as it can be told without unpacking or downloading."""
        faults = [fault for names in self._patterns() for fault in check_resource(self.resources()[0], names, "path")]
        return list(dict.fromkeys(faults))

    def prepare(self, workspace: Workspace) -> PreparedSource:
        """Find the files, and write the documents as records.

        Raises:
            InvalidInputError: there are no such files, or the documents' glob finds those of the topics as well.
        """
        root = open_resource(workspace, self.resources()[0])
        if root.path.is_file():
            raise InvalidInputError(f"{self.path!r} must be a folder or an archive")
        of_documents, of_topics, of_qrels = self._patterns()
        topics, qrels = find_files(root, of_topics)[0], find_files(root, of_qrels)[0]
        files = [each for each in find_files(root, of_documents) if each.path not in (topics.path, qrels.path)]
        made = workspace.folder() / MADE
        write_records(made, _all(files))
        return PreparedSource({"topics": topics.path, "qrels": qrels.path, MADE: made})

    def documents(self, source: PreparedSource) -> Iterator[BenchmarkDocument]:
        """Yield each document. Empty ones are kept, and noted."""
        yield from record_documents(source.files[MADE], source.findings)

    def cases(self, source: PreparedSource) -> Iterator[Case]:
        """Yield each judged topic with its judgements as evidence.

        Raises:
            InvalidInputError: two topics have one number, a grade is not known, or no topic is judged.
        """
        topics = read_topics(source.files["topics"], self.topic_fields)
        grades = grades_of(source.files["qrels"], read_judgements(source.files["qrels"]), self.gains, source.findings)
        if self.pad_ids:
            ids = [str(record.value.id) for record in read_records(source.files[MADE], RecordLine)]
            grades = padded(grades, ids, source.findings)
        keys = self._keys(topics, grades, source)
        asked = 0
        for topic, key in zip(topics, keys, strict=True):
            if key in grades:
                asked += 1
                yield _case(key, topic, grades[key])
            else:
                source.findings.note("query_without_judgement", "queries without a judgement are not asked", key)
        if not asked:
            raise InvalidInputError(f"0 of {len(topics)} topics have a judgement; is topic_ids right?")
        for key in grades.keys() - set(keys):
            source.findings.note("judgement_for_unknown_query", "judged queries that are not in the file", key)

    def run_units(self, source: PreparedSource) -> Iterator[RunUnit]:
        """Yield one unit: the whole collection, and every case."""
        yield RunUnit("corpus")

    def evaluators(self) -> tuple[ComponentSpec, ...]:
        """Return nDCG@10 and the usual company, average precision among them."""
        return EVALUATORS

    def _patterns(self) -> tuple[tuple[str, ...], ...]:
        return tuple(
            (glob,) if glob else usual for glob, usual in zip(self.globs, (DOCUMENTS, TOPICS, QRELS), strict=True)
        )

    def _keys(self, topics: list[Topic], grades: dict[str, dict[str, int]], source: PreparedSource) -> list[str]:
        """Return what judgements call each topic."""
        numbers = [topic.number for topic in topics]
        positions = [str(topic.position) for topic in topics]
        by_position = self.topic_ids == "position"
        if self.topic_ids == "auto" and not grades.keys() <= set(numbers) and grades.keys() <= set(positions):
            by_position = True
            message = "topics that judgements count by their place, since the numbers of some are not topics'"
            for topic in topics:
                if topic.number != str(topic.position):
                    source.findings.note("topic_by_position", message, f"{topic.number} is {topic.position}")
        keys = positions if by_position else numbers
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise InvalidInputError(f"several topics have the number {', '.join(twice[:10])}")
        return keys


def _all(files: list[SourceFile]) -> Iterator[TextDocument]:
    for file in files:
        yield from read_documents(file.path)


def _case(key: str, topic: Topic, grades: dict[str, int]) -> Case:
    evidence = tuple(
        Evidence(document_id, {"document_id": document_id}, relevance=grade) for document_id, grade in grades.items()
    )
    return Case(key, topic.text, Expected(evidence=evidence), metadata={"topic": topic.number})

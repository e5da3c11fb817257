"""What is asked: original documents, prepared benchmarks, and the knowledge bases that are built of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

from bakeoff.client import document_calls, knowledge_calls
from bakeoff.client.connection import BUILD_S, AsyncConnection, Connection
from bakeoff.client.document_calls import Document, Uploaded
from bakeoff.client.knowledge_calls import Found, KnowledgeBase, PreparedBenchmark
from bakeoff.domain.benchmark import Case
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.recipe import BuildPart, QueryMode


class Sources(Connection):
    """Documents, benchmarks and knowledge bases, waited for."""

    def upload(
        self,
        content: bytes | Path,
        *,
        benchmark: str,
        split: str,
        document_id: str,
        name: str = "",
        sha256: str = "",
        media_type: str = "",
    ) -> Uploaded:
        """Store an original document; nothing is visible unless all of it arrived.

        Args:
            content: Its bytes, or the file that holds them.
            benchmark: Benchmark.
            split: Split.
            document_id: Id of the document; any text.
            name: File name; empty means that of the file.
            sha256: Digest that the bytes must have; empty means: whatever comes.
            media_type: Its type; empty means: by its content.

        Raises:
            InvalidInputError: there is no such file, the digest is another, the document is too large, or a name is
                missing.
        """
        call = document_calls.upload(
            content,
            benchmark=benchmark,
            split=split,
            document_id=document_id,
            name=name,
            sha256=sha256,
            media_type=media_type,
        )
        return self._call(call, BUILD_S)

    def original(self, raw_key: str, start: int = 0, length: int = 0) -> Iterator[bytes]:
        """Yield the bytes of an original document, in pieces.

        Args:
            raw_key: Its key, as passages name it.
            start: First byte, from 0.
            length: At most so many bytes; 0 means to the end.

        Raises:
            NotFoundError: there is no such original.
            InvalidInputError: it has no such bytes.
        """
        return self._stream(document_calls.download(raw_key, start, length))

    def document(self, raw_key: str) -> Document:
        """Return what is known of an original.

        Raises:
            NotFoundError: there is no such original.
        """
        return self._call(document_calls.get(raw_key))

    def documents(self, benchmark: str = "", split: str = "") -> Iterator[Document]:
        """Yield originals by key: all, those of a benchmark, or those of its split.

        Raises:
            InvalidInputError: a split comes without a benchmark.
        """
        return self._stream(document_calls.listed(benchmark, split))

    def benchmark(self, fingerprint: str) -> PreparedBenchmark:
        """Return a prepared benchmark.

        Args:
            fingerprint: As a report's benchmarks name it.

        Raises:
            NotFoundError: there is none of that fingerprint.
        """
        return self._call(knowledge_calls.benchmark(fingerprint))

    def cases(self, fingerprint: str, start: int = 0, count: int = 0) -> Iterator[Case]:
        """Yield the cases of a prepared benchmark.

        Args:
            fingerprint: As a report's benchmarks name it.
            start: First case in the prepared order, from 0.
            count: At most so many; 0 means all.

        Raises:
            NotFoundError: there is none of that fingerprint.
        """
        return self._stream(knowledge_calls.cases(fingerprint, start, count))

    def build_knowledge_base(self, prepared: ObjectRef, unit_id: str, build: BuildPart) -> KnowledgeBase:
        """Build a knowledge base of a unit whose originals are ingested, or return the one there is.

        Args:
            prepared: The `prepared` of a `PreparedBenchmark`.
            unit_id: The unit.
            build: How; settings that are left out have their defaults.

        Raises:
            NotFoundError: there is no such benchmark, unit or component.
            InvalidInputError: a setting is wrong, or the originals are not ingested.
        """
        return self._call(knowledge_calls.build(prepared, unit_id, build), BUILD_S)

    def knowledge_base(self, kb_id: str) -> KnowledgeBase:
        """Return a knowledge base.

        Raises:
            NotFoundError: there is none of that id.
        """
        return self._call(knowledge_calls.get(kb_id))

    def knowledge_bases(self) -> Iterator[KnowledgeBase]:
        """Yield knowledge bases by id."""
        return self._stream(knowledge_calls.listed())

    def delete_knowledge_base(self, kb_id: str) -> bool:
        """Delete a knowledge base; originals stay. Return whether it was there."""
        return self._call(knowledge_calls.delete(kb_id))

    def retrieve(self, kb_id: str, mode: QueryMode, queries: Sequence[str], *, text_ranks: int = 5) -> Iterator[Found]:
        """Ask a knowledge base, and yield what was found in the order of the questions.

        Args:
            kb_id: The knowledge base.
            mode: How it is asked.
            queries: At most 1,000.
            text_ranks: First ranks whose texts come along.

        Raises:
            NotFoundError: there is no such knowledge base.
            InvalidInputError: the mode does not fit it, or there are no or too many questions.
        """
        return self._stream(knowledge_calls.retrieve(kb_id, mode, queries, text_ranks))


class AsyncSources(AsyncConnection):
    """Documents, benchmarks and knowledge bases, awaited: as the methods of `Client`, which raise the same."""

    async def upload(
        self,
        content: bytes | Path,
        *,
        benchmark: str,
        split: str,
        document_id: str,
        name: str = "",
        sha256: str = "",
        media_type: str = "",
    ) -> Uploaded:
        """Store an original document; nothing is visible unless all of it arrived."""
        call = document_calls.upload(
            content,
            benchmark=benchmark,
            split=split,
            document_id=document_id,
            name=name,
            sha256=sha256,
            media_type=media_type,
        )
        return await self._call(call, BUILD_S)

    def original(self, raw_key: str, start: int = 0, length: int = 0) -> AsyncIterator[bytes]:
        """Yield the bytes of an original document, in pieces."""
        return self._stream(document_calls.download(raw_key, start, length))

    async def document(self, raw_key: str) -> Document:
        """Return what is known of an original."""
        return await self._call(document_calls.get(raw_key))

    def documents(self, benchmark: str = "", split: str = "") -> AsyncIterator[Document]:
        """Yield originals by key: all, those of a benchmark, or those of its split."""
        return self._stream(document_calls.listed(benchmark, split))

    async def benchmark(self, fingerprint: str) -> PreparedBenchmark:
        """Return a prepared benchmark."""
        return await self._call(knowledge_calls.benchmark(fingerprint))

    def cases(self, fingerprint: str, start: int = 0, count: int = 0) -> AsyncIterator[Case]:
        """Yield the cases of a prepared benchmark."""
        return self._stream(knowledge_calls.cases(fingerprint, start, count))

    async def build_knowledge_base(self, prepared: ObjectRef, unit_id: str, build: BuildPart) -> KnowledgeBase:
        """Build a knowledge base of a unit whose originals are ingested, or return the one there is."""
        return await self._call(knowledge_calls.build(prepared, unit_id, build), BUILD_S)

    async def knowledge_base(self, kb_id: str) -> KnowledgeBase:
        """Return a knowledge base."""
        return await self._call(knowledge_calls.get(kb_id))

    def knowledge_bases(self) -> AsyncIterator[KnowledgeBase]:
        """Yield knowledge bases by id."""
        return self._stream(knowledge_calls.listed())

    async def delete_knowledge_base(self, kb_id: str) -> bool:
        """Delete a knowledge base; originals stay. Return whether it was there."""
        return await self._call(knowledge_calls.delete(kb_id))

    def retrieve(
        self, kb_id: str, mode: QueryMode, queries: Sequence[str], *, text_ranks: int = 5
    ) -> AsyncIterator[Found]:
        """Ask a knowledge base, and yield what was found in the order of the questions."""
        return self._stream(knowledge_calls.retrieve(kb_id, mode, queries, text_ranks))

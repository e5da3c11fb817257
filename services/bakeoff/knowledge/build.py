"""Building a knowledge base: documents in, files out. No network, nothing but the folder is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bakeoff.contract.stored import encode
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.knowledge import SkippedDocument
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge.arrays import write_arrays
from bakeoff.knowledge.chunking import Chunk, Chunker
from bakeoff.knowledge.embedding import Embedder, Vectors
from bakeoff.knowledge.parsing import Parser, SourceDocument, UnreadableDocumentError
from bakeoff.knowledge.parts import component_versions, library_versions, needs_vectors, resolved
from bakeoff.knowledge.registries import chunkers, embedders, indexes, parsers
from bakeoff.knowledge.table_writer import CutDocument, TableWriter

FORMAT = "1"
"""Of the files. Another format needs another number, here and in what opens it."""
TABLES = "chunks.safetensors"
BATCH_TEXTS = 4096
"""Texts that are parsed or embedded between two steps."""


@dataclass(frozen=True, slots=True)
class Built:
    """A knowledge base in a folder."""

    folder: Path
    files: tuple[str, ...]
    """Names of the files in the folder, sorted."""
    build: BuildPart
    """With all settings filled in."""
    versions: dict[str, str]
    """Of components, by `kind:name`, and of libraries."""
    documents: int
    """Documents that gave chunks."""
    chunks: int
    characters: int
    """Characters over all chunks."""
    skipped: tuple[SkippedDocument, ...]
    """The others, in the order of the documents."""


def build_knowledge_base(
    documents: Iterable[SourceDocument],
    part: BuildPart,
    folder: Path,
    *,
    step: Callable[[], None] = lambda: None,
) -> Built:
    """Build a knowledge base; the same documents and part give the same bytes.

    Args:
        documents: Ids must be unique.
        part: How; settings that are left out have their defaults.
        folder: Where the files go; made when it is not there.
        step: Called before each long step; what it raises ends the build.

    Raises:
        NotFoundError: the part names an unknown component.
        InvalidInputError: a setting is wrong, an id stands there twice, or no document gave a chunk.
    """
    part = resolved(part)
    made = [(index.name, indexes.make(index)) for index in part.indexes]
    embedder = embedders.make(part.embedder) if part.embedder else None
    tables, texts, skipped = _cut(documents, parsers.make(part.parser), chunkers.make(part.chunker), step)
    if not texts:
        raise InvalidInputError(_nothing(skipped))
    folder.mkdir(parents=True, exist_ok=True)
    notes = {"format": FORMAT, "build": encode(part).decode()}
    write_arrays(folder / TABLES, tables.arrays(), notes)
    vectors = None
    if embedder is not None and any(needs_vectors(name) for name, _ in made):
        vectors = _embedded(texts, embedder, step)
    for name, kind in made:
        step()
        arrays = kind.build(texts, vectors if needs_vectors(name) else None)
        write_arrays(folder / index_file(name), arrays, notes)
    return Built(
        folder,
        tuple(sorted((TABLES, *(index_file(name) for name, _ in made)))),
        part,
        {**component_versions(part), **library_versions(part)},
        tables.documents,
        len(texts),
        sum(map(len, texts)),
        tuple(skipped),
    )


def index_file(name: str) -> str:
    """Return the name of the file of an index."""
    return f"index-{name}.safetensors"


def _cut(
    documents: Iterable[SourceDocument], parser: Parser, chunker: Chunker, step: Callable[[], None]
) -> tuple[TableWriter, list[str], list[SkippedDocument]]:
    """Parse and chunk every document; return the table, the chunks' texts, and the documents without chunks."""
    tables = TableWriter()
    texts: list[str] = []
    skipped: list[SkippedDocument] = []
    seen: set[str] = set()
    for number, document in enumerate(documents):
        if number % BATCH_TEXTS == 0:
            step()
        if document.document_id in seen:
            raise InvalidInputError(f"two documents have the id {document.document_id!r}")
        seen.add(document.document_id)
        cut = _cut_one(document, parser, chunker)
        if isinstance(cut, Failure) or not cut.chunks:
            skipped.append(SkippedDocument(document.document_id, cut if isinstance(cut, Failure) else None))
            continue
        tables.add(document, cut)
        texts += [cut.parsed.text[start:stop] for start, stop in cut.chunks]
    return tables, texts, skipped


def _cut_one(document: SourceDocument, parser: Parser, chunker: Chunker) -> CutDocument | Failure:
    try:
        parsed = parser(document)
        return CutDocument(parsed, parsed.text.encode("utf-8"), _checked(chunker(parsed.text), parsed.text))
    except UnreadableDocumentError as error:
        return Failure(FailureKind.PARSE, f"document {document.document_id!r} cannot be read: {error}")
    except UnicodeEncodeError as error:
        reason = f"character {error.start} of its text cannot be written as UTF-8"
        return Failure(FailureKind.PARSE, f"document {document.document_id!r} cannot be read: {reason}")
    except MemoryError:
        raise
    except Exception as error:  # a plug-in's fault with one document is no fault of the others
        reason = f"{type(error).__name__}: {error}"
        return Failure(FailureKind.PARSE, f"parsing or chunking of document {document.document_id!r} failed: {reason}")


def _checked(chunks: list[Chunk], text: str) -> list[Chunk]:
    """Return chunks that keep what a chunker promises; a plug-in that breaks it would give wrong passages."""
    before = -1
    for start, stop in chunks:
        if not before < start < stop <= len(text):
            raise ValueError(f"chunk [{start}, {stop}) is empty, out of order or beyond the text's end at {len(text)}")
        before = start
    return chunks


def _embedded(texts: Sequence[str], embedder: Embedder, step: Callable[[], None]) -> Vectors:
    vectors = np.empty((len(texts), embedder.dimension), np.float32)
    for first in range(0, len(texts), BATCH_TEXTS):
        step()
        batch = embedder.embed(texts[first : first + BATCH_TEXTS])
        if not np.isfinite(batch).all():
            wrong = first + int(np.flatnonzero(~np.isfinite(batch).all(axis=1))[0])
            raise InvalidInputError(f"the embedder gave NaN or infinity for the text {texts[wrong][:80]!r}")
        vectors[first : first + BATCH_TEXTS] = batch
    return vectors


def _nothing(skipped: Sequence[SkippedDocument]) -> str:
    reasons = [document.failure.reason for document in skipped if document.failure]
    if reasons:
        return f"none of {len(skipped)} documents gave a chunk; the first that could not be read: {reasons[0]}"
    return f"none of {len(skipped)} documents gave a chunk: all are empty" if skipped else "there are no documents"

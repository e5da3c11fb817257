"""Parsing and chunking a lot of documents, from file to file: what is done in the processes of a build."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from bakeoff.domain.component import ComponentSpec
from bakeoff.knowledge.arrays import FileArrays, write_arrays
from bakeoff.knowledge.chunking import Chunk, Chunker
from bakeoff.knowledge.indexing import Arrays
from bakeoff.knowledge.parsing import ParsedDocument, Parser, SourceDocument, UnreadableDocumentError
from bakeoff.knowledge.registries import chunkers, parsers
from bakeoff.knowledge.table_writer import CutDocument, TableWriter

MADE = 16
"""Parsers and chunkers that are kept, since some take long to make."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a document gave nothing, in words without its name: another document may have the same bytes."""

    before: str
    """What stands before the document's id."""
    behind: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """What parsing came to for one document."""

    document: ParsedDocument | None
    fault: Fault | None = None
    """Why there is no document; None when there is one."""


@dataclass(frozen=True, slots=True)
class CutLot:
    """A lot that was parsed and chunked."""

    columns: Arrays
    """Of a TableWriter; mapped from a file when they are used, since a build may have ten thousand lots."""
    chunks: int
    """Chunks of all documents."""
    kept: tuple[int, ...]
    """Numbers in the lot of the documents that gave chunks, ascending."""
    faults: dict[int, Fault]
    """Of documents that gave none, by their numbers; an empty document has no fault."""
    remarks: dict[int, tuple[str, ...]]
    """What a reader of the results should know of documents, by their numbers."""


def parse_lot(parser: ComponentSpec, sources: Sequence[SourceDocument], out: Path) -> None:
    """Parse documents and write what came of each to a file.

    Raises:
        NotFoundError: there is no such parser.
    """
    made = _parser(str(parser))
    out.write_bytes(msgspec.msgpack.encode([_parsed(made, source) for source in sources]))


def chunk_lot(chunker: ComponentSpec, parsed: Path, out: Path) -> None:
    """Chunk documents that `parse_lot` has written, and write their columns to a file.

    Raises:
        NotFoundError: there is no such chunker.
    """
    _chunk(chunker, msgspec.msgpack.decode(parsed.read_bytes(), type=list[Parsed]), out)


def cut_lot(parser: ComponentSpec, chunker: ComponentSpec, sources: Sequence[SourceDocument], out: Path) -> None:
    """Parse and chunk documents, and write their columns to a file; what is parsed is not kept."""
    made = _parser(str(parser))
    _chunk(chunker, [_parsed(made, source) for source in sources], out)


def read_cut(path: Path) -> CutLot:
    """Read what `chunk_lot` or `cut_lot` has written."""
    columns = FileArrays(path)
    notes = columns.notes
    faults = {int(number): Fault(*words) for number, words in json.loads(notes["faults"]).items()}
    remarks = {int(number): tuple(words) for number, words in json.loads(notes["remarks"]).items()}
    return CutLot(columns, len(columns["chunk_chars"]), tuple(json.loads(notes["kept"])), faults, remarks)


def _parsed(parser: Parser, source: SourceDocument) -> Parsed:
    if source.unread:
        return Parsed(None, Fault("document", f"cannot be read: {source.unread}"))
    try:
        document = parser(source)
        document.text.encode("utf-8")
    except UnreadableDocumentError as error:
        return Parsed(None, Fault("document", f"cannot be read: {error}"))
    except UnicodeEncodeError as error:
        reason = f"character {error.start} of its text cannot be written as UTF-8"
        return Parsed(None, Fault("document", f"cannot be read: {reason}"))
    except MemoryError:
        raise
    except Exception as error:  # a plug-in's fault with one document is no fault of the others
        return Parsed(None, _failed(error))
    return Parsed(document)


def _failed(error: Exception) -> Fault:
    return Fault("parsing or chunking of document", f"failed: {type(error).__name__}: {error}")


def _chunk(chunker: ComponentSpec, documents: Sequence[Parsed], out: Path) -> None:
    made = _chunker(str(chunker))
    writer = TableWriter()
    kept: list[int] = []
    faults: dict[int, tuple[str, str]] = {}
    remarks: dict[int, tuple[str, ...]] = {}
    for number, parsed in enumerate(documents):
        cut = _cut(made, parsed)
        if isinstance(cut, Fault):
            faults[number] = (cut.before, cut.behind)
        elif cut.chunks:
            writer.add(cut)
            kept.append(number)
        if parsed.document is not None and parsed.document.notes:
            remarks[number] = parsed.document.notes
    notes = {"kept": json.dumps(kept), "faults": json.dumps(faults), "remarks": json.dumps(remarks)}
    write_arrays(out, writer.arrays(), notes)


def _cut(chunker: Chunker, parsed: Parsed) -> CutDocument | Fault:
    if parsed.document is None:
        return parsed.fault or Fault("document", "cannot be read")
    try:
        text = parsed.document.text
        return CutDocument(parsed.document, text.encode("utf-8"), _checked(chunker(parsed.document), text))
    except MemoryError:
        raise
    except Exception as error:
        return _failed(error)


def _checked(chunks: list[Chunk], text: str) -> list[Chunk]:
    """Return chunks that keep what a chunker promises; a plug-in that breaks it would give wrong passages."""
    before = -1
    for start, stop in chunks:
        if not before < start < stop <= len(text):
            raise ValueError(f"chunk [{start}, {stop}) is empty, out of order or beyond the text's end at {len(text)}")
        before = start
    return chunks


@lru_cache(MADE)
def _parser(spec: str) -> Parser:
    return parsers.make(ComponentSpec.parse(spec))


@lru_cache(MADE)
def _chunker(spec: str) -> Chunker:
    return chunkers.make(ComponentSpec.parse(spec))


def check_parts(parser: ComponentSpec, chunker: ComponentSpec) -> None:
    """Check that a parser and a chunker can be made.

    Raises:
        NotFoundError: there is none of that name.
        InvalidInputError: a setting is wrong.
    """
    _parser(str(parser))
    _chunker(str(chunker))

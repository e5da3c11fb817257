"""Building a knowledge base: documents in, files out. No network but that of an embedder and of shared stages."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bakeoff.contract.stored import encode
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.knowledge import EMBEDDER_COST, EMBEDDER_TOKENS, SkippedDocument
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge.arrays import read_arrays, write_arrays
from bakeoff.knowledge.chunk_texts import ChunkTexts
from bakeoff.knowledge.cuts import Cut, Cutter
from bakeoff.knowledge.cutting import check_parts
from bakeoff.knowledge.embedding import Embedder, RemoteEmbedder, connected
from bakeoff.knowledge.indexing import MeasuringKind
from bakeoff.knowledge.lots import Lot, lots_in_memory
from bakeoff.knowledge.outside import Site, own_site, placed
from bakeoff.knowledge.parsing import SourceDocument
from bakeoff.knowledge.parts import (
    component_versions,
    embedding_passages,
    library_versions,
    needs_vectors,
    resolved,
)
from bakeoff.knowledge.registries import embedders, indexes
from bakeoff.knowledge.stages import OwnStages, Stages, Tally, embed_key
from bakeoff.knowledge.table_merging import merged
from bakeoff.knowledge.table_origins import OriginWriter
from bakeoff.knowledge.unvectored import unvectored_documents
from bakeoff.knowledge.vectors import EmbedLot, embed_lots
from bakeoff.knowledge.workers import Workers
from bakeoff.models.access import ModelAccess

FORMAT = "1"
"""Of the files. Another format needs another number, here and in what opens it."""
TABLES = "chunks.safetensors"


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
    remarks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What parsers said of documents, by id; empty when they said nothing."""
    work: dict[str, int] = field(default_factory=dict)
    """Documents by `parse_computed`, `parse_reused`, … `embed_reused`, `texts_embedded`, and what an endpoint was asked
    for vectors, as `embedding_tokens`; what is 0 is left out."""
    measures: dict[str, float] = field(default_factory=dict)
    """What indexes measured of themselves, such as `dense.recall_at_10`, and what its vectors took at an endpoint."""


def build_knowledge_base(
    documents: Iterable[SourceDocument],
    part: BuildPart,
    folder: Path,
    *,
    step: Callable[[], None] = lambda: None,
    processes: int = 1,
    models: ModelAccess | None = None,
    site: Site | None = None,
) -> Built:
    """Build a knowledge base; the same documents and part give the same bytes.

    Args:
        documents: Ids must be unique. They are read once, a few at a time.
        part: How; settings that are left out have their defaults.
        folder: Where the files go; made when it is not there.
        step: Called before each long step; what it raises ends the build.
        processes: That parse, chunk and count words, from 1, which is this one. Components of other processes must
            come from installed distributions.
        models: Opens what an embedder asks; None opens models that need no key.
        site: Where indexes lie that are kept outside of the files; None means in the folder, and nowhere else.

    Raises:
        NotFoundError: the part names an unknown component.
        InvalidInputError: a setting is wrong, an id stands there twice, or no document gave a chunk.
    """
    with Workers(processes) as workers:
        return build_lots(lots_in_memory(documents), part, folder, step=step, workers=workers, models=models, site=site)


def build_lots(
    lots: Iterable[Lot],
    part: BuildPart,
    folder: Path,
    *,
    step: Callable[[], None] = lambda: None,
    workers: Workers,
    stages: Stages | None = None,
    models: ModelAccess | None = None,
    site: Site | None = None,
) -> Built:
    """Build a knowledge base of documents in lots; else as `build_knowledge_base`.

    Args:
        lots: Gone through once; twice when stages are shared.
        part: How.
        folder: Where the files go.
        step: Called before each long step.
        workers: Compute.
        stages: Where artefacts are kept; None keeps none.
        models: Opens what an embedder asks; None opens models that need no key.
        site: Where indexes lie that are kept outside of the files; None means in the folder, and nowhere else.
    """
    part = resolved(part)
    stages = stages or OwnStages()
    site = site or own_site(folder)
    made = [(index.name, placed(indexes.make(index), site)) for index in part.indexes]
    # Made here to tell what is wrong with it before anything is read.
    embedder = connected(embedders.make(part.embedder), models) if part.embedder else None
    check_parts(part.parser, part.chunker)
    versions = component_versions(part)
    tally = Tally()
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Beside the files, since a system's folder for temporary files may be memory.
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as name:
        scratch = Path(name)
        cutter = Cutter(part, versions, stages, workers, tally, scratch, step)
        tables = _Tables()
        for cut in cutter.cut(lots):
            tables.add(cut)
        if not tables.chunks:
            raise InvalidInputError(_nothing(tables.skipped))
        notes = {"format": FORMAT, "build": encode(part).decode()}
        folder.mkdir(exist_ok=True)
        tables.write(folder / TABLES, notes)
        columns, _ = read_arrays(folder / TABLES)
        texts = ChunkTexts(columns)
        vectors = None
        measures: dict[str, float] = {}
        if part.embedder is not None and embedder is not None and any(needs_vectors(name) for name, _ in made):
            lots_of_chunks = _embed_lots(
                tables.cuts, embedding_passages(part.embedder), versions[f"embedder:{part.embedder.name}"]
            )
            embedded = embed_lots(
                texts,
                lots_of_chunks,
                embedder,
                stages=stages,
                tally=tally,
                scratch=scratch,
                step=step,
            )
            vectors = embedded.vectors
            measures |= _taken(embedder, embedded.tokens)
            for document_id, remark in unvectored_documents(columns, vectors).items():
                tables.remarks[document_id] = (*tables.remarks.get(document_id, ()), remark)
        for name, kind in made:
            step()
            arrays = kind.build(texts, vectors if needs_vectors(name) else None, workers)
            write_arrays(folder / index_file(name), arrays, notes)
            if isinstance(kind, MeasuringKind):
                measures.update({f"{name}.{what}": value for what, value in kind.measures(arrays).items()})
    return Built(
        folder,
        tuple(sorted((TABLES, *(index_file(name) for name, _ in made)))),
        part,
        {**versions, **library_versions(part)},
        tables.origins.documents,
        len(texts),
        int(np.diff(columns["chunk_chars"]).sum()),
        tuple(tables.skipped),
        tables.remarks,
        {**tally.counts, **_spent(embedder, measures)},
        measures,
    )


def _taken(embedder: Embedder, tokens: float | None) -> dict[str, float]:
    """Return what all vectors took at an endpoint, whoever paid, as measures; empty without an endpoint, or unknown."""
    if tokens is None or not isinstance(embedder, RemoteEmbedder):
        return {}
    cost = embedder.cost(tokens)
    return {EMBEDDER_TOKENS: float(round(tokens)), **({} if cost is None else {EMBEDDER_COST: cost})}


def _spent(embedder: Embedder | None, measures: Mapping[str, float]) -> dict[str, int]:
    """Return what an endpoint was asked in this build, and how many of the tokens had been paid before."""
    if not isinstance(embedder, RemoteEmbedder):
        return {}
    spent = embedder.spent()
    paid_before = round(measures.get(EMBEDDER_TOKENS, 0)) - spent.get("embedding_tokens", 0)
    return {**spent, **({"embedding_tokens_found": paid_before} if paid_before > 0 else {})}


def index_file(name: str) -> str:
    """Return the name of the file of an index."""
    return f"index-{name}.safetensors"


class _Tables:
    """The documents and chunks of all lots."""

    def __init__(self) -> None:
        self.origins = OriginWriter()
        self.cuts: list[Cut] = []
        self.chunks = 0
        self.skipped: list[SkippedDocument] = []
        self.remarks: dict[str, tuple[str, ...]] = {}
        self._seen: set[str] = set()

    def add(self, cut: Cut) -> None:
        """Add a lot."""
        kept = set(cut.lot.kept)
        for number, origin in enumerate(cut.origins):
            if origin.document_id in self._seen:
                raise InvalidInputError(f"two documents have the id {origin.document_id!r}")
            self._seen.add(origin.document_id)
            if number in kept:
                self.origins.add(origin)
            else:
                self.skipped.append(SkippedDocument(origin.document_id, _failure(cut, number)))
            if number in cut.lot.remarks:
                self.remarks[origin.document_id] = cut.lot.remarks[number]
        self.chunks += cut.lot.chunks
        self.cuts.append(cut.without_origins())

    def write(self, path: Path, notes: dict[str, str]) -> None:
        """Write one table of all lots."""
        columns = merged([cut.lot.columns for cut in self.cuts if cut.lot.chunks])
        write_arrays(path, {**columns, **self.origins.arrays()}, notes)
        self._seen.clear()


def _failure(cut: Cut, number: int) -> Failure | None:
    fault = cut.lot.faults.get(number)
    if fault is None:
        return None
    return Failure(FailureKind.PARSE, f"{fault.before} {cut.origins[number].document_id!r} {fault.behind}")


def _embed_lots(cuts: Sequence[Cut], embedder: ComponentSpec, version: str) -> list[EmbedLot]:
    """Return the lots that have chunks, in order."""
    lots: list[EmbedLot] = []
    first = 0
    for cut in cuts:
        if cut.lot.chunks:
            last = first + cut.lot.chunks
            lots.append(EmbedLot(embed_key(cut.key, embedder, version), cut.documents, first, last))
            first = last
    return lots


def _nothing(skipped: Sequence[SkippedDocument]) -> str:
    reasons = [document.failure.reason for document in skipped if document.failure]
    if reasons:
        return f"none of {len(skipped)} documents gave a chunk; the first that could not be read: {reasons[0]}"
    return f"none of {len(skipped)} documents gave a chunk: all are empty" if skipped else "there are no documents"

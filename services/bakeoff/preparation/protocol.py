"""What a benchmark adapter is: it says what it needs, finds it, and reads documents, cases and units from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from bakeoff.domain.benchmark import BenchmarkDocument, BenchmarkManifest, BenchmarkResource, Case, Json, RunUnit
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import Violation
from bakeoff.preparation.findings import Findings

WITHOUT_DOCUMENTS: Json = {"documents": False}
"""What the manifest of a benchmark without documents says in its metadata; nothing is ingested or built for it."""


class Workspace(Protocol):
    """Where an adapter gets its resources from."""

    def fetch(self, resource: BenchmarkResource) -> Path:
        """Return a local file or folder with a resource's bytes, downloaded if need be and verified.

        Raises:
            InvalidInputError: it is not what was stated, or may not be fetched.
            NotFoundError: there is no such thing.
            UnavailableError: its server does not answer now.
        """

    def unpack(self, archive: Path) -> Path:
        """Return a folder with an archive's files: zip, or tar in any compression.

        Raises:
            InvalidInputError: it is no archive, or not a safe one.
        """

    def folder(self) -> Path:
        """Return a new, empty folder of this benchmark's own, for files that an adapter makes of what it found."""


@dataclass(frozen=True, slots=True)
class PreparedSource:
    """What an adapter has found and reads from."""

    files: Mapping[str, Path]
    """Local files and folders by a name of the adapter's; the files' digests become part of the result."""
    findings: Findings = field(default_factory=Findings)
    """Faults that the adapter meets while it reads."""


class BenchmarkProtocol(Protocol):
    """One benchmark with its settings. Making one touches nothing; every reading gives the same again."""

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is."""

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return what preparing needs from outside."""

    def check(self) -> list[Violation]:
        """Return what can be seen to be wrong without reading or downloading everything; empty when nothing."""

    def prepare(self, workspace: Workspace) -> PreparedSource:
        """Locate, download and unpack the resources.

        Raises:
            InvalidInputError: something is missing or is not what it should be.
        """

    def documents(self, source: PreparedSource) -> Iterator[BenchmarkDocument]:
        """Yield all documents, in an order that never changes, holding no more than one in memory."""

    def cases(self, source: PreparedSource) -> Iterator[Case]:
        """Yield all cases, in the benchmark's order."""

    def run_units(self, source: PreparedSource) -> Iterator[RunUnit]:
        """Yield the knowledge bases to build, each with its documents and cases."""

    def evaluators(self) -> tuple[ComponentSpec, ...]:
        """Return the benchmark's own scoring methods."""


@runtime_checkable
class OffersExamples(Protocol):
    """A benchmark that declares a split for in-context examples."""

    def examples(self, source: PreparedSource) -> Iterator[Case]:
        """Yield the cases of that split in its order; none when the source does not have it."""


@runtime_checkable
class DecidesEarly(Protocol):
    """A benchmark that has to decide what its data do not say, and can tell so before it is prepared."""

    def decisions(self) -> tuple[str, ...]:
        """Return what was decided, such as `question is Frage`; called once `check` has found nothing."""


def has_documents(manifest: BenchmarkManifest) -> bool:
    """Return whether a benchmark says that it has documents; then having none is an error."""
    return manifest.metadata.get("documents") is not False

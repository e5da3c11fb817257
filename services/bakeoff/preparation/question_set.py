"""A benchmark that is questions alone: files found by its layout, no documents, one unit, and a split for examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bakeoff.domain.benchmark import (
    BenchmarkDocument,
    BenchmarkManifest,
    BenchmarkResource,
    Case,
    Json,
    RunUnit,
)
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import Violation
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.protocol import WITHOUT_DOCUMENTS, PreparedSource, Workspace
from bakeoff.preparation.source_files import (
    SourceFile,
    check_resource,
    file_name,
    find_files,
    matching,
    open_resource,
    resource_of,
)

DIGESTS_KEPT = 200
"""Files of a folder whose digests go into the result; of a set of thousands the digests of its cases must do."""


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a question set without reading it."""

    name: str
    evaluators: tuple[ComponentSpec, ...]
    task_type: str = "question_answering"
    homepage: str = ""
    licence: str = ""
    citation: str = ""
    example_split: str = ""
    """Split that its authors take in-context examples from; empty when they declare none."""
    metadata: Json = field(default_factory=dict)
    evaluators_with_evidence: tuple[ComponentSpec, ...] = ()
    """Methods when the cases come with evidence, as those of ExpMRC do; empty means that it makes no difference."""


class Layout(Protocol):
    """How the files of a question set are named and read."""

    def patterns(self, split: str) -> Sequence[str]:
        """Return globs for the files of a split, as found anywhere below a folder; the first that matches counts."""

    def cases(self, file: SourceFile, split: str, findings: Findings) -> Iterator[Case]:
        """Yield the cases of a file in its order.

        Raises:
            InvalidInputError: something is wrong with it; says where.
        """


@dataclass(slots=True)
class QuestionSet:
    """The adapter of a question set; an adapter's own file says what it is about and how its files are laid out."""

    about: About
    layout: Layout
    path: str
    """A folder, a file or an archive; a path or an address."""
    split: str
    examples_path: str | None = None
    """Where the split for examples is; None means: below the same folder, if it is there."""
    _evidence: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether a case that was read came with evidence."""

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is."""
        about = self.about
        return BenchmarkManifest(
            name=about.name,
            version="1",
            split=self.split,
            task_type=about.task_type,
            homepage=about.homepage,
            licence=about.licence,
            citation=about.citation,
            metadata={**WITHOUT_DOCUMENTS, "example_split": about.example_split, **about.metadata},
        )

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return the set and, when they are elsewhere, the examples."""
        cases = resource_of("cases", self.path)
        return (cases, resource_of("examples", self.examples_path)) if self.examples_path else (cases,)

    def check(self) -> list[Violation]:
        """Return what is missing, as far as it can be told without unpacking or downloading."""
        fields = {"cases": ("path", self.split), "examples": ("examples", self.about.example_split)}
        return [
            fault
            for resource in self.resources()
            for field_name, split in (fields[resource.name],)
            for fault in check_resource(resource, self.layout.patterns(split), field_name)
        ]

    def prepare(self, workspace: Workspace) -> PreparedSource:
        """Find the files, after unpacking an archive.

        Raises:
            InvalidInputError: there is none; says what was looked for.
        """
        roots = {resource.name: open_resource(workspace, resource) for resource in self.resources()}
        files: dict[str, Path] = {}
        for role, root in roots.items():
            split = self.split if role == "cases" else self.about.example_split
            found = find_files(root, self.layout.patterns(split))
            files[role] = root.path
            if root.path.is_dir() and len(found) <= DIGESTS_KEPT:
                files |= {f"{role}/{file.name}": file.path for file in found}
        return PreparedSource(files)

    def documents(self, source: PreparedSource) -> Iterator[BenchmarkDocument]:
        """Yield nothing."""
        yield from ()

    def cases(self, source: PreparedSource) -> Iterator[Case]:
        """Yield each question.

        Raises:
            InvalidInputError: something is wrong with a file; says where.
        """
        for file in find_files(self._root(source, "cases"), self.layout.patterns(self.split)):
            for case in self.layout.cases(file, self.split, source.findings):
                self._evidence = self._evidence or bool(case.expected.evidence)
                yield case

    def examples(self, source: PreparedSource) -> Iterator[Case]:
        """Yield each question of the split for examples.

        Raises:
            InvalidInputError: something is wrong with a file; says where.
        """
        for file in self._example_files(source):
            # What is wrong with the examples is no fault of the cases that the report is about.
            yield from self.layout.cases(file, self.about.example_split, Findings())

    def run_units(self, source: PreparedSource) -> Iterator[RunUnit]:
        """Yield one unit with every case, and no documents."""
        yield RunUnit("all")

    def evaluators(self) -> tuple[ComponentSpec, ...]:
        """Return the methods that the set is scored with, once its cases are read: they show if it has evidence."""
        return (self._evidence and self.about.evaluators_with_evidence) or self.about.evaluators

    def _example_files(self, source: PreparedSource) -> Sequence[SourceFile]:
        split = self.about.example_split
        if not split or split == self.split:
            return ()
        if self.examples_path:
            return find_files(self._root(source, "examples"), self.layout.patterns(split))
        root = self._root(source, "cases").path
        return matching(root, self.layout.patterns(split)) if root.is_dir() else ()

    def _root(self, source: PreparedSource, role: str) -> SourceFile:
        uri = self.path if role == "cases" else self.examples_path or ""
        return SourceFile(file_name(uri), source.files[role])


def table_patterns(*names: str) -> tuple[str, ...]:
    """Return the globs under which tables of these names are published: JSON lines, JSON, CSV, Parquet in shards."""
    endings = (".jsonl", ".json", ".csv", ".parquet", "-*.parquet")
    return tuple(f"{name}{ending}" for name in names for ending in endings)

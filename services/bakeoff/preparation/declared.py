"""Benchmarks declared as a class with asynchronous readings: registered as they are, and read like any adapter."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar, get_args, get_origin, get_type_hints

from bakeoff.domain.benchmark import (
    BenchmarkDocument,
    BenchmarkManifest,
    BenchmarkResource,
    Case,
    Evidence,
    Expected,
    Json,
    RunUnit,
)
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import Violation
from bakeoff.preparation.protocol import BenchmarkProtocol, PreparedSource, Workspace
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.sources import is_remote, local_path, missing
from bakeoff.runtime.registry import Is

BenchmarkCase = Case
BenchmarkEvidence = Evidence
BenchmarkExpected = Expected
BenchmarkRunUnit = RunUnit

T = TypeVar("T")
Read = Awaitable[Iterable[T] | AsyncIterator[T]] | AsyncIterator[T] | Iterable[T]
"""What a reading may be: an asynchronous generator, a coroutine that returns items, or items."""


@dataclass(frozen=True, slots=True)
class BenchmarkWorkspace:
    """Where a declared benchmark gets its resources from, and may write."""

    root_dir: Path
    """A new folder of this benchmark's own."""
    cache_dir: Path
    output_dir: Path
    fetch: Callable[[BenchmarkResource], Path]
    """Returns a local file or folder with a resource's bytes, downloaded if need be and verified."""
    unpack: Callable[[Path], Path]
    """Returns a folder with an archive's files."""


@dataclass(frozen=True, slots=True)
class PreparedBenchmark:
    """What a declared benchmark has found; it comes back to each of its readings."""

    manifest: BenchmarkManifest
    root_dir: Path
    resources: Sequence[BenchmarkResource] = ()
    metadata: Json = field(default_factory=dict)


class DeclaredBenchmark(Protocol):
    """A benchmark as a class declares it. The readings may be asynchronous generators, coroutines or plain ones."""

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is."""

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return what preparing needs from outside."""

    async def prepare(self, workspace: BenchmarkWorkspace) -> PreparedBenchmark:
        """Locate, download and unpack the resources."""

    def documents(self, prepared: PreparedBenchmark) -> Read[BenchmarkDocument]:
        """Give all documents."""

    def cases(self, prepared: PreparedBenchmark) -> Read[BenchmarkCase]:
        """Give all cases."""

    def run_units(self, prepared: PreparedBenchmark) -> Read[BenchmarkRunUnit]:
        """Give the knowledge bases to build."""

    def evaluators(self) -> Sequence[ComponentSpec | str]:
        """Return the benchmark's own scoring methods, such as `evidence_recall(k=5)`."""


def register_benchmark(name: str, *, version: str = "1") -> Callable[[type[T]], type[T]]:
    """Register a class with the shape of `DeclaredBenchmark` under a name.

    The parameters of its constructor are the adapter's settings; a parameter that is a `Path` takes a path or address.

    Args:
        name: Name in evaluation files: lower case, digits, underscores.
        version: Must change whenever the benchmark's documents, cases or units change.

    Raises:
        ValueError: the name is taken.
    """

    def add(kind: type[T]) -> type[T]:
        adapters.register(name, version=version)(_factory(kind))
        return kind

    return add


@dataclass(frozen=True, slots=True)
class _Source(PreparedSource):
    prepared: PreparedBenchmark | None = None


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared benchmark as an adapter."""

    benchmark: DeclaredBenchmark

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is."""
        return self.benchmark.manifest

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return its resources."""
        return tuple(self.benchmark.resources())

    def check(self) -> list[Violation]:
        """Return which local resources are missing."""
        return [fault for each in self.resources() for fault in missing([each], each.name)]

    def prepare(self, workspace: Workspace) -> PreparedSource:
        """Have it prepare; the files that it fetched, and its local ones, are part of the result."""
        files: dict[str, Path] = {}

        def fetch(resource: BenchmarkResource) -> Path:
            files[resource.name] = workspace.fetch(resource)
            return files[resource.name]

        root = workspace.folder()
        folders = [root / name for name in ("cache", "output")]
        for folder in folders:
            folder.mkdir()
        given = BenchmarkWorkspace(root, folders[0], folders[1], fetch, workspace.unpack)
        prepared = _finished(self.benchmark.prepare(given))
        for resource in self.resources():
            if not is_remote(resource.uri) and local_path(resource.uri).exists():
                files.setdefault(resource.name, local_path(resource.uri))
        return _Source(files, prepared=prepared)

    def documents(self, source: PreparedSource) -> Iterator[BenchmarkDocument]:
        """Yield its documents."""
        return _items(self.benchmark.documents(_prepared(source)))

    def cases(self, source: PreparedSource) -> Iterator[Case]:
        """Yield its cases."""
        return _items(self.benchmark.cases(_prepared(source)))

    def run_units(self, source: PreparedSource) -> Iterator[RunUnit]:
        """Yield its units."""
        return _items(self.benchmark.run_units(_prepared(source)))

    def evaluators(self) -> tuple[ComponentSpec, ...]:
        """Return its methods."""
        found = self.benchmark.evaluators()
        return tuple(ComponentSpec.parse(each) if isinstance(each, str) else each for each in found)


def _prepared(source: PreparedSource) -> PreparedBenchmark:
    if not isinstance(source, _Source) or source.prepared is None:
        raise TypeError("a declared benchmark reads only from what it prepared itself")
    return source.prepared


def _finished(result: Any) -> Any:
    return asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result


async def _awaited(result: Awaitable[T]) -> T:
    return await result


def _items(result: Any) -> Iterator[Any]:
    """Yield items as they come; an asynchronous reading goes on only when the next one is asked for."""
    result = _finished(result)
    if not hasattr(result, "__aiter__"):
        yield from result
        return
    iterator = aiter(result)
    with asyncio.Runner() as runner:
        while True:
            try:
                item = runner.run(_awaited(anext(iterator)))
            except StopAsyncIteration:
                return
            yield item


def _factory(kind: type[Any]) -> Callable[..., BenchmarkProtocol]:
    hints = get_type_hints(kind.__init__, include_extras=True)
    parameters = list(inspect.signature(kind).parameters.values())
    paths = {each.name for each in parameters if _bare(hints.get(each.name, str)) is Path}

    def make(**settings: Any) -> BenchmarkProtocol:
        given = {
            name: Path(value) if name in paths and value is not None else value for name, value in settings.items()
        }
        return Declared(kind(**given))

    make.__doc__ = inspect.getdoc(kind)
    make.__qualname__ = kind.__qualname__
    make.__annotations__ = {each.name: _setting(each.name, hints.get(each.name, str), paths) for each in parameters}
    keyword_only = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    vars(make)["__signature__"] = inspect.Signature(keyword_only)
    return make


def _setting(name: str, hint: Any, paths: set[str]) -> Any:
    said = next((note for note in get_args(hint) if isinstance(note, Is)), None)
    return Annotated[str, Is(said.doc if said else "", path=True)] if name in paths else hint


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint

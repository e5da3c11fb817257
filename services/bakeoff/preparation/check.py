"""Look at a benchmark before work starts: can it be prepared, and is it the same as before?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bakeoff.domain.benchmark import BenchmarkChoice, BenchmarkManifest
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.identity import digest_of
from bakeoff.preparation.draft import check_limit, named
from bakeoff.preparation.other_buckets import foreign_buckets
from bakeoff.preparation.protocol import BenchmarkProtocol, DecidesEarly
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.sources import is_remote, local_path
from bakeoff.runtime.local_paths import foreign_paths
from bakeoff.runtime.settings import Settings


def check_benchmark(choice: BenchmarkChoice, settings: Settings) -> BenchmarkManifest:
    """Return who a benchmark is, after checking all that can be checked without reading or downloading its data.

    Args:
        choice: The benchmark.
        settings: Name the modules with further adapters.

    Raises:
        NotFoundError: there is no such adapter.
        InvalidInputError: a setting is wrong or a source is missing; all faults at once, each under
            `<adapter>.<setting>`.
    """
    check_limit(choice)
    check_paths(choice, settings)
    adapter = _make(choice, settings)
    faults = [
        replace(fault, field=fault.field if fault.file else f"{choice.adapter.name}.{fault.field}".rstrip("."))
        for fault in adapter.check()
    ]
    if faults:
        raise InvalidInputError(f"the benchmark {choice.adapter} cannot be prepared", faults)
    return named(choice, adapter.manifest)


def decisions(choice: BenchmarkChoice, settings: Settings) -> tuple[str, ...]:
    """Return what a benchmark that was checked decides by itself, such as which column is the question; often nothing.

    Raises:
        NotFoundError: there is no such adapter.
        InvalidInputError: a setting is wrong, or the data cannot be read.
    """
    adapter = _make(choice, settings)
    return adapter.decisions() if isinstance(adapter, DecidesEarly) else ()


def check_paths(choice: BenchmarkChoice, settings: Settings) -> None:
    """Refuse a benchmark that names paths or buckets which requests may not name, whether they exist or not.

    Raises:
        NotFoundError: there is no such adapter.
        InvalidInputError: so it is; all faults at once, each under `<adapter>.<setting>`.
    """
    card = adapters.load(settings.plugin_modules).card(choice.adapter.name)
    faults = [
        *foreign_paths(card, choice.adapter, settings.local_folders, choice.adapter.name),
        *foreign_buckets(card, choice.adapter, settings, choice.adapter.name),
    ]
    if faults:
        raise InvalidInputError(f"the benchmark {choice.adapter} cannot be prepared", faults)


def source_stamp(choice: BenchmarkChoice, settings: Settings) -> str:
    """Return a digest that changes when a benchmark's sources seem to: cheap, and so no proof.

    It is over names, sizes and times of change of local files, and over the addresses of others; where the local ones
    lie is no part of it.

    Args:
        choice: The benchmark.
        settings: Name the modules with further adapters.

    Raises:
        NotFoundError: there is no such adapter.
        InvalidInputError: a setting is wrong.
    """
    resources = _make(choice, settings).resources()
    return digest_of(
        {
            resource.name: resource.uri if is_remote(resource.uri) else list(_stamps(local_path(resource.uri)))
            for resource in resources
        }
    )


def _make(choice: BenchmarkChoice, settings: Settings) -> BenchmarkProtocol:
    return adapters.load(settings.plugin_modules).make(choice.adapter)


def _stamps(path: Path) -> Iterator[tuple[str, int, int]]:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        if file.is_file():
            stat = file.stat()
            yield file.relative_to(path).as_posix(), stat.st_size, stat.st_mtime_ns

"""A benchmark prepared in this process and in memory, to look at its cases before a platform does."""

from __future__ import annotations

from pathlib import Path

from bakeoff.contract.stored import PreparedReader
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.preparation.download import Downloads
from bakeoff.preparation.prepare import prepare
from bakeoff.preparation.workspace import LocalWorkspace
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.settings import Settings


def prepared_here(choice: BenchmarkChoice, scratch: Path, settings: Settings) -> PreparedReader:
    """Prepare a benchmark and return it.

    Args:
        choice: The benchmark.
        scratch: A folder that is made for it; needed for as long as the benchmark is read.
        settings: Where downloads are kept, and the plug-ins.

    Raises:
        NotFoundError: there is no such adapter, or a file of the benchmark is not there.
        InvalidInputError: the benchmark is wrong; says where.
        UnavailableError: a resource's server does not answer now.
    """
    scratch.mkdir()
    objects = MemoryObjects()
    prepared = prepare(
        choice,
        workspace=LocalWorkspace(scratch, Downloads.from_settings(settings)),
        objects=objects,
        scratch=scratch,
        max_document_bytes=settings.max_document_bytes,
        plugins=settings.plugin_modules,
    )
    return PreparedReader.open(objects, prepared.manifest)

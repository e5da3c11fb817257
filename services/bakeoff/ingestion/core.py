"""Write originals to raw storage: each under its published key, verified, and once however often it is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bakeoff.domain.benchmark import BenchmarkManifest
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.prepared import IngestedOriginal, PreparedOriginal
from bakeoff.ingestion.places import Place, settle
from bakeoff.runtime.objects import Created, ObjectStore

THREADS = 4  # a copy waits for the store most of its time; more would only queue there
IN_MEMORY_BYTES = 8 << 20  # four threads hold 32 MB at most; what is larger goes by way of the disk


def ingest(
    benchmark: BenchmarkManifest,
    originals: Sequence[PreparedOriginal],
    *,
    objects: ObjectStore,
    scratch: Path,
    begin: Callable[[], None] = lambda: None,
) -> tuple[IngestedOriginal, ...]:
    """Copy originals from where preparation put them to raw storage.

    What is there already is left as it is. An original whose key is taken by other bytes, from an earlier edition of
    the benchmark, goes to a key with its digest in it.

    Args:
        benchmark: Whose they are.
        originals: One part of them.
        objects: Holds both places.
        scratch: A folder of this call's own, for large ones.
        begin: Called before each original; may raise to end the work.

    Returns:
        Where each is, in the order given.

    Raises:
        NotFoundError: preparation's bytes of one are gone.
        DigestMismatchError: they are others than were prepared.
    """

    def one(numbered: tuple[int, PreparedOriginal]) -> IngestedOriginal:
        begin()
        number, original = numbered
        return _ingest(benchmark, original, objects, scratch / f"original-{number}")

    with ThreadPoolExecutor(THREADS, thread_name_prefix="ingest") as pool:
        return tuple(pool.map(one, enumerate(originals)))


def _ingest(
    benchmark: BenchmarkManifest, original: PreparedOriginal, objects: ObjectStore, scratch: Path
) -> IngestedOriginal:
    place = Place(benchmark.name, benchmark.split, original.original_id, original.name)

    def copy(key: str) -> Created:
        return _copy(original, key, objects, scratch)

    ref = settle(place, original.sha256, original.size_bytes, objects, copy).ref
    return IngestedOriginal(original.original_id, ref.key, ref.sha256, original.size_bytes, original.media_type)


def _copy(original: PreparedOriginal, key: str, objects: ObjectStore, scratch: Path) -> Created:
    waiting = ObjectRef(original.blob_key, original.sha256, original.size_bytes)
    if original.size_bytes <= IN_MEMORY_BYTES:
        return objects.create(key, objects.read(waiting), media_type=original.media_type)
    objects.download(waiting, scratch)
    try:
        return objects.create_from_file(key, scratch, media_type=original.media_type)
    finally:
        scratch.unlink()

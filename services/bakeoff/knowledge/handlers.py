"""The work of the stage `build`."""

from __future__ import annotations

from bakeoff.contract import object_keys, stored
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import ObjectRef, Stage
from bakeoff.domain.prepared import IngestedOriginal
from bakeoff.domain.work import BuildTask, Task
from bakeoff.knowledge.library import Library
from bakeoff.knowledge.parts import resolved
from bakeoff.knowledge.publishing import BUILT, Resources, StoredBuild, build_and_store, check_identity
from bakeoff.knowledge.shelf import Shelf
from bakeoff.runtime.items import ItemContext, Result, StageHandler


def build_handler(library: Library | None = None, resources: Resources | None = None) -> StageHandler:
    """Return the handler of `build`: its result is the manifest of the knowledge base.

    Args:
        library: Keeps the files of what is built here; None keeps none.
        resources: What builds may use; None means the item's objects, this process alone, and no shared artefacts.
    """
    shelf = Shelf()

    def handle(task: Task, context: ItemContext) -> Result:
        return _handle(task, context, shelf, library, resources or Resources(context.objects))

    return StageHandler(Stage.BUILD, _result_key, handle)


def _handle(task: Task, context: ItemContext, shelf: Shelf, library: Library | None, resources: Resources) -> Result:
    body = _body(task)
    benchmark = shelf.benchmark(context.objects, body.prepared)
    unit = benchmark.unit(body.unit_id)
    build = resolved(body.build)
    check_identity(body.kb_id, unit, build, body.versions)
    originals: dict[str, IngestedOriginal] = {}
    for item in body.ingest_items:
        originals.update(shelf.originals(context.objects, _ingested(context, item)))
    stored_build = build_and_store(
        benchmark, unit, build, originals, resources=resources, scratch=context.scratch, step=context.begin
    )
    if library is not None:
        library.keep(stored_build.manifest, context.scratch / BUILT)
    return Result(stored.encode(stored_build.manifest), counts=_counts(stored_build))


def _ingested(context: ItemContext, item: str) -> ObjectRef:
    fact = context.fact(Stage.INGEST, item)
    if fact.failure is not None or fact.result is None:
        reason = fact.failure.reason if fact.failure else "it left no result"
        raise InvalidInputError(f"the originals of {Stage.INGEST.value}/{item} are not in raw storage: {reason}")
    return fact.result


def _counts(build: StoredBuild) -> dict[str, int]:
    manifest = build.manifest
    return {
        "documents": manifest.documents,
        "chunks": manifest.chunks,
        "characters": manifest.characters,
        "skipped": len(manifest.skipped),
        "bytes": manifest.size_bytes,
        **build.work,
    }


def _result_key(task: Task) -> str:
    return object_keys.kb_manifest(_body(task).kb_id)


def _body(task: Task) -> BuildTask:
    if not isinstance(task.body, BuildTask):
        raise TypeError(f"{task.stage.value}/{task.item} is no build task")
    return task.body

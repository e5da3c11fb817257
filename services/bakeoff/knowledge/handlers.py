"""The work of the stage `build`."""

from __future__ import annotations

from bakeoff.contract import object_keys, stored
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import ObjectRef, Stage
from bakeoff.domain.knowledge import KnowledgeBaseManifest
from bakeoff.domain.prepared import IngestedOriginal
from bakeoff.domain.work import BuildTask, Task
from bakeoff.knowledge.library import Library
from bakeoff.knowledge.parts import resolved
from bakeoff.knowledge.publishing import BUILT, build_and_store, check_identity
from bakeoff.knowledge.shelf import Shelf
from bakeoff.runtime.items import ItemContext, Result, StageHandler


def build_handler(library: Library | None = None) -> StageHandler:
    """Return the handler of `build`: its result is the manifest of the knowledge base.

    Args:
        library: Keeps the files of what is built here; None keeps none.
    """
    shelf = Shelf()
    return StageHandler(Stage.BUILD, _result_key, lambda task, context: _handle(task, context, shelf, library))


def _handle(task: Task, context: ItemContext, shelf: Shelf, library: Library | None) -> Result:
    body = _body(task)
    benchmark = shelf.benchmark(context.objects, body.prepared)
    unit = benchmark.unit(body.unit_id)
    build = resolved(body.build)
    check_identity(body.kb_id, unit, build, body.versions)
    originals: dict[str, IngestedOriginal] = {}
    for item in body.ingest_items:
        originals.update(shelf.originals(context.objects, _ingested(context, item)))
    manifest = build_and_store(
        benchmark, unit, build, originals, objects=context.objects, scratch=context.scratch, step=context.begin
    )
    if library is not None:
        library.keep(manifest, context.scratch / BUILT)
    return Result(stored.encode(manifest), counts=_counts(manifest))


def _ingested(context: ItemContext, item: str) -> ObjectRef:
    fact = context.fact(Stage.INGEST, item)
    if fact.failure is not None or fact.result is None:
        reason = fact.failure.reason if fact.failure else "it left no result"
        raise InvalidInputError(f"the originals of {Stage.INGEST.value}/{item} are not in raw storage: {reason}")
    return fact.result


def _counts(manifest: KnowledgeBaseManifest) -> dict[str, int]:
    return {
        "documents": manifest.documents,
        "chunks": manifest.chunks,
        "characters": manifest.characters,
        "skipped": len(manifest.skipped),
        "bytes": manifest.size_bytes,
    }


def _result_key(task: Task) -> str:
    return object_keys.kb_manifest(_body(task).kb_id)


def _body(task: Task) -> BuildTask:
    if not isinstance(task.body, BuildTask):
        raise TypeError(f"{task.stage.value}/{task.item} is no build task")
    return task.body

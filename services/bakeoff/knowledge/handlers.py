"""The work of the stage `build`."""

from __future__ import annotations

from bakeoff.contract import object_keys, stored
from bakeoff.contract.stored import PreparedReader
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.knowledge import KnowledgeBaseManifest
from bakeoff.domain.prepared import IngestedOriginal
from bakeoff.domain.work import BuildTask, DoneFact, Task
from bakeoff.knowledge.parts import resolved
from bakeoff.knowledge.publishing import build_and_store, check_identity
from bakeoff.runtime.items import ItemContext, Result, StageHandler


def build_handler() -> StageHandler:
    """Return the handler of `build`: its result is the manifest of the knowledge base."""
    return StageHandler(Stage.BUILD, _result_key, _handle)


def _handle(task: Task, context: ItemContext) -> Result:
    body = _body(task)
    reader = PreparedReader.open(context.objects, body.prepared)
    unit = reader.unit(body.unit_id)
    build = resolved(body.build)
    check_identity(body.kb_id, unit, build, body.versions)
    originals = [original for item in body.ingest_items for original in _ingested(context, item)]
    manifest = build_and_store(
        reader, unit, build, originals, objects=context.objects, scratch=context.scratch, step=context.begin
    )
    return Result(stored.encode(manifest), counts=_counts(manifest))


def _ingested(context: ItemContext, item: str) -> tuple[IngestedOriginal, ...]:
    fact: DoneFact = context.fact(Stage.INGEST, item)
    if fact.failure is not None or fact.result is None:
        reason = fact.failure.reason if fact.failure else "it left no result"
        raise InvalidInputError(f"the originals of {Stage.INGEST.value}/{item} are not in raw storage: {reason}")
    return stored.decode(context.objects.read(fact.result), tuple[IngestedOriginal, ...])


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

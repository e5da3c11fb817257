"""The work of the stage `ingest`."""

from __future__ import annotations

from bakeoff.contract import object_keys, stored
from bakeoff.contract.stored import PreparedReader
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.work import IngestTask, Task
from bakeoff.ingestion.core import ingest
from bakeoff.runtime.items import ItemContext, Result, StageHandler


def ingest_handler() -> StageHandler:
    """Return the handler of `ingest`: its result is a tuple of IngestedOriginal, one for each of the part."""
    return StageHandler(Stage.INGEST, _result_key, _handle)


def _handle(task: Task, context: ItemContext) -> Result:
    body = _body(task)
    reader = PreparedReader.open(context.objects, body.prepared)
    parts = len(reader.manifest.original_parts)
    if not 0 <= body.part < parts:
        raise InvalidInputError(f"part {body.part} of the originals was asked for; there are {parts}")
    ingested = ingest(
        reader.manifest.benchmark,
        reader.originals(body.part),
        objects=context.objects,
        scratch=context.scratch,
        begin=context.begin,
    )
    counts = {"originals": len(ingested), "bytes": sum(original.size_bytes for original in ingested)}
    return Result(stored.encode(ingested), counts=counts)


def _result_key(task: Task) -> str:
    body = _body(task)
    return object_keys.ingested_part(_fingerprint(body.prepared.key), body.part)


def _body(task: Task) -> IngestTask:
    if not isinstance(task.body, IngestTask):
        raise TypeError(f"{task.stage.value}/{task.item} is no ingest task")
    return task.body


def _fingerprint(manifest_key: str) -> str:
    fingerprint = manifest_key.removeprefix("prepared/").partition("/")[0]
    if manifest_key != object_keys.prepared_manifest(fingerprint):
        raise InvalidInputError(f"{manifest_key!r} is no key of a prepared benchmark")
    return fingerprint

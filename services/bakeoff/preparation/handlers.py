"""The work of the stage `prepare`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from bakeoff.contract import object_keys, stored
from bakeoff.domain.benchmark import BenchmarkResource
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.prepared import PrepareResult
from bakeoff.domain.work import PrepareTask, Task
from bakeoff.preparation.check import check_paths
from bakeoff.preparation.download import Downloads
from bakeoff.preparation.download_telling import DownloadTelling
from bakeoff.preparation.other_buckets import OtherBuckets
from bakeoff.preparation.prepare import prepare
from bakeoff.preparation.workspace import LocalWorkspace
from bakeoff.runtime.callers import Caller, Role
from bakeoff.runtime.connect import open_bucket
from bakeoff.runtime.holdings import Holdings
from bakeoff.runtime.items import ItemContext, Result, StageHandler
from bakeoff.runtime.settings import Settings


def prepare_handler(settings: Settings) -> StageHandler:
    """Return the handler of `prepare`: its result is a PrepareResult, which points at the manifest."""

    def handle(task: Task, context: ItemContext) -> Result:
        if not isinstance(task.body, PrepareTask):
            raise TypeError(f"{task.stage.value}/{task.item} is no prepare task")
        folders = settings.local_folders
        check_paths(task.body.benchmark, settings)
        may_read = partial(_may_read, Holdings(context.objects), task.tenant, settings)
        choice = task.body.benchmark
        telling = DownloadTelling(choice.name or choice.adapter.name, context.tell_download)

        def progress(resource: BenchmarkResource, there: int, total: int | None) -> None:
            context.begin()  # a cancelled evaluation ends its download with the next piece
            telling.progress(resource, there, total)

        downloads = replace(Downloads.from_settings(settings), progress=progress)
        prepared = prepare(
            task.body.benchmark,
            workspace=LocalWorkspace(
                context.scratch,
                downloads,
                context.objects,
                settings.s3_bucket,
                folders=folders,
                may_read=may_read,
                others=OtherBuckets(settings, partial(open_bucket, settings), progress),
            ),
            objects=context.objects,
            scratch=context.scratch,
            max_document_bytes=settings.max_document_bytes,
            plugins=settings.plugin_modules,
            begin=context.begin,
            folders=None if folders is None else (*folders, context.scratch, downloads.folder),
        )
        return Result(
            stored.encode(PrepareResult(prepared.manifest)),
            counts={"documents": prepared.documents, "cases": prepared.cases},
        )

    return StageHandler(Stage.PREPARE, _result_key, handle)


def _result_key(task: Task) -> str:
    return object_keys.prepare_result(task.evaluation_id, task.item)


def _may_read(holdings: Holdings, tenant: str, settings: Settings, key: str) -> bool:
    """Return whether a tenant's benchmark may be made of an object: of raw storage, only what it has already."""
    if not settings.tokens_file or not key.startswith(object_keys.raw_prefix()):
        return True
    return holdings.holds_original(Caller(tenant, frozenset({Role.READ})), key)

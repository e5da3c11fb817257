"""The stage `prepare`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from bakeoff.contract import object_keys, stored
from bakeoff.contract.stored import PreparedReader
from bakeoff.domain.errors import CancelledItemError, InvalidInputError
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.prepared import PrepareResult
from bakeoff.domain.work import PrepareTask, Task
from bakeoff.preparation.handlers import prepare_handler
from bakeoff.runtime.settings import Settings
from tests.builders.benchmark import a_benchmark
from tests.builders.items import PlainItemContext

Write = Callable[..., Path]


def a_task(path: Path, **settings: object) -> Task:
    body = PrepareTask(a_benchmark(str(path), **settings))
    return Task("ev-1", "default", Stage.PREPARE, "b-000", body)


def context(tmp_path: Path, name: str = "scratch") -> PlainItemContext:
    (tmp_path / name).mkdir()
    return PlainItemContext(tmp_path / name)


def test_the_result_points_at_the_manifest(tmp_path: Path, beir_folder: Write) -> None:
    handler, item = prepare_handler(Settings(cache_dir=tmp_path / "cache")), context(tmp_path)
    task = a_task(beir_folder())
    result = handler.handle(task, item)
    manifest = stored.decode(result.data, PrepareResult).manifest
    assert PreparedReader.open(item.objects, manifest).manifest.documents == 2
    assert handler.result_key(task) == object_keys.prepare_result("ev-1", "b-000")
    assert result.counts == {"documents": 2, "cases": 1}


def test_the_same_task_gives_the_same_bytes(tmp_path: Path, beir_folder: Write) -> None:
    handler, task = prepare_handler(Settings(cache_dir=tmp_path / "cache")), a_task(beir_folder())
    first = handler.handle(task, context(tmp_path, "one"))
    assert handler.handle(task, context(tmp_path, "two")).data == first.data


def test_the_operators_limit_for_documents_holds(tmp_path: Path, beir_folder: Write) -> None:
    handler = prepare_handler(Settings(cache_dir=tmp_path / "cache", max_document_bytes=10))
    with pytest.raises(InvalidInputError, match="at most 10 are taken"):
        handler.handle(a_task(beir_folder()), context(tmp_path))


class Cancelled(PlainItemContext):
    """Is cancelled when it begins for the third time."""

    def waiting(self) -> AbstractContextManager[None]:
        return nullcontext()

    def begin(self, case_id: str = "") -> None:
        super().begin(case_id)
        if len(self.begun) == 3:
            raise CancelledItemError("cancelled")


def test_a_cancelled_item_ends_and_stores_nothing(tmp_path: Path, beir_folder: Write) -> None:
    handler = prepare_handler(Settings(cache_dir=tmp_path / "cache"))
    context = Cancelled(tmp_path / "scratch")
    context.scratch.mkdir()
    with pytest.raises(CancelledItemError):
        handler.handle(a_task(beir_folder()), context)
    assert list(context.objects.list("")) == []

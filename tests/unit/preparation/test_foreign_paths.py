"""Neither a request nor the data that it names is a way to this machine's files, or to other tenants' originals."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.contract import object_keys
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.work import PrepareTask, Task
from bakeoff.preparation.check import check_benchmark
from bakeoff.preparation.handlers import prepare_handler
from bakeoff.runtime.settings import Settings
from tests.builders.items import PlainItemContext


def a_task(documents: str, cases: str) -> Task:
    choice = BenchmarkChoice(ComponentSpec("jsonl", {"documents": documents, "cases": cases}))
    return Task("ev-1", "acme", Stage.PREPARE, "b-000", PrepareTask(choice))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A platform with tokens, whose requests may name paths below one folder."""
    folder = tmp_path / "opened"
    folder.mkdir()
    (folder / "cases.jsonl").write_text(json.dumps({"id": "c", "question": "q?", "answers": ["a"]}) + "\n")
    (folder / "fine.txt").write_text("for all")
    (tmp_path / "secret.txt").write_text("a secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    return Settings(cache_dir=tmp_path / "cache", tokens_file="tokens.json", local_paths=str(folder))


def prepare(settings: Settings, tmp_path: Path, path: str) -> PlainItemContext:
    opened = tmp_path / "opened"
    (opened / "documents.jsonl").write_text(json.dumps({"id": "d", "path": path}) + "\n")
    (tmp_path / "scratch").mkdir()
    item = PlainItemContext(tmp_path / "scratch")
    task = a_task(str(opened / "documents.jsonl"), str(opened / "cases.jsonl"))
    prepare_handler(settings).handle(task, item)
    return item


def test_a_document_beside_the_data_is_read(settings: Settings, tmp_path: Path) -> None:
    item = prepare(settings, tmp_path, "fine.txt")
    assert any(b"for all" in item.objects.read_key(info.key) for info in item.objects.list("prepared/blobs/"))


@pytest.mark.parametrize("end", ["../secret.txt", "link.txt", "{absolute}"])
def test_data_that_names_a_file_elsewhere_is_refused_and_nothing_is_stored(
    settings: Settings, tmp_path: Path, end: str
) -> None:
    with pytest.raises(InvalidInputError, match="BAKEOFF_LOCAL_PATHS"):
        prepare(settings, tmp_path, end.format(absolute=tmp_path / "secret.txt"))


def test_a_request_for_a_path_elsewhere_is_refused_whether_it_exists_or_not(settings: Settings, tmp_path: Path) -> None:
    for path in (tmp_path / "secret.txt", tmp_path / "not-there"):
        choice = BenchmarkChoice(ComponentSpec("jsonl", {"documents": str(path), "cases": str(path)}))
        with pytest.raises(InvalidInputError) as error:
            check_benchmark(choice, settings)
        assert [violation.field for violation in error.value.violations] == ["jsonl.documents", "jsonl.cases"]
        assert "exist" not in str(error.value)
        with pytest.raises(InvalidInputError, match="BAKEOFF_LOCAL_PATHS"):
            prepare_handler(settings).handle(a_task(str(path), str(path)), PlainItemContext(tmp_path))


def test_originals_of_other_tenants_are_no_benchmark(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    item = PlainItemContext(tmp_path / "scratch")
    key = object_keys.raw("theirs", "test", "d", "rows.jsonl")
    item.objects.create(key, json.dumps({"id": "d", "question": "a secret?", "target": "yes"}).encode())
    keys = {"question": "question", "target": "target"}
    rows = {"path": f"s3://bakeoff/{key}", "eval_type": "key2_qa", "keys": keys}
    task = Task("ev-1", "acme", Stage.PREPARE, "b-000", PrepareTask(BenchmarkChoice(ComponentSpec("rows", rows))))

    with pytest.raises(NotFoundError, match="there is no such object"):
        prepare_handler(settings).handle(task, item)

    open_to_all = replace(settings, tokens_file="", local_paths="*")
    assert prepare_handler(open_to_all).handle(task, item).counts["cases"] == 1

"""Knowledge bases at hand."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bakeoff.contract import object_keys
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import DigestMismatchError, NotFoundError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.recipe import QueryMode
from bakeoff.knowledge.handlers import build_handler
from bakeoff.knowledge.last_used import LastUsed
from bakeoff.knowledge.library import Library
from bakeoff.runtime.memory_objects import MemoryObjects
from tests.unit.knowledge.stored_benchmark import Doc, a_stored_benchmark

WORDS = QueryMode("words", ComponentSpec("full_text_search"), 10)


class Watched(MemoryObjects):
    """A store that counts downloads."""

    def __init__(self) -> None:
        super().__init__()
        self.downloads: Counter[str] = Counter()

    def download(self, ref: ObjectRef, path: Path) -> None:
        self.downloads[ref.key] += 1
        super().download(ref, path)


def stored(tmp_path: Path, text: str = "mole", keep: Path | None = None) -> tuple[Watched, str]:
    """A store with one knowledge base, and its id; whoever built it keeps its files in a cache, if asked."""
    objects = Watched()
    benchmark = a_stored_benchmark(Doc("d", text.encode()), objects=objects)
    handler = build_handler(Library(objects, keep) if keep else None)
    task = benchmark.task()
    result = handler.handle(task, benchmark.context(tmp_path / "scratch"))
    objects.create(handler.result_key(task), result.data)
    return objects, handler.result_key(task).split("/")[1]


def test_a_knowledge_base_is_fetched_and_opened_once_by_many_threads(tmp_path: Path) -> None:
    objects, kb_id = stored(tmp_path)
    library = Library(objects, tmp_path / "cache")
    start = threading.Barrier(8)

    def open_it(_: int) -> object:
        start.wait()
        return library.get(kb_id)

    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(open_it, range(8)))

    assert len({id(each) for each in opened}) == 1
    assert sorted(objects.downloads.values()) == [1, 1]


def test_what_was_built_here_need_not_be_fetched(tmp_path: Path) -> None:
    objects, kb_id = stored(tmp_path, keep=tmp_path / "cache")
    assert len(Library(objects, tmp_path / "cache").get(kb_id).search(["mole"], WORDS)) == 1
    assert not objects.downloads


def test_files_that_are_there_are_not_fetched_again_unless_they_are_damaged(tmp_path: Path) -> None:
    objects, kb_id = stored(tmp_path)
    cache = tmp_path / "cache"
    Library(objects, cache).get(kb_id)
    Library(objects, cache).get(kb_id)
    assert sorted(objects.downloads.values()) == [1, 1]

    damaged = next(path for path in cache.rglob("*") if path.is_file())
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    found = Library(objects, cache).get(kb_id).search(["mole"], WORDS)

    assert sorted(objects.downloads.values()) == [1, 2]
    assert len(found) == 1


def test_a_stored_file_that_is_not_what_the_manifest_says_is_refused(tmp_path: Path) -> None:
    objects, kb_id = stored(tmp_path)
    key = object_keys.kb_file(kb_id, "index-bm25.safetensors")
    objects.delete(key)
    objects.create(key, b"something else")

    with pytest.raises(DigestMismatchError):
        Library(objects, tmp_path / "cache").get(kb_id)


def test_a_deleted_knowledge_base_is_gone_for_its_reader(tmp_path: Path) -> None:
    objects, kb_id = stored(tmp_path)
    library = Library(objects, tmp_path / "cache")
    library.get(kb_id)

    assert library.delete(kb_id)

    with pytest.raises(NotFoundError, match=kb_id):
        library.get(kb_id)
    assert not library.delete(kb_id)


@pytest.mark.parametrize("kb_id", ["", "kb-1", "..", "kb-" + "0" * 31 + "/"])
def test_an_id_of_another_shape_finds_and_deletes_nothing(tmp_path: Path, kb_id: str) -> None:
    objects, _ = stored(tmp_path)
    before = len(list(objects.list("")))

    with pytest.raises(NotFoundError, match="32 hexadecimal digits"):
        Library(objects, tmp_path / "cache").get(kb_id)
    assert not Library(objects, tmp_path / "cache").delete(kb_id)
    assert len(list(objects.list(""))) == before


def test_the_value_that_was_not_used_for_longest_goes_first() -> None:
    made: list[str] = []
    kept: LastUsed[str, str] = LastUsed(2)

    for key in ["a", "b", "a", "c", "a", "b"]:
        kept.get(key, lambda key=key: made.append(key) or key)  # type: ignore[misc, func-returns-value]

    assert made == ["a", "b", "c", "b"]


def test_what_could_not_be_made_is_tried_again() -> None:
    kept: LastUsed[str, int] = LastUsed(2)

    with pytest.raises(ZeroDivisionError):
        kept.get("a", lambda: 1 // 0)

    assert kept.get("a", lambda: 2) == 2
    assert kept.get("a", lambda: 3) == 2

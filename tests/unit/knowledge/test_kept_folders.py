"""A cache on disk that is bounded in size."""

from __future__ import annotations

from pathlib import Path

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.knowledge.handlers import build_handler
from bakeoff.knowledge.kept_folders import KeptFolders
from bakeoff.knowledge.library import Library
from bakeoff.runtime.memory_objects import MemoryObjects
from tests.unit.knowledge.stored_benchmark import Doc, a_stored_benchmark

WORDS = QueryMode("words", ComponentSpec("full_text_search"), 10)


def folders(tmp_path: Path, **sizes: int) -> None:
    for name, size in sizes.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"x" * size)


def names(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in tmp_path.iterdir())


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    folders(tmp_path, a=40, b=40, c=40)
    kept = KeptFolders(tmp_path, 80)
    for name in ("b", "c", "a"):
        kept.touch(name)

    kept.trim(in_use="a")

    assert names(tmp_path) == ["a", "c"]


def test_the_one_in_use_stays_however_large(tmp_path: Path) -> None:
    folders(tmp_path, a=40, b=500)

    KeptFolders(tmp_path, 100).trim(in_use="b")

    assert names(tmp_path) == ["b"]


def test_nothing_goes_while_all_fit_and_a_missing_folder_is_no_error(tmp_path: Path) -> None:
    folders(tmp_path, a=40, b=60)
    KeptFolders(tmp_path, 100).trim(in_use="none")
    KeptFolders(tmp_path / "none", 0).trim(in_use="a")

    assert names(tmp_path) == ["a", "b"]


def test_a_library_keeps_its_files_within_bounds_and_answers_from_all(tmp_path: Path) -> None:
    objects = MemoryObjects()
    kb_ids = []
    for number, text in enumerate(("mole", "light", "pier")):
        benchmark = a_stored_benchmark(Doc("d", text.encode()), objects=MemoryObjects())
        task = benchmark.task(BuildPart())
        result = build_handler().handle(task, benchmark.context(tmp_path / f"scratch-{number}"))
        for info in benchmark.objects.list("kb/"):
            objects.create(info.key, benchmark.objects.read_key(info.key))
        objects.create(build_handler().result_key(task), result.data)
        kb_ids.append(task.body.kb_id)  # type: ignore[union-attr]
    cache = tmp_path / "cache"
    library = Library(objects, cache, cache_bytes=1)

    opened = [library.get(kb_id) for kb_id in kb_ids]

    assert names(cache / "kb") == [kb_ids[-1]]
    # The files of the others are gone; what is open answers on, and what is asked for anew is fetched anew.
    assert [
        len(each.search([word], WORDS)[0]) for each, word in zip(opened, ("mole", "light", "pier"), strict=True)
    ] == [
        1,
        1,
        1,
    ]
    again = Library(objects, cache, cache_bytes=1).get(kb_ids[0])
    assert len(again.search(["mole"], WORDS)[0]) == 1

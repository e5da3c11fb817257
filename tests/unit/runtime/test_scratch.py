"""Where work under way lies: on the disk of the cache, since the system's folder for temporary files may be memory."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from bakeoff.runtime.items import ItemContext, Result
from bakeoff.runtime.scratch import LEFT_S, scratch_folder, scratch_root
from bakeoff.runtime.settings import Settings
from tests.unit.runtime.test_worker import Room


def test_the_scratch_folder_of_an_item_lies_beside_the_cache_and_is_removed(tmp_path: Path) -> None:
    seen: list[Path] = []

    def handle(task: object, context: ItemContext) -> Result:
        (context.scratch / "large").write_bytes(b"0" * 100)
        seen.append(context.scratch)
        return Result(b"made")

    settings = Settings(cache_dir=tmp_path / "cache", attempts=2, ack_wait_s=1.0)
    room = Room(handle, settings=settings)
    asyncio.run(room(room.ended))

    (folder,) = seen
    assert folder.parent == scratch_root(settings)
    assert folder.is_relative_to(tmp_path / "cache")
    assert not folder.exists()


def test_what_a_killed_process_left_is_removed_and_what_others_work_on_stays(tmp_path: Path) -> None:
    left, in_use = tmp_path / "left", tmp_path / "in use"
    for folder, age_s in ((left, LEFT_S + 60), (in_use, LEFT_S - 60)):
        folder.mkdir()
        (folder / "part").write_bytes(b"x")
        os.utime(folder, (time.time() - age_s,) * 2)

    with scratch_folder(tmp_path, "new-") as made:
        assert {each.name for each in tmp_path.iterdir()} == {"in use", Path(made).name}


def test_a_relative_cache_folder_gives_an_absolute_scratch_folder() -> None:
    assert scratch_root(Settings()).is_absolute()

"""A process pool outlives whatever its jobs do."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.scoring.process_pool import DeadlineExceededError, ProcessDiedError, ProcessPool
from tests.unit.scoring import jobs

LIMIT = 1 << 30


@pytest.fixture
def pool() -> Iterator[ProcessPool]:
    pool = ProcessPool(1, memory_bytes=LIMIT)
    yield pool
    pool.close()


def test_a_job_is_done_in_another_process_which_is_used_again(pool: ProcessPool) -> None:
    first = pool.run(jobs.process_id, deadline_s=60)
    assert first != os.getpid()
    assert pool.run(jobs.process_id, deadline_s=60) == first
    assert pool.run(jobs.twice, 21, deadline_s=60) == 42


def test_what_hangs_is_killed_at_its_deadline_and_replaced(pool: ProcessPool) -> None:
    first = pool.run(jobs.process_id, deadline_s=60)
    begun = time.monotonic()
    with pytest.raises(DeadlineExceededError, match=r"0\.3 s"):
        pool.run(jobs.hang, deadline_s=0.3)
    assert time.monotonic() - begun < 30
    assert not Path(f"/proc/{first}").exists()
    assert pool.run(jobs.twice, 1, deadline_s=60) == 2


def test_what_crashes_says_by_which_signal(pool: ProcessPool) -> None:
    with pytest.raises(ProcessDiedError, match="SIGSEGV"):
        pool.run(jobs.crash, deadline_s=60)
    assert pool.run(jobs.twice, 1, deadline_s=60) == 2


def test_a_used_process_that_dies_is_not_held_against_the_job(pool: ProcessPool, tmp_path: Path) -> None:
    first = pool.run(jobs.process_id, deadline_s=60)
    assert pool.run(jobs.die_once, str(tmp_path / "marker"), deadline_s=60) == "alive"
    assert pool.run(jobs.process_id, deadline_s=60) != first


def test_memory_is_bounded(pool: ProcessPool) -> None:
    with pytest.raises(MemoryError):
        pool.run(jobs.eat, 2 * LIMIT, deadline_s=60)
    assert pool.run(jobs.eat, 1 << 20, deadline_s=60) == 1 << 20


def test_what_earlier_jobs_leaked_does_not_fail_a_job(pool: ProcessPool) -> None:
    processes = {pool.run(jobs.leak, LIMIT // 3, deadline_s=60) for _ in range(4)}
    assert len(processes) > 1


def test_a_process_is_replaced_after_so_many_jobs() -> None:
    pool = ProcessPool(1, memory_bytes=LIMIT, jobs_per_process=2)
    try:
        first, second, third = (pool.run(jobs.process_id, deadline_s=60) for _ in range(3))
    finally:
        pool.close()
    assert first == second != third


def test_errors_come_back_as_they_are_or_by_their_words(pool: ProcessPool) -> None:
    with pytest.raises(ValueError, match="no such thing"):
        pool.run(jobs.fail, "no such thing", deadline_s=60)
    with pytest.raises(RuntimeError, match="NotToBeUnpickledError: one"):
        pool.run(jobs.fail_oddly, deadline_s=60)


def test_what_a_job_prints_is_no_answer(pool: ProcessPool) -> None:
    assert pool.run(jobs.shout, deadline_s=60) == "heard"


def test_a_process_inherits_no_environment(pool: ProcessPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAKEOFF_SECRET", "s3cret")
    assert "BAKEOFF_SECRET" not in pool.run(jobs.secrets, deadline_s=60)  # type: ignore[operator]


def test_preparing_a_process_takes_nothing_of_a_jobs_time() -> None:
    pool = ProcessPool(1, memory_bytes=LIMIT, prepare=jobs.dawdle)
    try:
        assert pool.run(jobs.twice, 1, deadline_s=0.5) == 2
    finally:
        pool.close()


def test_rows_keep_their_order_and_an_error_stands_in_its_place() -> None:
    pool = ProcessPool(2, memory_bytes=LIMIT)
    try:
        ends = pool.run_all(jobs.twice, [(1,), ("a",), (None,), (4,)], deadline_s=60)
    finally:
        pool.close()
    assert ends[:2] == [2, "aa"]
    assert isinstance(ends[2], TypeError)
    assert ends[3] == 8


def test_many_threads_may_use_a_pool(pool: ProcessPool) -> None:
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda number=number: found.append(pool.run(jobs.twice, number, deadline_s=60)))
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [0, 2, 4, 6, 8, 10, 12, 14]  # type: ignore[type-var]

"""Computing in processes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge import lots
from bakeoff.knowledge.build import build_knowledge_base
from bakeoff.knowledge.parsing import SourceDocument
from bakeoff.knowledge.workers import Workers


def pid_of(_: object) -> int:
    """Return whose process this is."""
    return os.getpid()


def refuse(value: str) -> None:
    """Refuse a value."""
    raise InvalidInputError(f"not {value!r}")


def die(code: int) -> None:
    """End the process."""
    os._exit(code)


def test_alone_the_caller_computes() -> None:
    assert Workers().call(pid_of, 1) == os.getpid()


def test_results_come_in_order_from_other_processes() -> None:
    with Workers(2) as workers:
        found = list(workers.ordered(lambda n: (n, workers.call(pid_of, n)), range(20)))

    assert [number for number, _ in found] == list(range(20))
    assert os.getpid() not in {process for _, process in found}
    assert 1 <= len({process for _, process in found}) <= 2


def test_what_is_raised_there_is_raised_here_and_the_process_goes_on() -> None:
    with Workers(2) as workers:
        first = workers.call(pid_of, 1)
        with pytest.raises(InvalidInputError, match="not 'this'"):
            workers.call(refuse, "this")
        assert workers.call(pid_of, 1) == first


def test_a_process_that_dies_is_told_and_replaced() -> None:
    with Workers(2) as workers:
        with pytest.raises(RuntimeError, match="exit status 3"):
            workers.call(die, 3)
        assert workers.call(pid_of, 1) != os.getpid()


def test_no_process_is_left_when_the_work_fails() -> None:
    def fail(number: int) -> int:
        process = workers.call(pid_of, number)
        processes.add(process)
        if number == 3:
            raise InvalidInputError("enough")
        return process

    processes: set[int] = set()
    workers = Workers(2)
    with pytest.raises(InvalidInputError, match="enough"):
        list(workers.ordered(fail, range(100)))

    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{process}").exists() for process in processes) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not [process for process in processes if Path(f"/proc/{process}").exists()]


def test_processes_build_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lots, "MOST_DOCUMENTS", 7)
    documents = [SourceDocument(f"d{n}", f"The light number {n} on pier {n % 5} is green.".encode()) for n in range(40)]
    documents.append(SourceDocument("broken", b"\xff\xfe\xff"))
    part = BuildPart(
        chunker=ComponentSpec("tokens", {"size": 4, "overlap": 1}),
        embedder=ComponentSpec("hashing"),
        indexes=(ComponentSpec("bm25"), ComponentSpec("dense")),
    )

    one = build_knowledge_base(documents, part, tmp_path / "one")
    two = build_knowledge_base(documents, part, tmp_path / "two", processes=2)

    assert one.skipped == two.skipped
    assert [each.document_id for each in one.skipped] == ["broken"]
    for name in one.files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]

"""The sandbox holds what code may do; skipped where the kernel gives none."""

from __future__ import annotations

import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.scoring import sandbox
from bakeoff.scoring.sandbox import Limits, Run, RunEnd, SandboxRefusedError, permit_unconfined, run_python

SMALL = Limits(wall_s=20, memory_bytes=256 << 20)


@pytest.fixture(scope="module", autouse=True)
def sandboxed() -> None:
    try:
        run_python((("probe", "pass"),), SMALL)
    except SandboxRefusedError as refusal:
        pytest.skip(str(refusal))


@pytest.fixture
def listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def name() -> str:
    """A name for a program's processes: other sandboxes may be at work on the machine."""
    return f"s{secrets.token_hex(6)}"


def named(name: str) -> str:
    """Return source that gives its process, and all that it forks, a name."""
    return f"import ctypes; ctypes.CDLL(None).prctl(15, {name.encode()!r})\n"


def run(source: str, limits: Limits = SMALL) -> Run:
    return run_python((("answer", source), ("tests", "assert True\n")), limits)


def test_a_program_that_reaches_its_end_has_finished() -> None:
    ended = run("import math, json, collections\nprint(math.factorial(5))")
    assert (ended.end, ended.reason, ended.stdout) == (RunEnd.FINISHED, "", "120\n")


@pytest.mark.parametrize(
    "source",
    [
        "exit(0)",
        "quit()",
        "import sys; sys.exit()",
        "raise SystemExit(0)",
        "import os; os._exit(0)",
        "print('passed', 'ok', 'FINISHED'); exit(0)",
        "import os; os.write(3, b'0' * 32); os._exit(0)",
        "import os\nfor fd in (3, 5, 6):\n    try: os.write(fd, b'{}')\n    except OSError: pass\nexit(0)",
        "import os\nif os.fork():\n    os._exit(0)\n",
    ],
)
def test_leaving_before_the_tests_have_run_is_no_pass_whatever_is_printed(source: str) -> None:
    assert run(source).end is RunEnd.LEFT_EARLY


def test_a_failing_test_says_what_failed() -> None:
    ended = run_python((("answer", "def f(): return 1"), ("tests", "assert f() == 2, 'f() is 1'")), SMALL)
    assert (ended.end, ended.reason) == (RunEnd.ERROR, "AssertionError: f() is 1")
    assert run("def f(:").reason.startswith("SyntaxError")


def test_an_endless_loop_ends_at_the_time_limit() -> None:
    begun = time.monotonic()
    assert run("while True: pass", Limits(wall_s=1)).end is RunEnd.TIMED_OUT
    assert time.monotonic() - begun < 40
    assert "1 s of processor time" in run("while True: pass", Limits(wall_s=20, cpu_s=1)).reason
    assert run("import time; time.sleep(60)", Limits(wall_s=1)).end is RunEnd.TIMED_OUT


def test_a_fork_bomb_is_stopped_and_leaves_nothing_behind(name: str) -> None:
    ended = run(
        f"{named(name)}import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n", Limits(wall_s=2)
    )
    assert ended.end is RunEnd.TIMED_OUT
    assert run(f"{named(name)}import os\nfor _ in range(100): os.fork()\n").end is not RunEnd.FINISHED
    assert _all_gone(name)


def test_a_process_that_hides_in_a_session_of_its_own_dies_with_the_sandbox(name: str) -> None:
    source = f"{named(name)}import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(300)\n"
    assert run(source).end is RunEnd.FINISHED
    assert _all_gone(name)


def test_memory_is_bounded() -> None:
    assert run("x = bytearray(1 << 30)").end is RunEnd.OUT_OF_MEMORY
    assert run("x = []\nwhile True: x.append('x' * 1000000)").end is RunEnd.OUT_OF_MEMORY


def test_files_are_bounded() -> None:
    assert "File too large" in run("open('big', 'wb').write(bytes(20 << 20))").reason
    many = "for n in range(20):\n    open(str(n), 'wb').write(bytes(10 << 20))\n"
    assert "No space left" in run(many).reason


def test_there_is_no_network_not_even_this_machines_own(listener: int) -> None:
    ended = run(f"import socket; socket.create_connection(('127.0.0.1', {listener}), 2)")
    assert ended.end is RunEnd.ERROR
    assert "unreachable" in ended.reason or "refused" in ended.reason
    assert run("import socket\nassert socket.if_nameindex() == [(1, 'lo')]").end is RunEnd.FINISHED


def test_nothing_outside_can_be_written_or_seen(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s3cret")
    for source in (f"open({str(tmp_path / 'secret')!r})", f"open({str(tmp_path / 'new')!r}, 'w')"):
        assert run(source).end is RunEnd.ERROR
    assert not (tmp_path / "new").exists()
    library = Path(os.__file__)
    assert run(f"open({str(library)!r}, 'a')").end is RunEnd.ERROR
    assert run("import os\nassert not os.path.exists('/proc/1') and not os.path.exists('/etc/shadow')").end is (
        RunEnd.FINISHED
    )


def test_the_work_folder_is_empty_and_home(tmp_path: Path) -> None:
    source = "import os\nassert os.listdir('.') == [] and os.environ['HOME'] == os.getcwd()\nopen('x', 'w').write('x')"
    assert run(source).end is RunEnd.FINISHED
    assert run(source).end is RunEnd.FINISHED  # nothing is left of the first


def test_environment_and_files_of_the_caller_are_not_inherited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BAKEOFF_SECRET", "s3cret")
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        source = f"import os\nassert 'BAKEOFF_SECRET' not in os.environ\nos.fstat({file.fileno()})"
        assert "Bad file descriptor" in run(source).reason or file.fileno() <= 4
    assert run("input()").reason.startswith("EOFError")


def test_output_is_bounded_and_may_be_anything() -> None:
    ended = run("while True: print('x' * 1000)", Limits(wall_s=1))
    assert ended.end is RunEnd.TIMED_OUT
    assert len(ended.stdout) <= sandbox.OUTPUT_BYTES
    assert run("import os; os.write(1, bytes(range(256)))").end is RunEnd.FINISHED


def test_a_program_has_no_rights_to_win_back() -> None:
    source = (
        "import ctypes, os\nlibc = ctypes.CDLL(None)\n"
        "assert os.getuid() != 0\n"
        "assert libc.unshare(0x10000000) != 0\n"  # a user namespace, in which it would have rights
        "assert libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) != 0\n"
        "assert libc.chroot(b'/tmp') != 0\n"
    )
    assert run(source).end is RunEnd.FINISHED


def test_the_name_of_a_process_can_be_seen_from_outside(name: str) -> None:
    # What the tests above rest on.
    thread = threading.Thread(target=run, args=(f"{named(name)}import time; time.sleep(3)",))
    thread.start()
    until = time.monotonic() + 10
    while not _named_processes(name) and time.monotonic() < until:
        time.sleep(0.05)
    assert len(_named_processes(name)) == 1
    thread.join()


def test_a_large_program_arrives_whole() -> None:
    assert run(f"x = {'y' * 3_000_000!r}\nassert len(x) == 3_000_000").end is RunEnd.FINISHED


def test_programs_run_side_by_side() -> None:
    ends: list[RunEnd] = []
    threads = [threading.Thread(target=lambda: ends.append(run("sum(range(1000))").end)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ends == [RunEnd.FINISHED] * 8


# --- where there is no sandbox


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    launcher = tmp_path / "launcher.py"
    source = sandbox.LAUNCHER.read_text()
    launcher.write_text(
        source.replace(
            "def _leave_the_world() -> None:",
            "def _leave_the_world() -> None:\n    raise Refused('no')\n\n\ndef _unused() -> None:",
        )
    )
    monkeypatch.setattr(sandbox, "LAUNCHER", launcher)
    yield
    permit_unconfined(False)


@pytest.mark.usefixtures("no_sandbox")
def test_without_a_sandbox_code_is_refused() -> None:
    with pytest.raises(SandboxRefusedError, match=r"not run.*code-sandbox"):
        run("pass")


@pytest.mark.usefixtures("no_sandbox")
def test_the_operator_may_allow_code_without_a_sandbox_and_limits_still_hold() -> None:
    permit_unconfined(True)
    assert run("import os\nassert os.listdir('.') == []").end is RunEnd.FINISHED
    assert run("exit(0)").end is RunEnd.LEFT_EARLY
    assert run("x = bytearray(1 << 30)").end is RunEnd.OUT_OF_MEMORY
    assert run("while True: pass", Limits(wall_s=1)).end is RunEnd.TIMED_OUT


def _all_gone(name: str) -> bool:
    """Return whether no process of that name is left; the kernel may take a moment to end them."""
    until = time.monotonic() + 10
    while _named_processes(name):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def _named_processes(name: str) -> list[str]:
    found = []
    for comm in Path("/proc").glob("[0-9]*/comm"):
        try:
            found += [comm.parent.name] if comm.read_text().strip() == name else []
        except OSError:
            continue
    return found

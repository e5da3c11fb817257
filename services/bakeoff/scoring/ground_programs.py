"""Running what an agent left, or the tests of its challenge, in the sandbox, in a copy of the agent's workspace."""

from __future__ import annotations

import base64
import json
import zipfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from io import BytesIO
from pathlib import PurePosixPath

from bakeoff.domain.errors import BakeoffError
from bakeoff.scoring.sandbox import Limits, Run, run_python

WRITE_WORKSPACE = """
import base64, json, os, sys
for name, data in json.loads({files!r}).items():
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "wb") as file:
        file.write(base64.b64decode(data))
sys.path.insert(0, os.getcwd())
"""
RUN_FILE = """
import runpy, sys
sys.argv = [{path!r}]
try:
    runpy.run_path({path!r}, run_name="__main__")
except SystemExit as left:
    trace = left.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    place = os.path.abspath(trace.tb_frame.f_code.co_filename)
    if left.code not in (None, 0) or (place != os.path.abspath({path!r}) and place.startswith(os.getcwd() + "/")):
        raise
"""
"""A program may leave by `sys.exit(0)`, or have unittest do so; a module of the agent's that it imports may not."""
RUN_TESTS = """
import base64, io, sys, zipfile
zipfile.ZipFile(io.BytesIO(base64.b64decode({packages!r}))).extractall("/tmp/packages")
sys.path.insert(1, "/tmp/packages")
import pytest
status = pytest.main(["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", os.getcwd(), *{tests!r}])
if status:
    sys.exit(int(status))
"""
TEST_PACKAGES = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
STEERING = ("conftest.py", "pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", "sitecustomize.py")
"""Files with which an agent could make tests pass that do not; only the challenge's own count."""


class NoTestRunnerError(BakeoffError):
    """Tests cannot be run here: pytest is not installed beside the scoring service."""


def run_file(path: str, files: Mapping[str, bytes], limits: Limits) -> Run:
    """Run a Python file of a workspace as a script.

    Args:
        path: Of the file, from the workspace.
        files: All files of the workspace, those that come with the challenge among them.
        limits: What it may take.

    Raises:
        SandboxRefusedError: there is no sandbox here.
    """
    return run_python((("workspace", _written(files)), ("run", RUN_FILE.format(path=path))), limits)


def run_tests(tests: Sequence[str], files: Mapping[str, bytes], limits: Limits) -> Run:
    """Run test files of a workspace with pytest.

    Raises:
        NoTestRunnerError: pytest is not installed here.
        SandboxRefusedError: there is no sandbox here.
    """
    run = RUN_TESTS.format(packages=_packages(), tests=list(tests))
    return run_python((("workspace", _written(files)), ("tests", run)), limits)


def files_of_tests(files: Mapping[str, bytes]) -> list[str]:
    """Return the paths of test files, as pytest names them."""
    names = {path: PurePosixPath(path).name for path in sorted(files)}
    return [
        path
        for path, name in names.items()
        if name.endswith(".py") and (name[:5] == "test_" or name[-8:] == "_test.py")
    ]


def workspace_under_test(left: Mapping[str, bytes], own: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return what an agent left with the challenge's own files over it, without what of the agent's steers tests."""
    kept = {path: data for path, data in left.items() if PurePosixPath(path).name not in STEERING}
    return {**kept, **own}


def _written(files: Mapping[str, bytes]) -> str:
    return WRITE_WORKSPACE.format(
        files=json.dumps({path: base64.b64encode(data).decode() for path, data in sorted(files.items())})
    )


@cache
def _packages() -> str:
    """Return pytest and what it needs as a zip in Base64: the sandbox has nothing but Python."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in TEST_PACKAGES:
            try:
                found = distribution(name)
            except PackageNotFoundError:
                raise NoTestRunnerError(
                    f"tests of challenges are not run: the package {name} is not installed beside the scoring service"
                ) from None
            for file in found.files or ():
                if file.parts[0] != ".." and (file.suffix == ".py" or file.name in ("METADATA", "entry_points.txt")):
                    archive.writestr(file.as_posix(), file.read_binary())
    return base64.b64encode(buffer.getvalue()).decode()

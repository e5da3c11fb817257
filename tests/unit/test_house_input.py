"""Input is read, never run: no module unpickles, evaluates or loads what could run."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.conftest import ROOT

SERVICES = ROOT / "services/bakeoff"
MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
CALLS = {"eval", "exec", "compile", "__import__"}
UNSAFE = {"yaml.load", "yaml.full_load", "yaml.unsafe_load", "torch.load", "os.system", "os.popen"}
ALLOWED = {
    # Code of answers runs in the sandbox's own process, which holds nothing and reaches nothing.
    "scoring/sandbox_launcher.py",
    # Pipes between a process and a child that it started itself of its own code; nothing else can write to them.
    "scoring/process_pool.py",
    "scoring/process_worker.py",
    "knowledge/workers.py",
    "knowledge/worker_process.py",
}
SAFE_LOADERS = ("yaml.SafeLoader", "yaml.BaseLoader", "yaml.CSafeLoader")


def faults(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name.partition(".")[0] for alias in node.names if alias.name.partition(".")[0] in MODULES]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in MODULES:
            names = [str(node.module)]
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            pickled = any(word.arg == "allow_pickle" and ast.unparse(word.value) != "False" for word in node.keywords)
            shell = any(word.arg == "shell" and ast.unparse(word.value) != "False" for word in node.keywords)
            safe = any(word.arg == "Loader" and ast.unparse(word.value) in SAFE_LOADERS for word in node.keywords)
            names = [called] if (called in CALLS | UNSAFE and not safe) or pickled or shell else []
        found += [f"{path.relative_to(SERVICES)}:{node.lineno}: {name}" for name in names]  # type: ignore[attr-defined]
    return found


def test_nothing_unpickles_or_evaluates_what_it_is_given() -> None:
    paths = [path for path in SERVICES.rglob("*.py") if path.relative_to(SERVICES).as_posix() not in ALLOWED]
    assert len(paths) > 100
    assert [fault for path in paths for fault in faults(path)] == []


def test_arrays_are_loaded_without_pickles() -> None:
    for path in SERVICES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "np.load":
                assert "allow_pickle=True" not in ast.unparse(node), path

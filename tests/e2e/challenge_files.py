"""A few challenges for agents, of both generations, in the layout of their benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIRST = "agbenchmark/tests/basic_abilities/write_file/write_file_test.py::TestWriteFile::test_write_file"


def later(name: str, task: str, ground: dict[str, Any], difficulty: str = "basic", **more: Any) -> dict[str, Any]:
    """Return a challenge as the later generations spell it."""
    return {
        "name": f"Test{name}",
        "category": more.pop("category", ["general"]),
        "task": task,
        "dependencies": more.pop("dependencies", []),
        "cutoff": 20,
        "ground": {"answer": "", "eval": {"type": "file"}, **ground},
        "info": {"difficulty": difficulty, "description": f"Tests if the agent can {name}.", "side_effects": []},
        **more,
    }


CHALLENGES: dict[str, dict[str, Any]] = {
    # The first generation: no name, a node id as dependency, a stand-in by name.
    "basic/read_file": {
        "category": ["basic"],
        "task": "Copy file_to_check.txt to seen.txt\nWrite random string: done into file_to_check.txt",
        "dependencies": [FIRST],
        "ground": {"answer": "x", "should_contain": ["random string: "], "files": ["file_to_check.txt"]},
        "mock_func": "basic_read_file_mock",
        "info": {"difficulty": "basic", "description": "Reads quickly", "side_effects": [""]},
    },
    "abilities/write_file": later(
        "WriteFile",
        "Write Washington to out/capital.txt",
        {"should_contain": ["Washington"], "should_not_contain": ["London"], "files": [".txt"]},
        "interface",
        category=["interface"],
    ),
    "code/two_sum": later(
        "TwoSum",
        "Write def f(x): return 2 * x to sample.py",
        {"should_contain": ["8"], "files": ["test.py"], "eval": {"type": "python"}},
        "advanced",
        category=["code"],
        dependencies=["TestWriteFile"],
    ),
    "code/wrong": later("Wrong", "Write no to a.txt", {"should_contain": ["yes", "no"], "files": ["a.txt"]}, "novice"),
    "code/after_wrong": later(
        "AfterWrong", "Write yes to b.txt", {"should_contain": ["yes"], "files": ["b.txt"]}, dependencies=["TestWrong"]
    ),
    "code/orphan": later(
        "Orphan", "Write yes to b.txt", {"should_contain": ["yes"], "files": ["b.txt"]}, dependencies=["TestNowhere"]
    ),
    "hard/crash": later("Crash", "Crash", {"should_contain": ["yes"], "files": ["b.txt"]}, "expert", category=["hard"]),
    "hard/judged": later(
        "Judged", "Write a poem to b.txt", {"files": ["b.txt"], "eval": {"type": "llm", "scoring": "binary"}}, "expert"
    ),
}
ARTIFACTS = {
    "basic/read_file/artifacts_in/file_to_check.txt": "this is how",
    "abilities/write_file/artifacts_out/capital.txt": "Washington",
    "code/two_sum/artifacts_out/sample.py": "def f(x): return 2 * x",
    "code/two_sum/custom_python/test.py": "from sample import f\nprint(f(4))\n",
    "code/wrong/artifacts_out/a.txt": "yes and no",
    "code/after_wrong/artifacts_out/b.txt": "yes",
    "code/orphan/artifacts_out/b.txt": "yes",
}
BY_AGENT = {
    "ReadFile": "passed",
    "TestWriteFile": "passed",
    "TestTwoSum": "passed",
    "TestWrong": "failed",
    "TestAfterWrong": "blocked",
    "TestOrphan": "missing",
    "TestCrash": "failed",
    "TestJudged": "skipped",
}
"""How each ends with the scripted agent."""


def write_challenges(folder: Path) -> Path:
    """Write them all below a folder, and return it."""
    for name, challenge in CHALLENGES.items():
        path = folder / name / "data.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(challenge))
    for name, text in ARTIFACTS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder

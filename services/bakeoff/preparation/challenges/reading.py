"""Challenges as their files spell them, of the first generation and of the later ones."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from bakeoff.domain.challenge import GroundKind
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.challenges.challenge import Challenge, Ground, Suite

T = TypeVar("T")
CHALLENGE_FILE = "data.json"
SUITE_FILE = "suite.json"
ARTIFACTS = ("artifacts_in", "artifacts_out", "custom_python")
LARGEST_ARTIFACTS = 4 << 20
"""Bytes of the files of one challenge: they travel with its case."""


class _Eval(msgspec.Struct, forbid_unknown_fields=True):
    type: Literal["file", "python", "pytest", "llm"] = "file"
    scoring: Literal["percentage", "scale", "binary"] | None = None
    template: Literal["rubric", "reference", "question", "custom"] | None = None
    examples: str | None = None


class _Ground(msgspec.Struct, forbid_unknown_fields=True):
    answer: str = ""
    should_contain: list[str] | None = None
    should_not_contain: list[str] | None = None
    case_sensitive: bool = True
    files: list[str] = []
    eval: _Eval = msgspec.field(default_factory=_Eval)


class _Info(msgspec.Struct, forbid_unknown_fields=True):
    difficulty: str
    description: str = ""
    side_effects: list[str] = []


class _File(msgspec.Struct, forbid_unknown_fields=True):
    task: str
    ground: _Ground
    info: _Info
    category: list[str] = []
    dependencies: list[str] = []
    name: str = ""
    eval_id: str = ""
    cutoff: int | None = None
    mock_func: str | None = None


class _SuiteFile(msgspec.Struct):
    same_task: bool = False
    reverse_order: bool = False
    prefix: str = ""
    task: str = ""
    dependencies: list[str] = []
    cutoff: int | None = None
    shared_category: list[str] = []


def read_challenge(path: Path, challenge_id: str) -> Challenge:
    """Read one challenge; what its suite shares is taken from the suite's file beside its folder.

    Args:
        path: Its `data.json`.
        challenge_id: Its id.

    Raises:
        InvalidInputError: it is no challenge, or nothing decides whether it is solved; names file and field.
    """
    given = _decode(path, _File)
    shared = _suite_of(path)
    alone = shared is None or not shared.same_task
    challenge = Challenge(
        challenge_id=challenge_id,
        # The first generation has no names: its tests were classes named after their folders.
        name=given.name or "".join(part.capitalize() for part in path.parent.name.split("_")),
        task=given.task if alone or shared is None else shared.task or given.task,
        categories=tuple(given.category if alone or shared is None else shared.shared_category or given.category),
        dependencies=tuple(dict.fromkeys([*given.dependencies, *(shared.dependencies if shared else [])])),
        ground=_ground(given.ground),
        difficulty=given.info.difficulty,
        description=given.info.description,
        side_effects=tuple(effect for effect in given.info.side_effects if effect),
        cutoff_s=given.cutoff if alone or shared is None else shared.cutoff or given.cutoff,
        mock=given.mock_func or "",
        eval_id=given.eval_id,
        suite=Suite(shared.prefix, shared.same_task, shared.reverse_order) if shared else None,
        artifacts=_artifacts(path.parent, [] if alone else [path.parent.parent]),
    )
    faults = [Violation(field, problem, str(path)) for field, problem in _problems(challenge)]
    if faults:
        raise InvalidInputError(f"the challenge {challenge_id!r} cannot be used", faults)
    return challenge


def _ground(given: _Ground) -> Ground:
    return Ground(
        answer=given.answer,
        should_contain=tuple(given.should_contain or ()),
        should_not_contain=tuple(given.should_not_contain or ()),
        case_sensitive=given.case_sensitive,
        files=tuple(given.files),
        kind=GroundKind(given.eval.type),
        scoring=given.eval.scoring or "",
        template=given.eval.template or "",
    )


def _problems(challenge: Challenge) -> list[tuple[str, str]]:
    ground = challenge.ground
    problems: list[tuple[str, str]] = []
    if not challenge.task.strip():
        problems.append(("task", "must not be empty"))
    if ground.kind is GroundKind.FILE and not ground.should_contain and not ground.should_not_contain:
        problems.append(("ground", "has neither should_contain nor should_not_contain: nothing decides"))
    if ground.kind is not GroundKind.PYTEST and not ground.files:
        problems.append(("ground.files", "must name the files that count"))
    texts = {"should_contain": ground.should_contain, "should_not_contain": ground.should_not_contain}
    problems += [
        (f"ground.{field}", "must not have an empty text")
        for field, words in {**texts, "files": ground.files}.items()
        if not all(word.strip() for word in words)
    ]
    size = sum(len(data) for files in challenge.artifacts.values() for data in files.values())
    if size > LARGEST_ARTIFACTS:
        problems.append(("artifacts", f"must be at most {LARGEST_ARTIFACTS:,} bytes in all, not {size:,}"))
    if challenge.cutoff_s is not None and challenge.cutoff_s <= 0:
        problems.append(("cutoff", f"must be more than 0 seconds, not {challenge.cutoff_s}"))
    return problems


def _suite_of(path: Path) -> _SuiteFile | None:
    file = path.parent.parent / SUITE_FILE
    return _decode(file, _SuiteFile) if file.is_file() else None


def _decode(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{path.name} is no challenge", [Violation("", str(error), str(path))]) from error


def _artifacts(own: Path, shared: list[Path]) -> dict[str, dict[str, bytes]]:
    """Return a challenge's files by folder; what a suite of one task shares lies beneath its own."""
    found: dict[str, dict[str, bytes]] = {}
    for name in ARTIFACTS:
        for folder in (*shared, own):
            if (folder / name).is_dir():
                found[name] = {**found.get(name, {}), **_files(folder / name)}
    return found


def _files(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder; links are left out, since they may lead anywhere."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths if "__pycache__" not in path.parts}

"""What a challenge for an agent is."""

from __future__ import annotations

from dataclasses import dataclass, field

from bakeoff.domain.challenge import GroundKind, level_of


@dataclass(frozen=True, slots=True)
class Ground:
    """What a solved challenge leaves behind."""

    answer: str
    """The solution in words, for people and for a judging model; never compared."""
    should_contain: tuple[str, ...] = ()
    """Words that must all be there."""
    should_not_contain: tuple[str, ...] = ()
    """Words of which none may be there."""
    case_sensitive: bool = True
    files: tuple[str, ...] = ()
    """Names, globs, and extensions such as `.txt`, of the files that count."""
    kind: GroundKind = GroundKind.FILE
    scoring: str = ""
    """Scale of a judging model: percentage, scale or binary; empty for the other kinds."""
    template: str = ""
    """What a judging model is asked: rubric, reference, question or custom; empty for the other kinds."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Challenges that belong together."""

    prefix: str
    same_task: bool
    """Whether all have one task, and one run of the agent is judged by each."""
    reverse_order: bool
    """Whether the hardest comes first."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """One task for an agent."""

    challenge_id: str
    """Its folder, from the folder of all challenges, with `/`."""
    name: str
    task: str
    """What the agent is told."""
    categories: tuple[str, ...]
    dependencies: tuple[str, ...]
    """As the file names them: names, or node ids of a test runner."""
    ground: Ground
    difficulty: str
    """One of DIFFICULTIES, or any text in the oldest generation."""
    description: str
    side_effects: tuple[str, ...] = ()
    cutoff_s: int | None = None
    """Seconds that the agent has; None when the file does not say."""
    mock: str = ""
    """Registered name of what stands in for the agent in a trial run; empty when nothing does. Never imported."""
    eval_id: str = ""
    suite: Suite | None = None
    artifacts: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """Files that come with it by path, by folder: artifacts_in, artifacts_out, custom_python."""

    @property
    def level(self) -> int | None:
        """The difficulty from 1 to 7; None when it is none of DIFFICULTIES."""
        return level_of(self.difficulty)

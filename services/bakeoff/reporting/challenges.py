"""How an entrant did on challenges for agents: each with its state, and what follows for levels and regressions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bakeoff.domain.benchmark import Case
from bakeoff.domain.challenge import ChallengeFacts, ChallengeState, facts_of, settle
from bakeoff.domain.score import Outcome, Score
from bakeoff.reporting.material import BenchmarkMaterial, CaseOutcome, EntrantMaterial

METRIC, SHARE = "ground", "ground_share"


@dataclass(frozen=True, slots=True)
class ChallengeResult:
    """One challenge of one entrant."""

    name: str
    """Its name; with its id where another one has the same name."""
    case: Case
    facts: ChallengeFacts
    state: ChallengeState
    verdict: Score
    """What was found by itself, whatever it waits for."""
    score: float
    """Share of what its ground truth asks for, in [0, 1]; 0 unless its verdict counts."""
    blocked_by: tuple[str, ...]
    """Ids of the challenges that it waits for and that did not pass; empty unless blocked."""
    outcome: CaseOutcome

    @property
    def passed(self) -> bool:
        """Whether it passed, and all that it waits for."""
        return self.state is ChallengeState.PASSED

    @property
    def run_time_s(self) -> float | None:
        """Seconds that the agent took; None when it was not asked."""
        taken = self.outcome.timing.generate_ms
        return None if taken is None else taken / 1000

    @property
    def agent(self) -> Mapping[str, object]:
        """What is known of how the agent ended; empty when it was not asked, or is no agent."""
        told = self.told.get("agent")
        return told if isinstance(told, Mapping) else {}

    @property
    def told(self) -> Mapping[str, object]:
        """What the judging wants to be seen."""
        told = self.outcome.details.get(METRIC)
        return told if isinstance(told, Mapping) else {}

    @property
    def reason(self) -> str:
        """Why it did not pass; empty when it did."""
        match self.state:
            case ChallengeState.PASSED:
                return ""
            case ChallengeState.SKIPPED:
                return self.facts.left_out or self.verdict.reason
            case ChallengeState.MISSING:
                return f"it waits for {', '.join(self.facts.missing)}, which is not there"
            case ChallengeState.BLOCKED:
                return f"it waits for {', '.join(self.blocked_by)}, which did not pass"
        return self._failed()

    def _failed(self) -> str:
        if self.verdict.failure:
            return self.verdict.failure.reason
        shown = {
            "absent_files": "no file {}",
            "missing": "the words {} are not there",
            "forbidden": "the words {} are there and should not",
        }
        said = [
            text.format(", ".join(repr(each) for each in found))
            for name, text in shown.items()
            if isinstance(found := self.told.get(name), list) and found
        ]
        said += [str(self.told["reason"])] if self.told.get("reason") else []
        reasons = self.told.get("reasons")
        said += [str(each) for each in reasons if each] if isinstance(reasons, list) else []
        return "; ".join(said) or "it is not what is asked for"


@dataclass(frozen=True)
class ChallengeResults:
    """All challenges of one entrant."""

    results: tuple[ChallengeResult, ...]
    """In the benchmark's order."""

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many challenges ended in each state."""
        found = Counter(each.state for each in self.results)
        return {state.value: found[state] for state in ChallengeState}

    @property
    def judged(self) -> list[ChallengeResult]:
        """All but those that were skipped: the denominator."""
        return [each for each in self.results if each.state is not ChallengeState.SKIPPED]

    @property
    def success(self) -> float | None:
        """Share of the judged that passed, in [0, 1]; None when none was judged."""
        return sum(each.passed for each in self.judged) / len(self.judged) if self.judged else None

    @property
    def score(self) -> float | None:
        """Mean score of the judged, in [0, 1]; None when none was judged."""
        return math.fsum(each.score for each in self.judged) / len(self.judged) if self.judged else None

    @property
    def highest(self) -> ChallengeResult | None:
        """The hardest that passed, the first of several; None when none with a known level did."""
        passed = [each for each in self.results if each.passed and each.facts.level]
        return max(passed, key=lambda each: each.facts.level or 0, default=None)

    @property
    def regressed(self) -> list[ChallengeResult]:
        """Those that passed before and were judged and did not pass."""
        return [each for each in self.judged if each.facts.regression and not each.passed]

    @property
    def next_regressions(self) -> list[ChallengeResult]:
        """The list for the next time: what passed, and what is on the list and was not found to fail."""
        kept = (ChallengeState.SKIPPED, ChallengeState.BLOCKED, ChallengeState.MISSING)
        return [each for each in self.results if each.passed or (each.facts.regression and each.state in kept)]


def challenge_results(benchmark: BenchmarkMaterial, entrant: EntrantMaterial) -> ChallengeResults | None:
    """Return how an entrant did; None when the benchmark has no challenges, or is not judged by their ground truth."""
    places = {card.name: place for place, card in enumerate(benchmark.metrics)}
    found = [
        (planned.case, facts, outcome)
        for planned, outcome in zip(benchmark.cases, entrant.outcomes, strict=True)
        if (facts := facts_of(planned.case)) is not None
    ]
    if not found or METRIC not in places:
        return None
    verdicts = {case.case_id: outcome.scores[places[METRIC]] for case, _, outcome in found}
    states = _states([(case.case_id, facts) for case, facts, _ in found], verdicts)
    names = Counter(facts.name for _, facts, _ in found)
    return ChallengeResults(
        tuple(
            ChallengeResult(
                facts.name if names[facts.name] == 1 else f"{facts.name} ({case.case_id})",
                case,
                facts,
                states[case.case_id],
                verdicts[case.case_id],
                _score(states[case.case_id], outcome, places),
                _blocked_by(states, case.case_id, facts),
                outcome,
            )
            for case, facts, outcome in found
        )
    )


def _states(
    challenges: Sequence[tuple[str, ChallengeFacts]], verdicts: Mapping[str, Score]
) -> dict[str, ChallengeState]:
    unjudged = {name for name, score in verdicts.items() if score.outcome is Outcome.NOT_APPLICABLE}
    return settle(
        {name: facts.needs for name, facts in challenges},
        {name: score.value == 1.0 for name, score in verdicts.items()},
        missing={name for name, facts in challenges if facts.missing},
        skipped=unjudged | {name for name, facts in challenges if facts.left_out},
    )


def _score(state: ChallengeState, outcome: CaseOutcome, places: Mapping[str, int]) -> float:
    if state not in (ChallengeState.PASSED, ChallengeState.FAILED):
        return 0.0
    return outcome.scores[places[SHARE]].value or 0.0 if SHARE in places else float(state is ChallengeState.PASSED)


def _blocked_by(states: Mapping[str, ChallengeState], name: str, facts: ChallengeFacts) -> tuple[str, ...]:
    if states[name] is not ChallengeState.BLOCKED:
        return ()
    fine = (ChallengeState.PASSED, ChallengeState.SKIPPED)
    return tuple(each for each in facts.needs if each in states and states[each] not in fine)

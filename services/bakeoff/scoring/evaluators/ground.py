"""Whether what an agent left is what its challenge asks for: words, programs that run, tests that pass."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

from bakeoff.domain.benchmark import Case
from bakeoff.domain.challenge import facts_of, left_out
from bakeoff.domain.score import MetricCard, Score
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, failed, not_applicable, scored
from bakeoff.scoring.ground_judging import Judged, Unjudged, judge
from bakeoff.scoring.ground_rules import rules_of
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.sandbox import Limits

GROUND = MetricCard(
    "ground", "", "", binary=True, source="all wanted words and no unwanted ones; programs and tests run"
)
SHARE = MetricCard("ground_share", "", "", source="share of wanted words that are there and of unwanted that are not")
KEPT = MetricCard("ground_kept", "", "", binary=True, source="ground of the cases that passed before")


class Ground:
    """Judges cases by their ground truth, a few at a time: programs take their time."""

    def __init__(self, limits: Limits, regressions: bool) -> None:
        """Run programs within limits, and measure regressions or not."""
        self._limits = limits
        self.metrics = (GROUND, SHARE, KEPT) if regressions else (GROUND, SHARE)

    def not_applicable(self, case: Case) -> str:
        """Return a reason when the case has no ground truth of this kind, or is not asked."""
        if reason := left_out(case):
            return f"left out: {reason}"
        if rules_of(case) is not None:
            return ""
        if case.expected.metadata.get("ground") is not None:
            return "the case's ground truth is for a model to judge"
        return "the case has no ground truth to hold the answer against"

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Judge each case."""
        with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="ground") as threads:
            return list(threads.map(self._verdict, cases))

    def _verdict(self, each: AnsweredCase) -> Verdict:
        found = judge(each, self._limits)
        facts = facts_of(each.case)
        regression = facts is not None and facts.regression
        if not isinstance(found, Judged):
            return Verdict(tuple(self._unjudged(card, found) for card in self.metrics))
        values = {GROUND.name: float(found.passed), SHARE.name: found.share, KEPT.name: float(found.passed)}
        scores = [
            scored(card, values[card.name])
            if card is not KEPT or regression
            else not_applicable(card.name, "the case is not on the list of regressions")
            for card in self.metrics
        ]
        details = {**found.details, "regressed": True} if regression and not found.passed else found.details
        return Verdict(tuple(scores), {GROUND.name: details})

    @staticmethod
    def _unjudged(card: MetricCard, found: Unjudged) -> Score:
        return failed(card.name, found.failure) if found.failure else not_applicable(card.name, found.reason)


@evaluators.register("ground", version="2")
def ground(
    *,
    time_limit_s: Annotated[
        int, Is("processor seconds of a program or of tests; three times as long by the clock", minimum=1)
    ] = 20,
    memory_mb: Annotated[int, Is("address space of each process, in MiB", minimum=64)] = 512,
    regressions: Annotated[bool, Is("whether cases that passed before are also measured by themselves")] = False,
) -> Ground:
    """Measure whether what an agent left, or an answer says, is what the case's ground truth asks for.

    Words: all that should stand in the named files together do, and none that should not; without files it is the
    answer's words. Programs are run in the sandbox with the challenge's own files beside them, must end without an
    error, and what they print is held against the words. Tests are the challenge's own, and all must pass. An agent
    that used up its time has not passed. A file that is absent makes the case fail.

    Scale: ground {0, 1}, ground_share [0, 1], ground_kept {0, 1}; higher is better. Failed: there is no sandbox or no
    test runner here, or the challenge comes without the tests that decide.
    Not applicable: the case has no ground truth of this kind, or names no files and the recipe makes no answers.
    Source: agbenchmark's ground truth (Auto-GPT-Benchmarks, 2023), with all-of and none-of as its documentation says.
    """
    # A loop ends by processor time, which does not depend on what else the machine does; a sleep ends by the clock.
    limits = Limits(wall_s=3.0 * time_limit_s, cpu_s=time_limit_s, memory_bytes=memory_mb << 20)
    return Ground(limits, regressions)

"""Whether generated code passes the tests of its case."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.code_answer import CodeTests, case_tests, code_of, program_of
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, failed, scored
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.sandbox import Limits, RunEnd, SandboxRefusedError, run_python

CARD = MetricCard(
    "code_passes",
    "",
    "",
    binary=True,
    needs_answer=True,
    source="the answer's Python and the case's tests run to their end in a sandbox",
)


class CodePasses:
    """Runs each answer with its tests, a few at a time."""

    metrics = (CARD,)

    def __init__(self, limits: Limits) -> None:
        """Run programs within limits."""
        self._limits = limits

    def not_applicable(self, case: Case) -> str:
        """Return a reason when the case has no tests."""
        return "" if case_tests(case) else "the case has no tests: neither metadata.tests nor metadata.test_code"

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Score 1 where answer and tests run to their end."""
        with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="code-passes") as threads:
            return list(threads.map(self._judge, cases))

    def _judge(self, each: AnsweredCase) -> Verdict:
        tests = case_tests(each.case)
        code = code_of(each.answer.text or "")
        if tests is None or not code.strip():
            return Verdict((failed(CARD.name, Failure(FailureKind.PARSE, "there is no code in the answer")),))
        return self._run(code, tests)

    def _run(self, code: str, tests: CodeTests) -> Verdict:
        try:
            run = run_python(program_of(code, tests), self._limits)
        except SandboxRefusedError as error:
            return Verdict((failed(CARD.name, Failure(FailureKind.INFRASTRUCTURE, str(error))),))
        shown = {"end": run.end.value, "reason": run.reason}
        return Verdict((scored(CARD, float(run.end is RunEnd.FINISHED)),), {CARD.name: shown})


@evaluators.register("code_passes")
def code_passes(
    *,
    time_limit_s: Annotated[
        int, Is("processor seconds for an answer with its tests; three times as long by the clock", minimum=1)
    ] = 10,
    memory_mb: Annotated[int, Is("address space of each process, in MiB", minimum=64)] = 512,
) -> CodePasses:
    """Measure whether the answer's Python code passes all tests of its case.

    Scale: {0, 1}, higher is better; with several samples a case, pass@k is made of it. Code that raises, hangs, takes
    too much or leaves before its tests have ended scores 0; the details say which. Failed: there is no code in the
    answer, or the sandbox cannot be had on the machine.
    Not applicable: the case has no tests, or the recipe makes no answers.
    Source: Chen et al. 2021, "HumanEval", arXiv:2107.03374; Austin et al. 2021, "MBPP", arXiv:2108.07732.
    """
    # A loop ends by processor time, which does not depend on what else the machine does; a sleep ends by the clock.
    limits = Limits(wall_s=3.0 * time_limit_s, cpu_s=time_limit_s, memory_bytes=memory_mb << 20)
    return CodePasses(limits)

"""Generated code against the tests of its case."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.domain.answer import FailureKind
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.score import CaseScores, Outcome
from bakeoff.scoring.code_answer import case_tests, code_of, defines, program_of
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.sandbox import SandboxRefusedError, run_python
from tests.builders import a_case, an_answer

HUMAN_EVAL = {
    "entry_point": "add",
    "test_code": "def check(candidate):\n    assert candidate(1, 2) == 3\n    assert candidate(-1, 1) == 0\n",
}
PROMPT = 'from typing import List\n\n\ndef add(a: int, b: int) -> int:\n    """Return the sum."""\n'
MBPP = {"tests": ["assert double(2) == 4", "assert double(math.pi) > 6"], "test_setup_code": "import math"}


@pytest.fixture
def _sandboxed() -> None:
    try:
        run_python((("probe", "pass"),))
    except SandboxRefusedError as refusal:
        pytest.skip(str(refusal))


def judged(answer: str, metadata: dict[str, object], question: str = PROMPT) -> CaseScores:
    planned = make_methods(evaluators.load(), [ComponentSpec.parse("code_passes()")])
    case = replace(a_case(question=question), metadata=metadata)
    (scored,) = score_batch(planned, [case], [an_answer(text=answer)], ScoringContext())
    return scored


def value(answer: str, metadata: dict[str, object], question: str = PROMPT) -> float | None:
    return judged(answer, metadata, question).scores[0].value


@pytest.mark.usefixtures("_sandboxed")
def test_row_d12_a_continuation_keeps_its_leading_indentation() -> None:
    assert value("    return a + b\n", HUMAN_EVAL) == 1.0
    assert value("    return a - b\n", HUMAN_EVAL) == 0.0


@pytest.mark.usefixtures("_sandboxed")
def test_a_whole_function_stands_by_itself_with_the_prompts_imports() -> None:
    assert value("def add(a, b):\n    xs: List[int] = [a, b]\n    return sum(xs)\n", HUMAN_EVAL) == 1.0


@pytest.mark.usefixtures("_sandboxed")
def test_code_is_taken_out_of_its_fence_and_prose() -> None:
    answer = "Here it is:\n\n```python\ndef double(x):\n    return 2 * x\n```\nIt doubles."
    assert value(answer, MBPP, "Write double.") == 1.0


@pytest.mark.usefixtures("_sandboxed")
@pytest.mark.parametrize(
    ("answer", "end"),
    [
        ("def double(x): return x", "error"),
        ("exit(0)", "left_early"),
        ("print('all tests passed')\nraise SystemExit(0)", "left_early"),
        ("def double(x):\n  while True: pass", "timed_out"),
        ("double = lambda x: bytearray(1 << 40)", "out_of_memory"),
        ("def double(x:", "error"),
        ("This is no code at all.", "error"),
    ],
)
def test_what_does_not_pass_scores_zero_and_says_why(answer: str, end: str) -> None:
    planned = make_methods(evaluators.load(), [ComponentSpec.parse("code_passes(time_limit_s=1)")])
    case = replace(a_case(question="Write double."), metadata=MBPP)
    (scored,) = score_batch(planned, [case], [an_answer(text=answer)], ScoringContext())
    assert scored.scores[0].value == 0.0
    assert scored.details["code_passes"]["end"] == end  # type: ignore[index]


def test_no_code_is_a_parse_failure_and_no_tests_are_not_applicable() -> None:
    (score,) = judged("```python\n\n```", MBPP).scores
    assert score.failure is not None
    assert score.failure.kind is FailureKind.PARSE
    assert judged("x", {}).scores[0].outcome is Outcome.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("    return 1\n", "    return 1\n"),
        ("```py\n  x\n```", "  x\n"),
        ("```\na\n```\ntext\n```python\nb\n```\n```\noutput\n```", "b\n"),
        ("~~~\na\n~~~", "a\n"),
        ("```python\nunclosed", "unclosed"),
    ],
)
def test_the_last_fenced_python_is_the_code(answer: str, code: str) -> None:
    assert code_of(answer) == code


def test_the_query_is_the_prefix_only_when_it_defines_what_is_tested() -> None:
    tests = case_tests(replace(a_case(question="Write add."), metadata=HUMAN_EVAL))
    assert tests is not None
    assert tests.prefix == ""
    tests = case_tests(replace(a_case(question=PROMPT), metadata=HUMAN_EVAL))
    assert tests is not None
    assert tests.prefix == PROMPT
    assert program_of("    return 1\n", tests)[0] == ("answer", PROMPT + "    return 1\n")
    assert program_of("def add(a, b): return 1\n", tests)[0][1] == PROMPT + "\ndef add(a, b): return 1\n"


def test_a_name_is_defined_by_a_function_a_class_an_import_or_a_value() -> None:
    for source in ("def f(): pass", "class f: pass", "from m import f", "f = 1", "async def f(): pass"):
        assert defines(source, "f")
    assert not defines("g = f", "f")
    assert not defines("def f(", "f")

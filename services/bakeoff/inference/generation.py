"""One answer, whatever the generator does: an answer, or the reason why there is none."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bakeoff.contract.stored import encode
from bakeoff.domain.answer import Failure, FailureKind, Passage
from bakeoff.domain.errors import (
    CancelledItemError,
    InvalidInputError,
    OutOfReachError,
    UnavailableError,
)
from bakeoff.domain.failing import failure_of, one_line
from bakeoff.inference.generator import Generated, Generator

RETRY_AFTER_S = (0.5, 2.0, 8.0)
"""Waits before a model that does not answer is asked again: outlives a rate limit of seconds, not an outage."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a generator came to."""

    result: Generated | Failure
    generate_ms: float
    """With the waits."""


def generate(
    generator: Generator,
    question: str,
    passages: Sequence[Passage],
    *,
    seed: int,
    case_id: str,
    sleep: Callable[[float], None] = time.sleep,
) -> Outcome:
    """Ask a generator, again when what it needs does not answer, and make whatever it raises a failure.

    Args:
        generator: Who is asked.
        question: What is asked.
        passages: What may be used.
        seed: With the case id, the source of everything random.
        case_id: Id of the case.
        sleep: Waits so many seconds.

    Raises:
        OutOfReachError: a part of the platform does not answer; no matter of the case.
        CancelledItemError: the evaluation was cancelled.
    """
    began = time.perf_counter()
    result = _result(generator, question, passages, seed, case_id, sleep)
    return Outcome(result, (time.perf_counter() - began) * 1000)


def _result(
    generator: Generator,
    question: str,
    passages: Sequence[Passage],
    seed: int,
    case_id: str,
    sleep: Callable[[float], None],
) -> Generated | Failure:
    for wait_s in (*RETRY_AFTER_S, None):
        try:
            return _checked(generator.generate(question, passages, seed=seed, case_id=case_id))
        except (OutOfReachError, CancelledItemError):
            raise
        except UnavailableError as error:
            if wait_s is None:
                return failure_of(error, FailureKind.MODEL)
            sleep(wait_s)
        except (Exception, SystemExit) as error:  # whatever it raises fails this case, and no other
            return failure_of(error, FailureKind.MODEL)
    raise AssertionError("the last attempt returns")


def _checked(generated: Generated) -> Generated | Failure:
    """Return the answer if it can be stored: one that cannot would take its whole batch with it."""
    try:
        if not isinstance(generated.text, str):
            raise TypeError(f"the text is a {type(generated.text).__name__}")
        generated.text.encode()
        encode(generated.metadata)
    except (AttributeError, TypeError, ValueError, RecursionError, InvalidInputError) as error:
        return Failure(FailureKind.PARSE, one_line(f"the generator's answer cannot be stored: {error}"))
    return generated

"""One answer, whatever the generator does: an answer, or the reason why there is none."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bakeoff.contract.stored import encode
from bakeoff.domain.answer import Failure, FailureKind, Passage
from bakeoff.domain.errors import (
    BakeoffError,
    CancelledItemError,
    InvalidInputError,
    NotFoundError,
    OutOfReachError,
    UnavailableError,
)
from bakeoff.inference.generator import Generated, Generator

RETRY_AFTER_S = (0.5, 2.0, 8.0)
"""Waits before a model that does not answer is asked again: outlives a rate limit of seconds, not an outage."""
LONGEST_REASON = 500


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
        return Failure(FailureKind.PARSE, _words(f"the generator's answer cannot be stored: {error}"))
    return generated


def failure_of(error: BaseException, otherwise: FailureKind) -> Failure:
    """Return the failure that an error is told as.

    Args:
        error: What was raised.
        otherwise: Who is to blame when the error's class does not say that it is the input.
    """
    kind = FailureKind.INPUT if isinstance(error, InvalidInputError | NotFoundError) else otherwise
    told = str(error) if isinstance(error, BakeoffError) else f"{type(error).__name__}: {error}"
    return Failure(kind, _words(told))


def _words(text: str) -> str:
    """Return a text as one line of bounded length that can be stored."""
    line = " ".join(text.encode(errors="replace").decode().split())
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"

"""The child process of `workers`: reads calls from standard input, answers on standard output, ends with its parent."""

from __future__ import annotations

import os
import pickle
import sys
from typing import Any

from bakeoff.knowledge.registries import load
from bakeoff.knowledge.workers import receive, send


def main() -> None:
    """Answer calls until the parent closes the pipe."""
    # What plug-ins and their libraries print must not mix with the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    load(tuple(sys.argv[1:]))
    while True:
        try:
            function, arguments = receive(sys.stdin.buffer)
        except EOFError:
            return
        answer: tuple[Any, Exception | None]
        try:
            answer = (function(*arguments), None)
        except Exception as error:
            answer = (None, _portable(error))
        send(answers, answer)


def _portable(error: Exception) -> Exception:
    """Return an error that can be sent; one that cannot is told in words."""
    try:
        pickle.loads(pickle.dumps(error))  # made a line before
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    main()

"""Run an evaluation file on a platform, print its means, and show what one answer rests on.

Against a platform that runs:

    pip install bakeoff
    BAKEOFF_SERVER=host:7601 python client_run.py evaluation.yaml
"""

from __future__ import annotations

import sys

from bakeoff import Client
from bakeoff.domain.errors import InvalidInputError


def main(file: str) -> int:
    """Run the file; return the exit code."""
    with Client.from_environment() as bakeoff:
        try:
            name = bakeoff.run(file, show=lambda status: print(status.state.value, file=sys.stderr))
        except InvalidInputError as error:
            for fault in error.violations:
                print(fault, file=sys.stderr)  # file:line: field: what is wrong
            return 2
        report = bakeoff.report(name)
        for entrant in report.entrants:
            means = {metric.metric: metric.mean for metric in entrant.metrics}
            print(entrant.entrant, *(f"{metric}={mean:.3f}" for metric, mean in means.items() if mean is not None))

        # The first case that an entrant did not get right, down to the bytes of the document it looked at.
        missed = next((score for score in bakeoff.scores(name) if score.value == 0), None)
        if missed:
            (answer,) = bakeoff.trace_case(name, missed.case_id, entrant=missed.entrant, passages=1)
            print(f"{missed.entrant} missed {missed.case_id}: {answer.query}")
            for passage in answer.answer.passages:
                original = b"".join(bakeoff.original(passage.raw_key))
                print(f"  it found {passage.document_id}, {len(original)} bytes at {passage.raw_key}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

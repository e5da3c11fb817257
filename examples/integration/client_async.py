"""Two evaluations at once with asyncio, made in Python rather than in files, and compared.

Against a platform that runs, with paths of its machine:

    BAKEOFF_SERVER=host:7601 python client_async.py DOCUMENTS QUESTIONS
"""

from __future__ import annotations

import asyncio
import sys

from bakeoff import AsyncClient


def evaluation(documents: str, questions: str, chunker: str) -> dict[str, object]:
    """Return an evaluation in the shape of an evaluation file."""
    return {
        "name": f"Cut by {chunker}",
        "benchmarks": [{"folder": {"path": documents, "questions": questions}, "limit": 20}],
        "recipes": [
            {"name": "words", "build": {"chunker": chunker, "indexes": ["bm25"]}, "query": ["full_text_search"]}
        ],
    }


async def main(documents: str, questions: str) -> None:
    """Run both and print what differs."""
    async with AsyncClient.from_environment() as bakeoff:
        whole, sentences = await asyncio.gather(
            bakeoff.run(evaluation(documents, questions, "none")),
            bakeoff.run(evaluation(documents, questions, "sentences(max_tokens=120)")),
        )
        compared = await bakeoff.compare(sentences, whole)
        for each in compared.differences:
            if each.mean is not None and each.baseline_mean is not None:
                print(f"{each.metric}: {each.mean:.3f}, {each.mean - each.baseline_mean:+.3f} by sentences")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

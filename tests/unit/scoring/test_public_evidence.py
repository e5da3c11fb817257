"""Evidence measures against published figures over real questions."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

from bakeoff.domain.benchmark import Case
from bakeoff.domain.component import ComponentSpec
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from tests.builders import a_case, a_passage, an_answer

pytestmark = pytest.mark.data
FAST_GRAPHRAG = {
    ("vdb", 51): 0.49,
    ("graph", 51): 0.96,
    ("lightrag", 51): 0.47,
    ("nano", 51): 0.75,
    ("vdb", 101): 0.42,
    ("graph", 101): 0.93,
    ("lightrag", 101): 0.45,
    ("nano", 101): 0.73,
}
"""Share of 2WikiMultihopQA questions of which all evidence was retrieved, as its authors print it."""


def complete_share(cases: Sequence[Case], found: Sequence[Sequence[str]], k: int) -> float:
    """Return the share of cases whose evidence is all among the first k documents."""
    planned = make_methods(evaluators.load(), [ComponentSpec("evidence_complete", {"k": k})])
    answers = [
        an_answer(
            case.case_id, found=[a_passage(name, rank=rank, chunk=rank) for rank, name in enumerate(names, start=1)]
        )
        for case, names in zip(cases, found, strict=True)
    ]
    scores = [scored.scores[0].value or 0.0 for scored in score_batch(planned, cases, answers, ScoringContext())]
    return sum(scores) / len(scores)


@pytest.mark.parametrize(("system", "questions"), FAST_GRAPHRAG)
def test_fast_graphrags_shares_of_perfect_retrievals_come_out(data_dir: Path, system: str, questions: int) -> None:
    folder = data_dir / "fast-graphrag-2wiki/benchmarks/results" / system
    if not folder.is_dir():
        pytest.skip(f"no published retrievals at {folder}")
    (file,) = folder.glob(f"2wikimultihopqa_{questions}*.json")
    rows = json.loads(file.read_text(encoding="utf-8"))
    cases = [a_case(f"q{number}", relevant=sorted(set(row["ground_truth"]))) for number, row in enumerate(rows)]
    found = [list(dict.fromkeys(row["evidence"])) for row in rows]
    share = complete_share(cases, found, max(1, *(len(names) for names in found)))
    assert share == pytest.approx(FAST_GRAPHRAG[(system, questions)], abs=0.005)


def test_bm25_retrieves_all_evidence_of_as_many_questions_as_a_plain_script(data_dir: Path) -> None:
    import bm25s
    import Stemmer

    folder = data_dir / "2wiki-101"
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    judged: dict[str, list[str]] = defaultdict(list)
    with (folder / "qrels/test.tsv").open(encoding="utf-8") as file:
        for query, document, grade in list(csv.reader(file, delimiter="\t"))[1:]:
            if int(grade) > 0:
                judged[query].append(document)
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    stemmer = Stemmer.Stemmer("english")
    texts = [f"{row['title']} {row['text']}" for row in rows]
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
    tokens = bm25s.tokenize([row["text"] for row in queries], stopwords="en", stemmer=stemmer, show_progress=False)
    places, _ = index.retrieve(tokens, k=8, show_progress=False)
    cases = [a_case(row["_id"], relevant=judged[row["_id"]]) for row in queries]
    found = [[rows[place]["_id"] for place in row] for row in places]
    # All evidence in the first 8: .337 by a plain script with the same weights.
    assert complete_share(cases, found, 8) == pytest.approx(0.337, abs=0.0051)

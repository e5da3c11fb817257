"""The exported runs and judgements give exactly the report's numbers when pytrec_eval reads them."""

from __future__ import annotations

import csv
import io
import json
import random
import zipfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import pytrec_eval

from bakeoff.domain.answer import CaseAnswer, Span
from bakeoff.domain.benchmark import Case, Evidence
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.score import Outcome
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.gather import gather
from bakeoff.reporting.material import Finished
from bakeoff.reporting.renderers.trec_files import TrecRenderer
from bakeoff.reporting.trec import trec_id
from bakeoff.scoring.scored_run import score_run
from bakeoff.scoring.trec_files import Notes, read_run, read_trec_qrels
from tests.builders import a_case, a_passage, a_recipe, a_request, an_answer
from tests.builders.evaluated import Evaluated, evaluate

MEASURES = {
    "ndcg(k=10)": "ndcg_cut_10",
    "ndcg(k=null)": "ndcg",
    "average_precision(k=null)": "map",
    "average_precision(k=100)": "map_cut_100",
    "recall(k=100)": "recall_100",
    "precision(k=10)": "P_10",
    "reciprocal_rank(k=null)": "recip_rank",
    "hit(k=10)": "success_10",
    "recall(k=null)": "set_recall",
    "precision(k=null)": "set_P",
    "r_precision": "Rprec",
    "bpref": "bpref",
}
PAGE_MEASURES = {
    "page_recall(k=10)": "recall_10",
    "page_recall(k=null)": "set_recall",
    "page_precision(k=5)": "P_5",
    "page_hit(k=10)": "success_10",
    "page_ndcg(k=10)": "ndcg_cut_10",
    "page_average_precision(k=null)": "map",
    "page_reciprocal_rank(k=null)": "recip_rank",
}
OTHERS = (
    "expected_reciprocal_rank(k=20)",
    "rank_biased_precision(p=0.8)",
    "judged(k=10)",
    "tie_averaged_reciprocal_rank",
    "reciprocal_rank(k=10)",
)
"""Measures of rankings of documents that trec_eval has not."""


def finished_of(found: Evaluated) -> Finished:
    material = gather(found.plan, found.context)
    return Finished(assemble(material), material)


def unzip(finished: Finished) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(TrecRenderer().render(finished).data)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def check(finished: Finished) -> int:
    """Compare every score and mean with pytrec_eval on the exported files; return how many scores there were."""
    files = unzip(finished)
    qrels = pytrec_eval.parse_qrel(io.StringIO(files["qrels/harbour.qrels"]))
    compared = 0
    (benchmark,) = finished.material.benchmarks
    for entrant, result in zip(benchmark.entrants, finished.report.entrants, strict=True):
        name = f"runs/harbour/{entrant.recipe.name}/{entrant.mode}.run"
        run = pytrec_eval.parse_run(io.StringIO(files[name]))
        found = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES.values())).evaluate(run)
        for place, card in enumerate(benchmark.metrics):
            measure = MEASURES[card.evaluator]
            reference = {query: found.get(query, {measure: 0.0})[measure] for query in qrels}
            for planned, outcome in zip(benchmark.cases, entrant.outcomes, strict=True):
                score = outcome.scores[place]
                if score.outcome is Outcome.NOT_APPLICABLE:
                    assert planned.query_id not in qrels
                    continue
                assert (score.value or 0.0) == pytest.approx(reference[planned.query_id], abs=1e-9)
                compared += 1
            mean = result.metrics[place].mean
            assert mean == pytest.approx(sum(reference.values()) / len(reference), abs=1e-9)
    return compared


def test_random_rankings_with_ties_strange_ids_and_failures_are_reproduced() -> None:
    chance = random.Random(11)
    documents = [f"doc {number}" if number % 3 else f"é#{number}\u2003!" for number in range(60)]
    cases = []
    for number in range(40):
        judged = {name: chance.choice([0, 1, 1, 2]) for name in chance.sample(documents, 4)}
        cases.append(a_case(f"case {number}", relevant={} if number == 5 else judged))

    def says(entrant: str, case: Case) -> CaseAnswer:
        if chance.random() < 0.1:
            return an_answer(case.case_id, found=[])
        hits = sorted((chance.choice([1.0, 0.5, chance.random()]) for _ in range(30)), reverse=True)
        return an_answer(
            case.case_id,
            found=[
                a_passage(chance.choice(documents), rank=rank, score=score, chunk=rank)
                for rank, score in enumerate(hits, start=1)
            ],
        )

    request = a_request(recipes=[a_recipe("one"), a_recipe("two")], batch_cases=7)
    finished = finished_of(evaluate(request, cases, says, methods=list(MEASURES), exclude_self=True))
    assert check(finished) == 39 * 2 * len(MEASURES)


def paged_evaluation() -> Finished:
    chance = random.Random(5)
    cases = [
        a_case(
            f"case {number}",
            evidence=[
                Evidence(
                    locator={"document_id": f"report {chance.randrange(3)}", "page_index": chance.randrange(12)},
                    relevance=chance.choice([0, 1, 2]),
                )
                for _ in range(4)
            ],
        )
        for number in range(25)
    ]

    def says(entrant: str, case: Case) -> CaseAnswer:
        found = []
        for rank in range(1, chance.randrange(1, 30)):
            first = chance.randrange(12)
            hit = a_passage(
                f"report {chance.randrange(3)}", rank=rank, score=chance.choice([1.0, 1 / rank]), chunk=rank
            )
            found.append(replace(hit, pages=Span(first, first + chance.choice([1, 1, 2]))))
        return an_answer(case.case_id, found=found)

    request = a_request(recipes=[a_recipe("one"), a_recipe("two")], batch_cases=7)
    return finished_of(evaluate(request, cases, says, methods=[*MEASURES, *OTHERS, *PAGE_MEASURES]))


def test_rankings_of_pages_are_reproduced_from_their_own_run() -> None:
    finished = paged_evaluation()
    files = unzip(finished)
    qrels = pytrec_eval.parse_qrel(io.StringIO(files["qrels/harbour.pages.qrels"]))
    (benchmark,) = finished.material.benchmarks
    places = {card.evaluator: place for place, card in enumerate(benchmark.metrics)}
    for entrant in benchmark.entrants:
        run = pytrec_eval.parse_run(
            io.StringIO(files[f"runs/harbour/{entrant.recipe.name}/full_text_search.pages.run"])
        )
        found = pytrec_eval.RelevanceEvaluator(qrels, set(PAGE_MEASURES.values())).evaluate(run)
        for method, measure in PAGE_MEASURES.items():
            for planned, outcome in zip(benchmark.cases, entrant.outcomes, strict=True):
                reference = found.get(planned.query_id, {}).get(measure, 0.0)
                assert outcome.scores[places[method]].value == pytest.approx(reference, abs=1e-9)


def test_what_is_exported_scores_the_same_when_it_is_read_back(tmp_path: Path) -> None:
    finished = paged_evaluation()
    for name, text in unzip(finished).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    compared = 0
    for entrant in finished.report.entrants:
        means = {each.metric: each.mean for each in entrant.metrics}
        for kind, methods in (
            ("", [*MEASURES, *OTHERS]),
            (".pages", [each.removeprefix("page_") for each in PAGE_MEASURES]),
        ):
            back = score_run(
                read_run(tmp_path / f"runs/harbour/{entrant.recipe}/{entrant.mode}{kind}.run", Notes()),
                read_trec_qrels(tmp_path / f"qrels/harbour{kind}.qrels", Notes()),
                [ComponentSpec.parse(method) for method in methods],
            )
            for metric, mean in back.means.items():
                assert mean == pytest.approx(means[f"page_{metric}" if kind else metric], abs=1e-9)
                compared += 1
    assert compared == 2 * (len(MEASURES) + len(OTHERS) + len(PAGE_MEASURES))


def test_there_are_no_files_of_pages_where_no_evidence_names_a_page() -> None:
    found = evaluate(a_request(recipes=[a_recipe("one")]), [a_case("q")], lambda e, c: an_answer("q"), methods=["ndcg"])
    assert not [name for name in unzip(finished_of(found)) if "pages" in name]


def test_ranks_are_those_of_trec_eval() -> None:
    found = evaluate(
        a_request(recipes=[a_recipe("one")]),
        [a_case("q")],
        lambda entrant, case: an_answer("q", found=[a_passage("a", score=0.5), a_passage("b", rank=2, score=0.5)]),
        methods=["ndcg"],
    )
    lines = unzip(finished_of(found))["runs/harbour/one/full_text_search.run"].splitlines()
    assert lines == ["q Q0 b 1 0.5 one/full_text_search", "q Q0 a 2 0.5 one/full_text_search"]


def test_ids_are_written_so_that_they_are_one_word_and_can_be_told_back() -> None:
    found = evaluate(
        a_request(recipes=[a_recipe("one")]),
        [a_case("a case", relevant=["Geneva Durben", "plain"])],
        lambda entrant, case: an_answer("a case", found=["x#1", "plain"]),
        methods=["ndcg"],
    )
    files = unzip(finished_of(found))
    assert json.loads(files["ids.json"]) == {"a!Dcase": "a case", "Geneva!DDurben": "Geneva Durben", "x!G1": "x#1"}
    assert "README.txt" in files


def test_written_ids_differ_and_keep_their_order() -> None:
    marks = [
        *map(chr, range(48)),
        *"\x84\x85\x86\x9f\xa0\xa1\u1fff\u2000\u2001\u200a\u200b\u2028\u2029\u2fff\u3000\u3001ab",
    ]
    chance = random.Random(1)
    ids = sorted({"".join(chance.choices(marks, k=chance.randint(1, 4))) for _ in range(20_000)})
    written = [trec_id(text) for text in ids]
    assert len(set(written)) == len(ids)
    assert written == sorted(written)
    assert all(len(text.split()) == 1 and "#" not in text for text in written)


@pytest.mark.data
def test_bm25_on_scifact_gives_the_published_numbers_and_pytrec_evals(data_dir: Path) -> None:
    cases = scifact_cases(data_dir / "scifact")
    rankings = bm25_rankings(data_dir / "scifact", [case.query for case in cases])
    by_id = {case.case_id: ranking for case, ranking in zip(cases, rankings, strict=True)}

    def says(entrant: str, case: Case) -> CaseAnswer:
        hits = by_id[case.case_id].items()
        return an_answer(
            case.case_id,
            found=[a_passage(name, rank=rank, score=score) for rank, (name, score) in enumerate(hits, start=1)],
        )

    found = evaluate(a_request(recipes=[a_recipe("bm25")]), cases, says, methods=list(MEASURES))
    finished = finished_of(found)
    assert check(finished) == 300 * len(MEASURES)
    means = {each.metric: each.mean for each in finished.report.entrants[0].metrics}
    # bm25s in MTEB: .68736 and .91267
    assert means["ndcg@10"] == pytest.approx(0.686, abs=0.01)
    assert means["recall@100"] == pytest.approx(0.913, abs=0.01)


def scifact_cases(folder: Path) -> list[Case]:
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8") as file:
        for query, document, grade in list(csv.reader(file, delimiter="\t"))[1:]:
            judged[query][document] = int(grade)
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        a_case(row["_id"], question=row["text"], relevant=judged[row["_id"]]) for row in queries if row["_id"] in judged
    ]


def bm25_rankings(folder: Path, queries: Sequence[str]) -> list[Mapping[str, float]]:
    import bm25s
    import Stemmer

    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    stemmer = Stemmer.Stemmer("english")
    texts = [f"{row['title']} {row['text']}" for row in rows]
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
    tokens = bm25s.tokenize(list(queries), stopwords="en", stemmer=stemmer, show_progress=False)
    places, scores = index.retrieve(tokens, k=100, show_progress=False)
    return [
        {rows[place]["_id"]: float(score) for place, score in zip(row, values, strict=True)}
        for row, values in zip(places, scores, strict=True)
    ]

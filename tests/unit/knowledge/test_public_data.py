"""Retrieval quality on public collections, through the pure core.

The numbers of the word index are those of a plain script: bm25s with English stop words and Snowball stemmer, scored by
pytrec_eval. A knowledge base leaves empty documents out and cuts at 100, which moves the fourth digit of two of them.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import bm25s
import numpy as np
import pytest
import pytrec_eval
from Stemmer import Stemmer

from bakeoff.domain.answer import Failure
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.media_types import RECORD
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.knowledge.build import build_knowledge_base
from bakeoff.knowledge.parsing import SourceDocument
from bakeoff.knowledge.search import open_knowledge_base

pytestmark = pytest.mark.data
parse = ComponentSpec.parse
MEASURES = ("ndcg_cut_10", "recall_100")


def quality(folder: Path, scratch: Path, part: BuildPart, *engines: str) -> list[tuple[float, float]]:
    """Mean nDCG@10 and recall@100 of each engine over the judged queries of a collection in BEIR's layout."""
    lines = (folder / "corpus.jsonl").read_bytes().splitlines()
    documents = [SourceDocument(json.loads(line)["_id"], line, RECORD) for line in lines]
    with (folder / "queries.jsonl").open(encoding="utf-8") as file:
        queries = {query["_id"]: query["text"] for query in map(json.loads, file)}
    judged: dict[str, dict[str, int]] = {}
    with (folder / "qrels" / "test.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            judged.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    build_knowledge_base(documents, part, scratch)
    opened = open_knowledge_base(scratch)
    asked = [query for query in queries if query in judged]
    measured = []
    for engine in engines:
        found = opened.search([queries[query] for query in asked], QueryMode("m", parse(engine), 100))
        run = {
            query: {} if isinstance(hits, Failure) else {passage.document_id: passage.score for passage in hits}
            for query, hits in zip(asked, found, strict=True)
        }
        scores = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10", "recall.100"}).evaluate(run)
        ndcg, recall = (sum(each[name] for each in scores.values()) / len(judged) for name in MEASURES)
        measured.append((ndcg, recall))
    return measured


@pytest.mark.parametrize(
    ("name", "ndcg", "recall"),
    [
        ("scifact", 0.6863, 0.9127),
        ("cranfield", 0.3877, 0.7379),
        ("vaswani", 0.4280, 0.5966),
        ("2wiki-101", 0.6951, 0.7525),
        ("limit-small", 0.9920, 1.0),
    ],
)
def test_the_word_index_reaches_the_numbers_of_a_plain_script(
    data_dir: Path, tmp_path: Path, name: str, ndcg: float, recall: float
) -> None:
    [found] = quality(data_dir / name, tmp_path / "kb", BuildPart(), "full_text_search")

    assert found == pytest.approx((ndcg, recall), abs=0.002)


def test_other_parameters_give_their_own_numbers(data_dir: Path, tmp_path: Path) -> None:
    part = BuildPart(indexes=(parse("bm25(k1=0.9, b=0.4)"),))

    [found] = quality(data_dir / "scifact", tmp_path / "kb", part, "full_text_search")

    assert found == pytest.approx((0.6762, 0.9127), abs=0.0005)


# A static model of the same kind and size as wordllama, potion-base-8M, reaches 0.5064 in MTEB.
@pytest.mark.parametrize(("embedder", "ndcg", "fused"), [("wordllama", 0.509, 0.620), ("hashing", 0.456, 0.570)])
def test_vectors_find_what_they_found_before(
    data_dir: Path, tmp_path: Path, embedder: str, ndcg: float, fused: float
) -> None:
    part = BuildPart(embedder=parse(embedder), indexes=(parse("bm25"), parse("dense")))

    vectors, both = quality(data_dir / "scifact", tmp_path / "kb", part, "vector_search", "hybrid_search")

    assert (vectors[0], both[0]) == pytest.approx((ndcg, fused), abs=0.005)


def test_scores_and_order_are_those_of_bm25s_on_a_real_collection(data_dir: Path, tmp_path: Path) -> None:
    folder = data_dir / "cranfield"
    lines = [json.loads(line) for line in (folder / "corpus.jsonl").read_bytes().splitlines()]
    texts = {line["_id"]: f"{line['title']} {line['text']}" if line.get("title") else line["text"] for line in lines}
    texts = {name: text for name, text in texts.items() if text.strip()}
    queries = [json.loads(line)["text"] for line in (folder / "queries.jsonl").read_bytes().splitlines()][:50]
    stemmer = Stemmer("english")
    library = bm25s.BM25(k1=1.5, b=0.75)
    library.index(bm25s.tokenize(list(texts.values()), stemmer=stemmer, show_progress=False), show_progress=False)
    build_knowledge_base([SourceDocument(name, text.encode()) for name, text in texts.items()], BuildPart(), tmp_path)

    found = open_knowledge_base(tmp_path).hits(queries, QueryMode("m", parse("full_text_search"), len(texts)))

    for query, hits in zip(queries, found, strict=True):
        assert not isinstance(hits, Failure)
        [terms] = bm25s.tokenize([query], stemmer=stemmer, return_ids=False, show_progress=False)
        expected = library.get_scores([term for term in terms if term in library.vocab_dict])
        assert hits.chunks.tolist() == np.argsort(-expected, kind="stable")[: len(hits.chunks)].tolist()
        assert hits.scores.astype(np.float32).tolist() == expected[hits.chunks].tolist()

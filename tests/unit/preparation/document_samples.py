"""A benchmark of two documents and two questions for each adapter that reads documents, in its publisher's layout."""

from __future__ import annotations

import bz2
import json
from pathlib import Path

from tests.unit.preparation.question_samples import lines

HIGH, LOW = "High water is at noon.", "Low water is at six."
MULTIHOP = [
    {
        "query": "When is high water?",
        "answer": "At noon",
        "question_type": "inference_query",
        "evidence_list": [{"fact": HIGH, "title": "High", "url": "https://tides.example/high", "source": "Tides"}],
    },
    {"query": "Who dives?", "answer": "Insufficient information.", "question_type": "null_query", "evidence_list": []},
]
ARTICLES = [
    {"title": title, "url": f"https://tides.example/{title.lower()}", "body": f"Tides. {text}", "source": "Tides"}
    for title, text in (("High", HIGH), ("Low", LOW))
]
HOTPOT = [
    {
        "_id": f"q{number}",
        "question": question,
        "answer": answer,
        "type": "bridge",
        "level": "easy",
        "supporting_facts": [[title, 1]],
        "context": [["High", ["Tides.", f" {HIGH}"]], ["Low", ["Tides.", f" {LOW}"]]],
    }
    for number, question, answer, title in ((1, "high?", "noon", "High"), (2, "low?", "six", "Low"))
]
TWO_WIKI = [
    {
        "_id": row["_id"],
        "type": "comparison",
        "question": row["question"],
        "answer": row["answer"],
        "context": [["High", ["Tides.", HIGH]], ["Low", ["Tides.", LOW]]],
        "supporting_facts": row["supporting_facts"],
        "evidences": [],
    }
    for row in HOTPOT
]
FINANCE = [
    {
        "financebench_id": f"financebench_id_{number}",
        "company": "3M",
        "doc_name": name,
        "question_type": "metrics-generated",
        "question_reasoning": None,
        "domain_question_num": None,
        "question": "How much?",
        "answer": "$1577.00",
        "justification": "There.",
        "evidence": [
            {"evidence_text": "1,577", "doc_name": name, "evidence_page_num": 59, "evidence_text_full_page": "1,577"}
        ],
    }
    for number, name in ((1, "3M_2018_10K"), (2, "3M_2022_10K"))
]
CRAG = [
    {
        "interaction_id": f"7bb29eb4-{number}",
        "query_time": "03/05/2024, 23:18:31 PT",
        "domain": "open",
        "question_type": "simple",
        "static_or_dynamic": "static",
        "query": "When is high water?",
        "answer": "noon",
        "alt_ans": ["12 o'clock"],
        "split": number,
        "popularity": "",
        "search_results": [
            {
                "page_name": "Tides",
                "page_url": "https://tides.example",
                "page_snippet": HIGH,
                "page_result": f"<html><body><p>{HIGH}</p></body></html>",
                "page_last_modified": "",
            }
        ],
    }
    for number in (0, 1)
]
FIN = "doc_name|q_uid|question|answer_1|answer_2\nADI_2009|ADI/2009/page_49.pdf-1|how much?|380|3.8\n"
SMART = f".I 1\n.T\nhigh\n.A\nGull, A.\n.W\n{HIGH}\n.I 2\n.T\nlow\n.W\n{LOW}\n"
TOPICS = "<top>\n<num> Number: {0}\n<title> Topic: {1}\n</top>\n"
SAMPLES: dict[str, dict[str, str]] = {
    "multihop_rag": {"MultiHopRAG.json": json.dumps(MULTIHOP), "corpus.json": json.dumps(ARTICLES)},
    "hotpotqa": {"hotpot_dev_distractor_v1.json": json.dumps(HOTPOT)},
    "two_wiki": {"dev.json": json.dumps(TWO_WIKI)},
    "financebench": {
        "data/financebench_open_source.jsonl": lines(*FINANCE),
        "pdfs/3M_2018_10K.pdf": "%PDF-1.4\n% 2018",
        "pdfs/3M_2022_10K.pdf": "%PDF-1.4\n% 2022",
    },
    "uda": {
        "dataset/qa/fin_qa.csv": FIN + "GS_2016|GS/2016/page_79.pdf-3|what share?|57%|0.57484\n",
        "dataset/src_doc_files/fin_docs/ADI_2009.pdf": "%PDF-1.4\n% ADI",
        "dataset/src_doc_files/fin_docs/GS_2016.pdf": "%PDF-1.4\n% GS",
    },
    "trec": {
        "cran.all.1400": SMART,
        "topics.txt": TOPICS.format(1, "high?") + TOPICS.format(7, "low?"),
        "qrels.txt": "1 1 2\n2 2 1\n",
    },
}
"""Files by their names, by adapter."""


def write_documents(folder: Path) -> dict[str, dict[str, str]]:
    """Write all samples, each into a folder of its own, and return the settings that read them."""
    for adapter, files in SAMPLES.items():
        for name, text in files.items():
            path = folder / adapter / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    (folder / "crag").mkdir()
    (folder / "crag" / "crag_task_1_and_2_dev_v4.jsonl.bz2").write_bytes(bz2.compress(lines(*CRAG).encode()))
    return {adapter: {"path": str(folder / adapter)} for adapter in (*SAMPLES, "crag")}

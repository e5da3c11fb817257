"""A benchmark of two questions for each adapter that needs no documents, in the layout of its publisher."""

from __future__ import annotations

import json
from pathlib import Path


def lines(*rows: object) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


ARTICLE = {
    "id": "high1.txt",
    "article": "Gulls nest on the quay. Terns nest on the spit.",
    "questions": ["Who nests on the quay?", "Who nests on the spit?"],
    "options": [["gulls", "terns"], ["gulls", "terns", "owls"]],
    "answers": ["A", "B"],
}
SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "Quay",
            "paragraphs": [
                {
                    "context": "The quay was built in 1901.",
                    "qas": [
                        {"id": "a", "question": "When?", "answers": [{"text": "1901"}, {"text": "in 1901"}]},
                        {"id": "b", "question": "By whom?", "is_impossible": True, "answers": []},
                    ],
                }
            ],
        }
    ],
}
CMRC = [
    {
        "context_id": "DEV_0",
        "context_text": "码头建于1901年，长49.5米。",
        "title": "码头",
        "qas": [
            {"query_id": "DEV_0_QUERY_0", "query_text": "何时？", "answers": ["1901年", "1901年"]},
            {"query_id": "DEV_0_QUERY_1", "query_text": "多长？", "answers": ["49.5米", 49.5]},
        ],
    }
]
HELLASWAG = {
    "ind": 24,
    "activity_label": "Roof shingle removal",
    "ctx_a": "A man is sitting on a roof.",
    "ctx_b": "he",
    "endings": ["is [substeps] using wrap.", "falls.", "sings.", "sleeps."],
    "label": 0,
    "split_type": "indomain",
}
CHALLENGE = {
    "name": "TestWriteFile",
    "category": ["interface"],
    "task": "Write 'Washington' into a .txt file.",
    "dependencies": [],
    "cutoff": 60,
    "ground": {"answer": "", "should_contain": ["Washington"], "files": [".txt"], "eval": {"type": "file"}},
    "info": {"difficulty": "interface", "description": "Tests if the agent can write a file.", "side_effects": []},
}
OLD_CHALLENGE = {
    "category": ["basic"],
    "task": "Read the file.",
    "dependencies": ["agbenchmark/tests/basic_abilities/write_file/write_file_test.py::TestWriteFile::test_write_file"],
    "ground": {"answer": "x", "should_contain": ["x"], "files": ["out.txt"]},
    "mock_func": "basic_read_file_mock",
    "info": {"difficulty": "basic", "description": "Reads quickly", "side_effects": [""]},
}
SAMPLES: dict[str, dict[str, str]] = {
    "race": {"RACE/test/high/1.txt": json.dumps(ARTICLE)},
    "arc": {
        "ARC-Challenge/ARC-Challenge-Test.jsonl": lines(
            {
                "id": "letters",
                "question": {"stem": "Which?", "choices": [{"text": t, "label": t.upper()} for t in "abc"]},
                "answerKey": "C",
            },
            {
                "id": "numbers",
                "question": {
                    "stem": "Which one?",
                    "choices": [{"text": t, "label": str(n)} for n, t in enumerate("vwxyz", start=1)],
                },
                "answerKey": "1",
            },
        )
    },
    "hellaswag": {"hellaswag_val.jsonl": lines(HELLASWAG, {**HELLASWAG, "ind": 25, "label": "3"})},
    "triviaqa": {
        "qa/unfiltered-web-dev.json": json.dumps(
            {
                "Data": [
                    {
                        "QuestionId": f"tc_{n}",
                        "Question": "Which bird?",
                        "Answer": {"Value": "Gull", "Aliases": ["Seagull", "Gull"], "NormalizedValue": "gull"},
                    }
                    for n in (1, 2)
                ]
            }
        )
    },
    "gsm8k": {
        "test.jsonl": lines(
            {"question": "How many?", "answer": "1,000 * 2 = 2,000.\n#### 2,000"},
            {"question": "How long?", "answer": "Half.\n#### 0.5"},
        ),
        "train.jsonl": lines({"question": "How far?", "answer": "#### 3"}),
    },
    "math": {
        f"MATH/test/algebra/{n}.json": json.dumps(
            {
                "problem": "Half of one?",
                "level": "Level 2",
                "type": "Algebra",
                "solution": r"First \boxed{1}, then $\boxed{\frac{1}{2}}$.",
            }
        )
        for n in (1, 2)
    },
    "mmlu": {
        "data/test/anatomy_test.csv": '"Which, of these?",a,b,c,d,B\nAnd?,a,b,c,d,D\n',
        "data/dev/anatomy_dev.csv": "".join(f"Shot {n}?,a,b,c,d,A\n" for n in range(5)),
    },
    "cmmlu": {
        "data/test/agronomy.csv": "\ufeff,Question,A,B,C,D,Answer\n0,问,一,二,三,四,B\n1,再问,一,二,三,四,A\n",
        "data/dev/agronomy.csv": ",Question,A,B,C,D,Answer\n0,例,一,二,三,四,C\n",
    },
    "squad": {"dev-v2.0.json": json.dumps(SQUAD)},
    "cmrc": {"data/cmrc2018_dev.json": json.dumps(CMRC, ensure_ascii=False)},
    "icl": {"sub/boolq.jsonl": lines(*({"query": f"q{n}?", "choices": ["no", "yes"], "gold": n} for n in (0, 1)))},
    "rows": {"test.csv": "question,target\nhigh?,6:10\nlow?,0.10\n"},
    "agent_challenges": {
        "challenges/abilities/read_file/data.json": json.dumps(OLD_CHALLENGE),
        "challenges/abilities/write_file/data.json": json.dumps(CHALLENGE),
    },
}
"""Files by their names, by adapter."""
MORE = {"icl": {"dataset": "boolq"}}


def write_samples(folder: Path) -> dict[str, dict[str, str]]:
    """Write all samples, each into a folder of its own, and return the settings that read them."""
    for adapter, files in SAMPLES.items():
        for name, text in files.items():
            path = folder / adapter / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return {adapter: {"path": str(folder / adapter), **MORE.get(adapter, {})} for adapter in SAMPLES}

"""The published schema is fresh, and says the same as the reader as far as a schema can."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bakeoff.cli.evaluation_file import read_evaluation, read_evaluation_file
from bakeoff.cli.json_schema import evaluation_schema, recipe_schema
from bakeoff.cli.local_components import local_cards
from bakeoff.cli.yaml_values import parse
from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.settings import Settings
from tests.builders.component import some_cards
from tests.conftest import ROOT

SCHEMAS = ROOT / "docs/schema"
MAKERS = {"evaluation": evaluation_schema, "recipe": recipe_schema}
EXAMPLES = [file for file in sorted(ROOT.glob("examples/**/*.yaml")) if file.name != "questions.yaml"]
"""Evaluation files, and in folders named recipes, recipe files."""
CARDS = some_cards()
HEAD = "name: a\nbenchmarks: [beir(path=x)]\nrecipes: [{name: r, query: full_text_search}]\n"


def data(text: str) -> Any:
    value, faults = parse(text, "e.yaml")
    assert value is not None
    assert not faults
    return value.plain()


def published(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text())


@pytest.mark.parametrize("name", MAKERS)
def test_a_published_schema_is_the_one_that_the_command_prints(name: str) -> None:
    # In a process of its own: other tests register components here.
    command = [sys.executable, "-m", "bakeoff", "schema", name]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    file = SCHEMAS / f"{name}.schema.json"
    assert file.read_text() == printed, f"run `bakeoff schema {name} > docs/schema/{name}.schema.json`"


@pytest.mark.parametrize("name", MAKERS)
def test_a_published_schema_is_a_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(published(name))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_every_example_fits_its_schema(file: Path) -> None:
    jsonschema.validate(data(file.read_text()), published("recipe" if file.parent.name == "recipes" else "evaluation"))


@pytest.mark.parametrize(
    "file",
    [file for file in EXAMPLES if file.parent.name != "recipes"],
    ids=lambda file: file.relative_to(ROOT).as_posix(),
)
def test_every_example_is_valid(file: Path) -> None:
    read_evaluation_file(file, local_cards(Settings()))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (HEAD, True),
        ("benchmarks: [beir(path=x)]\nrecipes: [{name: r, query: full_text_search}]\n", False),
        (HEAD + "options: {seed: 1, concurrency: null}\n", True),
        (HEAD + "options: {confidence: 1}\n", False),
        (HEAD + "options: {batch_cases: 0}\n", False),
        (HEAD + "option: {}\n", False),
        (HEAD.replace("name: a", "name: 3"), False),
        (HEAD.replace("name: a", "name: '  '"), False),
        (HEAD.replace("beir(path=x)", "{beir: {path: x}, limit: 3}"), True),
        (HEAD.replace("beir(path=x)", "{beir: {path: x}, limt: 3}"), False),
        (HEAD.replace("beir(path=x)", "{beir: {split: x}}"), False),
        (HEAD.replace("beir(path=x)", "{adapter: beir, path: x, evaluators: ndcg(k=3)}"), True),
        (HEAD.replace("beir(path=x)", "{adapter: bier, path: x}"), False),
        (HEAD.replace("beir(path=x)", "{beir: {path: x}, folder: {path: x, questions: y}}"), False),
        (HEAD.replace("beir(path=x)", "bier(path=x)"), False),
        (HEAD.replace("[beir(path=x)]", "[]"), False),
        (HEAD.replace("query: ", "build: {chunker: {tokens: {size: 5}}}, query: "), True),
        (HEAD.replace("query: ", "build: {chunker: {tokens: {size: 0}}}, query: "), False),
        (HEAD.replace("query: ", "build: {chunker: {tokens: {}, none: }}, query: "), False),
        (HEAD.replace("query: ", "build: {chunker: {none: }}, query: "), True),
        (HEAD.replace("query: ", "build: {index: bm25, indexes: bm25}, query: "), False),
        (HEAD.replace("query: ", "answer: {extractive: {}, passages: 2}, query: "), True),
        (HEAD.replace("query: ", "answer: {extractive: {}, passages: 0}, query: "), False),
        (HEAD.replace("query: ", "answer: null, query: "), True),
        (HEAD.replace("query: full_text_search", "query: [{engine: full_text_search, top_k: 5}]"), True),
        (HEAD.replace("query: full_text_search", "query: {full_text_search: {}, topk: 5}"), False),
        (HEAD.replace("query: full_text_search", "query: []"), False),
    ],
)
def test_the_schema_and_the_reader_agree(text: str, right: bool) -> None:
    schema = jsonschema.Draft202012Validator(evaluation_schema(CARDS))
    assert schema.is_valid(data(text)) is right
    try:
        read_evaluation(text, "e.yaml", CARDS)
        read = True
    except InvalidInputError:
        read = False
    assert read is right


def test_every_example_of_the_guide_that_is_whole_is_valid() -> None:
    guide = (ROOT / "docs/guide/evaluation-file.md").read_text()
    blocks = [block for block in re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL) if block.startswith("name:")]
    assert blocks
    for block in blocks:
        read_evaluation(block, "e.yaml", local_cards(Settings()))

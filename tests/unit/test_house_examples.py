"""Every example is a valid evaluation of three recipes, read the way the command reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.cli.evaluation_file import read_evaluation_file
from bakeoff.cli.local_components import local_cards
from bakeoff.runtime.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted([*(ROOT / "examples/beir").glob("*.yaml"), ROOT / "examples/quickstart/quickstart.yaml"])


@pytest.mark.parametrize("example", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_an_example_compares_words_with_vectors_and_both(example: Path) -> None:
    checked = read_evaluation_file(example, local_cards(Settings()))

    assert checked.missing == []
    assert [recipe.name for recipe in checked.request.recipes] == ["bm25", "dense", "hybrid"]
    assert [mode.name for recipe in checked.request.recipes for mode in recipe.query] == [
        "full_text_search",
        "vector_search",
        "hybrid_search",
    ]


@pytest.mark.parametrize("name", ["scifact", "nfcorpus", "fiqa", "arguana"])
def test_a_public_set_is_named_not_looked_for_beside_the_file(name: str) -> None:
    checked = read_evaluation_file(ROOT / f"examples/beir/{name}.yaml", local_cards(Settings()))

    assert [choice.adapter.settings["path"] for choice in checked.request.benchmarks] == [name]


def test_the_quick_start_finds_its_files_from_any_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    folder = ROOT / "examples/quickstart"

    checked = read_evaluation_file(folder / "quickstart.yaml", local_cards(Settings()))

    (choice,) = checked.request.benchmarks
    assert choice.adapter.settings["path"] == str(folder / "documents")
    assert choice.adapter.settings["questions"] == str(folder / "questions.yaml")

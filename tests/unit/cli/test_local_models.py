"""Models in files that evaluation files name."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.cli.evaluation_file import read_evaluation
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.model_files import find_model
from bakeoff.knowledge.registries import cards
from bakeoff.runtime.settings import Settings
from tests.builders.component import some_cards

FILE = """\
name: Models
benchmarks: [beir(path=scifact)]
recipes:
  - name: mine
    build: {embedder: {onnx: {directory: models/one}}, indexes: [dense]}
    query:
      - rerank: {first: vector_search, reranker: cross_encoder(directory=models/two)}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        (tmp_path / "models" / name).mkdir(parents=True)
        (tmp_path / "models" / name / "model.onnx").write_text(name)
        (tmp_path / "models" / name / "tokenizer.json").write_text("{}")
    return tmp_path


def known() -> list[object]:
    ours = cards(Settings())
    kinds = {card.kind for card in ours}
    return [*ours, *(card for card in some_cards() if card.kind not in kinds)]


def digest_of(folder: Path, name: str) -> str:
    return find_model("it", directory=str(folder / "models" / name), package="", file="model.onnx").digest


def test_paths_are_absolute_and_digests_filled_in_also_within_settings(folder: Path) -> None:
    checked = read_evaluation(FILE, str(folder / "e.yaml"), known())  # type: ignore[arg-type]
    recipe = checked.request.recipes[0]

    assert recipe.build.embedder is not None
    assert recipe.build.embedder.settings["directory"] == str(folder / "models/one")
    assert recipe.build.embedder.settings["sha256"] == digest_of(folder, "one")
    reranker = ComponentSpec.parse(str(recipe.query[0].engine.settings["reranker"]))
    assert reranker.settings["directory"] == str(folder / "models/two")
    assert reranker.settings["sha256"] == digest_of(folder, "two")


def test_a_model_that_is_not_there_is_a_fault_with_its_line(folder: Path) -> None:
    (folder / "models/two/model.onnx").unlink()

    with pytest.raises(InvalidInputError) as caught:
        read_evaluation(FILE, str(folder / "e.yaml"), known())  # type: ignore[arg-type]

    [fault] = [str(each) for each in caught.value.violations]
    assert "e.yaml:7" in fault
    assert "there is no model.onnx in" in fault
    assert "of a model that only the workers have, give the sha256" in fault


def test_a_digest_that_is_given_is_kept_for_a_model_that_only_the_workers_have(folder: Path) -> None:
    text = FILE.replace("models/one}", "/elsewhere/model, sha256: 12ab}")

    checked = read_evaluation(text, str(folder / "e.yaml"), known())  # type: ignore[arg-type]

    assert checked.request.recipes[0].build.embedder is not None
    assert checked.request.recipes[0].build.embedder.settings["sha256"] == "12ab"

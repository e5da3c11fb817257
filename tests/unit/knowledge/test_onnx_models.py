"""Embedders and rerankers in the ONNX format, on models whose numbers can be computed by hand."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.knowledge.build import build_knowledge_base
from bakeoff.knowledge.embedding import Embedder, query_vectors
from bakeoff.knowledge.embedding import normalise as scaled
from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.model_files import find_model, pinned
from bakeoff.knowledge.onnx_models import open_model
from bakeoff.knowledge.parsing import SourceDocument
from bakeoff.knowledge.parts import embedding_passages, resolved
from bakeoff.knowledge.registries import embedders, load, rerankers
from bakeoff.knowledge.reranking import reranked
from bakeoff.knowledge.search import open_knowledge_base
from tests.builders.onnx_model import VECTORS, WORDS, a_cross_encoder, an_embedding_model

load()
LIGHT = ("[CLS]", "the", "light", "[SEP]")


def embedder(folder: Path, **settings: object) -> Embedder:
    return embedders.make(ComponentSpec("onnx", {"directory": str(folder), **settings}))


def vector_of(*tokens: str, pooling: str = "mean") -> np.ndarray:
    rows = VECTORS[[WORDS.index(token) for token in tokens]].astype(np.float64)
    vector: np.ndarray = scaled((rows.mean(axis=0) if pooling == "mean" else rows[0])[None])[0]
    return vector


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_a_vector_is_that_of_the_tokens_scaled_to_length_one(tmp_path: Path, pooling: str, inputs: int) -> None:
    model = embedder(an_embedding_model(tmp_path, inputs=inputs), pooling=pooling)

    [vector] = model.embed(["The light"])

    assert model.dimension == 6
    assert vector == pytest.approx(vector_of(*LIGHT, pooling=pooling), abs=1e-6)


def test_a_model_may_pool_itself_and_then_must_be_said_to(tmp_path: Path) -> None:
    folder = an_embedding_model(tmp_path, pooled=True)

    assert embedder(folder, pooling="none").embed(["the light"])[0] == pytest.approx(vector_of(*LIGHT), abs=1e-6)
    with pytest.raises(InvalidInputError, match="one vector a text, which pooling=mean is not for"):
        embedder(folder).embed(["the light"])


def test_vectors_do_not_depend_on_neighbours_and_stay_in_order(tmp_path: Path) -> None:
    model = embedder(an_embedding_model(tmp_path))
    texts = ["the mole", "pier " * 400, "", "green", " \n", "tide nothing the light", "green"]

    together = model.embed(texts)

    assert together.tobytes() == np.concatenate([model.embed([text]) for text in texts]).tobytes()
    assert not together[2].any()
    assert not together[4].any()
    assert np.isfinite(together).all()


def test_queries_and_passages_have_their_own_prefixes(tmp_path: Path) -> None:
    model = embedder(an_embedding_model(tmp_path), query_prefix="tide ", passage_prefix="mole ")

    [passage], [query] = model.embed(["the light"]), query_vectors(model, ["the light"], 6)

    assert passage == pytest.approx(vector_of("[CLS]", "mole", "the", "light", "[SEP]"), abs=1e-6)
    assert query == pytest.approx(vector_of("[CLS]", "tide", "the", "light", "[SEP]"), abs=1e-6)


def test_a_long_text_is_cut_with_its_special_tokens_kept(tmp_path: Path) -> None:
    model = embedder(an_embedding_model(tmp_path), max_length=8)

    [vector] = model.embed(["green " * 6 + "mole " * 50])

    assert vector == pytest.approx(vector_of("[CLS]", *["green"] * 6, "[SEP]"), abs=1e-6)


def test_vectors_of_another_dimension_than_the_index_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="gives vectors of 6 numbers, but those of the index have 384"):
        query_vectors(embedder(an_embedding_model(tmp_path)), ["light"], 384)


def test_a_vector_that_is_no_number_names_its_text(tmp_path: Path) -> None:
    folder = an_embedding_model(tmp_path / "model", nan_for="tide")
    part = BuildPart(embedder=ComponentSpec("onnx", {"directory": str(folder)}), indexes=(ComponentSpec("dense"),))

    with pytest.raises(InvalidInputError, match="NaN or infinity for the text 'the tide'"):
        build_knowledge_base([SourceDocument("a", b"the tide")], part, tmp_path / "kb")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "either directory or package, not neither"),
        ({"directory": "/", "package": "numpy"}, "either directory or package, not both"),
        ({"directory": "/nowhere/at/all"}, "there is no folder '/nowhere/at/all'"),
        ({"package": "no_such_package_here/data"}, "the package 'no_such_package_here' is not installed"),
        ({"package": "numpy/../.."}, "leaves its package"),
        ({"package": "numpy/no_such_folder"}, "there is no folder"),
        ({"package": "numpy"}, "there is no model.onnx in"),
        ({"package": "numpy", "file": "../model.onnx"}, "file must be the name of a file within the folder"),
    ],
)
@pytest.mark.parametrize(("registry", "name"), [(embedders, "onnx"), (rerankers, "cross_encoder")])
def test_a_model_that_is_not_there_is_told_when_it_is_made(
    registry: object, name: str, settings: dict[str, object], told: str
) -> None:
    with pytest.raises(InvalidInputError, match=told):
        registry.make(ComponentSpec(name, settings))  # type: ignore[attr-defined]


def test_nothing_is_built_when_the_model_is_not_there(tmp_path: Path) -> None:
    part = BuildPart(embedder=ComponentSpec("onnx", {"directory": "/nowhere"}), indexes=(ComponentSpec("dense"),))

    with pytest.raises(InvalidInputError, match="/nowhere"):
        build_knowledge_base([SourceDocument("a", b"the tide")], part, tmp_path / "kb")

    assert list(tmp_path.iterdir()) == []


def test_a_missing_library_is_told_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = an_embedding_model(tmp_path)
    there = importlib.util.find_spec
    monkeypatch.setattr(
        "bakeoff.knowledge.onnx_models.find_spec", lambda name: None if name == "onnxruntime" else there(name)
    )

    with pytest.raises(InvalidInputError, match=r"needs the package onnxruntime.*pip install 'bakeoff\[onnx\]'"):
        embedder(folder)


def test_files_that_are_no_model_are_told(tmp_path: Path) -> None:
    folder = an_embedding_model(tmp_path)
    (folder / "model.onnx").write_bytes(b"no model")

    with pytest.raises(InvalidInputError, match="cannot be opened"):
        embedder(folder).embed(["light"])


def test_the_digest_of_the_model_is_filled_in_and_another_model_is_refused(tmp_path: Path) -> None:
    folder = an_embedding_model(tmp_path / "model")
    spec = ComponentSpec("onnx", {"directory": str(folder)})
    part = resolved(BuildPart(embedder=spec, indexes=(ComponentSpec("dense"),)))
    assert part.embedder is not None
    digest = find_model("it", directory=str(folder), package="", file="model.onnx").digest

    assert part.embedder.settings["sha256"] == digest
    assert pinned(part.embedder, embedders.card("onnx")) == part.embedder
    an_embedding_model(folder, nan_for="tide")
    with pytest.raises(InvalidInputError, match=f"has the sha256 [0-9a-f]{{64}}, not {digest}"):
        embedders.make(part.embedder)


def test_the_digest_is_the_same_wherever_the_files_are(tmp_path: Path) -> None:
    one = an_embedding_model(tmp_path / "one")
    other = shutil.copytree(one, tmp_path / "other")

    digests = {
        find_model("it", directory=str(place), package="", file=file).digest
        for place in (one, other)
        for file in ("model.onnx", None)
    }

    assert len(digests) == 1


def test_a_cross_encoder_puts_passages_in_its_own_order(tmp_path: Path) -> None:
    model = rerankers.make(ComponentSpec("cross_encoder", {"directory": str(a_cross_encoder(tmp_path))}))

    scores = model.scores("light", ["the mole", "green green", "green", ""])

    # [CLS] light [SEP] … [SEP] has four tokens beside the passage's.
    assert scores.tolist() == pytest.approx([-0.06, 2 - 0.06, 1 - 0.05, -0.04], abs=1e-6)
    assert model.scores("light", ["green"]).tolist() == scores[2:3].tolist()
    assert model.scores("light", []).shape == (0,)


def test_a_model_of_several_numbers_is_no_cross_encoder(tmp_path: Path) -> None:
    folder = a_cross_encoder(tmp_path, numbers=3)

    with pytest.raises(InvalidInputError, match="must give one"):
        rerankers.make(ComponentSpec("cross_encoder", {"directory": str(folder)})).scores("light", ["mole"])


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    texts = ["the light the light the light", "the pier", "the light is green", "green light green", "light"]
    documents = [SourceDocument(f"d{n}", text.encode()) for n, text in enumerate(texts)]
    build_knowledge_base(documents, BuildPart(), tmp_path / "kb")
    return tmp_path


def rerank(folder: Path, **settings: object) -> ComponentSpec:
    reranker = str(ComponentSpec("cross_encoder", {"directory": str(folder)}))
    return ComponentSpec("rerank", {"reranker": reranker, **settings})


def test_what_is_found_is_put_in_the_order_of_the_reranker(harbour: Path) -> None:
    mode = QueryMode("m", rerank(a_cross_encoder(harbour / "model")), top_k=3)

    [passages] = open_knowledge_base(harbour / "kb").search(["light"], mode)

    assert isinstance(passages, tuple)
    assert [passage.document_id for passage in passages] == ["d3", "d2", "d4"]
    assert [passage.rank for passage in passages] == [1, 2, 3]
    assert passages[0].score == pytest.approx(2 - 0.07, abs=1e-6)


def test_only_the_first_passages_are_read_unless_more_are_asked_for(harbour: Path) -> None:
    opened = open_knowledge_base(harbour / "kb")
    folder = a_cross_encoder(harbour / "model")
    [first] = opened.search(["light"], QueryMode("m", ComponentSpec("full_text_search"), top_k=2))

    [two] = opened.search(["light"], QueryMode("m", rerank(folder, depth=2), top_k=2))
    [three] = opened.search(["light"], QueryMode("m", rerank(folder, depth=2), top_k=3))

    assert isinstance(first, tuple)
    assert isinstance(two, tuple)
    assert isinstance(three, tuple)
    assert {passage.document_id for passage in two} == {passage.document_id for passage in first}
    assert len(three) == 3


def test_passages_that_the_reranker_finds_equal_stay_in_the_order_in_which_they_were_found() -> None:
    found = Hits(np.array([5, 3, 9, 1]), np.array([4.0, 3.0, 2.0, 1.0]))

    assert reranked(found, np.array([0.5, 0.5, 0.7, 0.5]), 3).chunks.tolist() == [9, 5, 3]
    with pytest.raises(InvalidInputError, match="3 scores for 4 passages"):
        reranked(found, np.zeros(3), 3)


def test_a_score_that_is_no_number_fails_its_question_alone(harbour: Path) -> None:
    mode = QueryMode("m", rerank(a_cross_encoder(harbour / "model", nan_for="tide")), top_k=3)

    bad, good = open_knowledge_base(harbour / "kb").search(["light tide", "light"], mode)

    assert "NaN or infinity" in str(bad)
    assert isinstance(good, tuple)


def test_an_engine_within_the_settings_needs_its_indexes_too(harbour: Path) -> None:
    mode = QueryMode("m", rerank(a_cross_encoder(harbour / "model"), first="hybrid_search"))

    with pytest.raises(InvalidInputError, match="no index 'dense'"):
        open_knowledge_base(harbour / "kb").search(["light"], mode)


def test_an_open_model_is_not_opened_again(tmp_path: Path) -> None:
    files = find_model("it", directory=str(an_embedding_model(tmp_path)), package="", file="model.onnx")

    assert open_model("it", files, "model.onnx", 16) is open_model("it", files, "model.onnx", 16)


def test_what_has_no_part_in_the_vectors_of_passages_does_not_embed_them_again(tmp_path: Path) -> None:
    folder = str(an_embedding_model(tmp_path))
    card = embedders.card("onnx")

    def kept(**settings: object) -> ComponentSpec:
        return embedding_passages(card.resolve(pinned(ComponentSpec("onnx", {"directory": folder, **settings}), card)))

    assert kept(query_prefix="q: ") == kept()
    assert kept(passage_prefix="p: ") != kept()
    assert kept(pooling="cls") != kept()
    assert kept().settings["sha256"]

"""Tiny models in the ONNX format: what they give can be computed by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "light", "green", "mole", "pier", "tide", "harbour", "nothing")
"""The vocabulary; the number of a token is its place."""
VECTORS = np.random.default_rng(7).standard_normal((len(WORDS), 6)).astype(np.float32)
"""Of each token."""


def an_embedding_model(folder: Path, *, nan_for: str = "", pooled: bool = False, inputs: int = 3) -> Path:
    """Write a model that gives each token the vector that VECTORS has for it.

    Args:
        folder: Made if it is not there.
        nan_for: A token whose vector is not a number.
        pooled: Whether the model takes the mean over the tokens itself.
        inputs: How many of the usual inputs it takes.
    """
    vectors = VECTORS.copy()
    if nan_for:
        vectors[WORDS.index(nan_for)] = np.nan
    nodes = [helper.make_node("Gather", ["vectors", "input_ids"], ["tokens" if pooled else "last_hidden_state"])]
    shape: list[str | int] = ["batch", "sequence", 6]
    if pooled:
        nodes.append(helper.make_node("ReduceMean", ["tokens", "axes"], ["last_hidden_state"], keepdims=0))
        shape = ["batch", 6]
    constants: dict[str, np.ndarray] = {"vectors": vectors, "axes": np.array([1], np.int64)}
    return _written(folder, nodes, constants, shape, inputs)


def a_cross_encoder(folder: Path, *, numbers: int = 1, nan_for: str = "") -> Path:
    """Write a model whose number for a pair is how many of its tokens are `green`, less a hundredth of their count.

    Args:
        folder: Made if it is not there.
        numbers: That it gives for a pair; more than one is none of a cross-encoder.
        nan_for: A token with which the number is none.
    """
    worth = np.full((len(WORDS), numbers), -0.01, np.float32)
    worth[WORDS.index("green")] += 1
    if nan_for:
        worth[WORDS.index(nan_for)] = np.nan
    nodes = [
        helper.make_node("Gather", ["worth", "input_ids"], ["tokens"]),
        helper.make_node("ReduceSum", ["tokens", "axes"], ["logits"], keepdims=0),
    ]
    return _written(folder, nodes, {"worth": worth, "axes": np.array([1], np.int64)}, ["batch", numbers], 3)


def _written(
    folder: Path, nodes: list[onnx.NodeProto], constants: dict[str, np.ndarray], shape: list[str | int], inputs: int
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    names = ("input_ids", "attention_mask", "token_type_ids")[:inputs]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"]) for name in names],
        [helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, folder / "model.onnx")
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer()))
    return folder


def _tokenizer() -> dict[str, object]:
    first, second = {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}

    def mark(token: str, kind: int) -> dict[str, object]:
        return {"SpecialToken": {"id": token, "type_id": kind}}

    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [mark("[CLS]", 0), first, mark("[SEP]", 0)],
            "pair": [mark("[CLS]", 0), first, mark("[SEP]", 0), second, mark("[SEP]", 1)],
            "special_tokens": {
                token: {"id": token, "ids": [WORDS.index(token)], "tokens": [token]} for token in ("[CLS]", "[SEP]")
            },
        },
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {word: number for number, word in enumerate(WORDS)},
        },
    }

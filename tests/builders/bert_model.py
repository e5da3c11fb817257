"""An encoder of the BERT family in the ONNX format, made of the weights that a package carries as safetensors."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

UNSEEN = -1e9
"""Added to the attention of a token that is padding."""


class Graph:
    """Nodes and weights, as they are added."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, array: np.ndarray) -> str:
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        output = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def linear(self, x: str, name: str) -> str:
        weight = self.constant(f"{name}.w", self.weights[f"{name}.weight"].T)
        return self.add("Add", self.add("MatMul", x, weight), self.constant(f"{name}.b", self.weights[f"{name}.bias"]))

    def norm(self, x: str, name: str, epsilon: float) -> str:
        scale = self.constant(f"{name}.g", self.weights[f"{name}.weight"])
        return self.add(
            "LayerNormalization", x, scale, self.constant(f"{name}.s", self.weights[f"{name}.bias"]), epsilon=epsilon
        )


def as_onnx(source: Path, folder: Path) -> Path:
    """Write the model of a folder in the layout of sentence-transformers, with its tokenizer.

    Source: Devlin et al. 2019, "BERT", arXiv:1810.04805; weights by the names of the library transformers.
    """
    config = json.loads((source / "config.json").read_text())
    heads, hidden, epsilon = config["num_attention_heads"], config["hidden_size"], config["layer_norm_eps"]
    graph = Graph(load_file(source / "model.safetensors"))
    x = _embedded(graph, epsilon)
    mask = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    mask = graph.add("Unsqueeze", mask, graph.constant("axes", np.array([1, 2], np.int64)))
    unseen = graph.add("Sub", graph.constant("seen", np.array(1, np.float32)), mask)
    mask = graph.add("Mul", unseen, graph.constant("unseen", np.array(UNSEEN, np.float32)))
    graph.constant("apart", np.array([0, 0, heads, hidden // heads], np.int64))
    graph.constant("together", np.array([0, 0, hidden], np.int64))
    graph.constant("root", np.array(np.sqrt(hidden // heads), np.float32))
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}."
        attended = graph.linear(_attention(graph, x, name, mask), name + "attention.output.dense")
        x = graph.norm(graph.add("Add", attended, x), name + "attention.output.LayerNorm", epsilon)
        wide = graph.add("Gelu", graph.linear(x, name + "intermediate.dense"))
        narrow = graph.linear(wide, name + "output.dense")
        x = graph.norm(graph.add("Add", narrow, x), name + "output.LayerNorm", epsilon)
    graph.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(_model(graph, hidden), folder / "model.onnx")
    shutil.copy(source / "tokenizer.json", folder)
    return folder


def _embedded(graph: Graph, epsilon: float) -> str:
    weights = {
        name: graph.constant(name, graph.weights[f"embeddings.{name}.weight"])
        for name in ("word_embeddings", "token_type_embeddings", "position_embeddings")
    }
    first = graph.constant("first", np.array([0], np.int64))
    length = graph.add("Gather", graph.add("Shape", "input_ids"), graph.constant("second", np.array([1], np.int64)))
    x = graph.add("Gather", weights["word_embeddings"], "input_ids")
    x = graph.add("Add", x, graph.add("Gather", weights["token_type_embeddings"], "token_type_ids"))
    x = graph.add("Add", x, graph.add("Slice", weights["position_embeddings"], first, length, first))
    return graph.norm(x, "embeddings.LayerNorm", epsilon)


def _attention(graph: Graph, x: str, name: str, mask: str) -> str:
    query, key, value = (
        graph.add(
            "Transpose", graph.add("Reshape", graph.linear(x, f"{name}attention.self.{what}"), "apart"), perm=order
        )
        for what, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3]))
    )
    scores = graph.add("Add", graph.add("Div", graph.add("MatMul", query, key), "root"), mask)
    seen = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), value)
    return graph.add("Reshape", graph.add("Transpose", seen, perm=[0, 2, 1, 3]), "together")


def _model(graph: Graph, hidden: int) -> onnx.ModelProto:
    names = ("input_ids", "attention_mask", "token_type_ids")
    built = helper.make_graph(
        graph.nodes,
        "bert",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"]) for name in names],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "sequence", hidden])],
        list(graph.constants.values()),
    )
    return helper.make_model(built, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)

"""A BERT-like transformer as an ONNX graph in fp32, with any number of texts and tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from constraintsuite.core.errors import UserError
from constraintsuite.models.onnx.architectures import ACTIVATIONS, Architecture
from constraintsuite.models.onnx.folder import TransformerConfig
from constraintsuite.models.onnx.pooling import Floats

OPSET = 20  # the first with Gelu; Runtime 1.17 and newer have it
_IR = 9
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
HIDDEN, LOGITS = "last_hidden_state", "logits"
_LEAST = float(np.finfo(np.float32).min)


def write_encoder(config: TransformerConfig, kind: Architecture, weights: Mapping[str, Floats]) -> onnx.ModelProto:
    """From tokens to the vectors of the last layer."""
    writer = _Transformer(config, kind, weights)
    return writer.model(writer.hidden(), HIDDEN, ["batch", "tokens", writer.width])


def write_classifier(config: TransformerConfig, kind: Architecture, weights: Mapping[str, Floats]) -> onnx.ModelProto:
    """From tokens to raw logits."""
    writer = _Transformer(config, kind, weights)
    labels = len(writer.tensor(f"{kind.head.last}.bias"))
    return writer.model(writer.logits(writer.hidden()), LOGITS, ["batch", labels])


class GraphWriter:
    """Building blocks of a graph: each call adds nodes and returns the name of their result."""

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        self.weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:  # noqa: ANN401 - as ONNX has it
        """One operation with one result."""
        output = f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output

    def constant(self, values: npt.ArrayLike, kind: type = np.int64) -> str:
        """A small constant; equal values are stored once."""
        array: npt.NDArray[np.generic] = np.asarray(values, dtype=kind)
        name = f"{array.dtype}_{array.shape}_{array.tobytes().hex()[:64]}"
        self._keep(name, array)
        return name

    def tensor(self, name: str) -> Floats:
        """A tensor of the model."""
        if name not in self.weights:
            raise UserError(f"The weights have no tensor {name!r}, which the model's config.json calls for.")
        return self.weights[name]

    def weight(self, name: str, *, transposed: bool = False) -> str:
        """A weight of the model; linear layers store theirs transposed."""
        kept = f"{name}.T" if transposed else name
        if kept not in self._constants:
            array = self.tensor(name)
            self._keep(kept, np.ascontiguousarray(array.T) if transposed else array)
        return kept

    def computed(self, name: str, array: Floats) -> str:
        """A large tensor that is computed from weights."""
        self._keep(name, array)
        return name

    def linear(self, value: str, layer: str) -> str:
        """A linear layer with bias."""
        product = self.node("MatMul", value, self.weight(f"{layer}.weight", transposed=True))
        return self.node("Add", product, self.weight(f"{layer}.bias"))

    def norm(self, value: str, layer: str, epsilon: float) -> str:
        """Layer normalisation over the last axis."""
        scale, shift = self.weight(f"{layer}.weight"), self.weight(f"{layer}.bias")
        return self.node("LayerNormalization", value, scale, shift, axis=-1, epsilon=epsilon)

    def lookup(self, table: str, places: str) -> str:
        """Rows of an embedding table."""
        return self.node("Gather", self.weight(table), places, axis=0)

    def reshape(self, value: str, shape: Sequence[int]) -> str:
        """Reshape a value; 0 keeps a dimension, -1 takes the rest."""
        return self.node("Reshape", value, self.constant(shape))

    def model(self, result: str, name: str, shape: Sequence[str | int]) -> onnx.ModelProto:
        """The complete model, with three inputs and one output."""
        self._nodes.append(helper.make_node("Identity", [result], [name], name=name))
        inputs = [helper.make_tensor_value_info(each, TensorProto.INT64, ["batch", "tokens"]) for each in _INPUTS]
        output = helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))
        graph = helper.make_graph(self._nodes, "transformer", inputs, [output], list(self._constants.values()))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=_IR)

    def _keep(self, name: str, array: npt.NDArray[np.generic]) -> None:
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(array, name)


class _Transformer(GraphWriter):
    def __init__(self, config: TransformerConfig, kind: Architecture, weights: Mapping[str, Floats]) -> None:
        super().__init__(weights)
        self.config, self.kind = config, kind
        table = "embeddings.word_embeddings.weight"
        self.prefix = kind.prefix if f"{kind.prefix}{table}" in weights else ""
        self.epsilon = kind.epsilon or config.norm_epsilon
        self.width = len(self.tensor(self._layer(0, "output.dense") + ".bias"))

    def hidden(self) -> str:
        """The vectors after the last layer."""
        mask = self._additive_mask()
        value = self._embeddings()
        for number in range(self.config.layers):
            value = self._block(value, mask, number)
        return value

    def logits(self, hidden: str) -> str:
        """The head, on the first token."""
        first = self.node("Gather", hidden, self.constant(0), axis=1)
        inner = self.linear(first, self.kind.head.first)
        return self.linear(self.node(self.kind.head.activation, inner), self.kind.head.last)

    def _embeddings(self) -> str:
        words = self.lookup(f"{self.prefix}embeddings.word_embeddings.weight", "input_ids")
        value = self.node("Add", words, self._positions())
        types = f"{self.prefix}embeddings.token_type_embeddings.weight"
        if types in self.weights:
            # Some models have a table of one row though their tokenizer gives the types 0 and 1.
            rows = self.weights[types].shape[0]
            places = self.node("Min", "token_type_ids", self.constant(rows - 1))
            value = self.node("Add", value, self.lookup(types, places))
        value = self.norm(value, f"{self.prefix}embeddings.LayerNorm", self.epsilon)
        widening = f"{self.prefix}embeddings_project"
        return self.linear(value, widening) if f"{widening}.weight" in self.weights else value

    def _positions(self) -> str:
        table = f"{self.prefix}embeddings.position_embeddings.weight"
        if not self.config.counts_after_padding:
            return self.lookup(table, self._numbers())
        padding = self.constant(self.config.padding.token)
        padded = self.node("Equal", "input_ids", padding)
        real = self.node("Cast", self.node("Not", padded), to=onnx.TensorProto.INT64)
        counted = self.node("Mul", self.node("CumSum", real, self.constant(1)), real)
        return self.lookup(table, self.node("Add", counted, padding))

    def _numbers(self) -> str:
        """0, 1, 2 and so on, one per token."""
        tokens = self.node("Shape", "input_ids", start=1, end=2)
        count = self.node("Squeeze", tokens, self.constant([0]))
        return self.node("Range", self.constant(0), count, self.constant(1))

    def _additive_mask(self) -> str:
        """The attention mask: 0 for tokens, the least number for padding, plus a bias: (texts, heads or 1, tokens or 1, tokens)."""
        seen = self.node("Cast", "attention_mask", to=onnx.TensorProto.FLOAT)
        hidden = self.node("Sub", self.constant(1.0, np.float32), seen)
        mask = self.node("Mul", hidden, self.constant(_LEAST, np.float32))
        mask = self.node("Unsqueeze", mask, self.constant([1, 2]))
        return self.node("Add", mask, self._distance_bias()) if self.kind.bias_table else mask

    def _distance_bias(self) -> str:
        """MPNet's attention bias by the distance of two tokens: (heads, tokens, tokens)."""
        most = self.config.positions or 0
        table = self.tensor(self.prefix + self.kind.bias_table)  # (buckets, heads)
        by_distance = table[_distance_buckets(np.arange(1 - most, most), len(table))]
        numbers = self._numbers()
        to = self.node("Unsqueeze", numbers, self.constant([0]))
        start = self.node("Unsqueeze", numbers, self.constant([1]))
        places = self.node("Add", self.node("Sub", to, start), self.constant(most - 1))
        values = self.node("Gather", self.computed("bias_by_distance", by_distance), places, axis=0)
        return self.node("Transpose", values, perm=[2, 0, 1])

    def _block(self, value: str, mask: str, number: int) -> str:
        mixed = self._attention(value, mask, number)
        value = self._normed(value, mixed, number, "attention.output.LayerNorm")
        inner = self._activated(self.linear(value, self._layer(number, "intermediate.dense")))
        return self._normed(value, self.linear(inner, self._layer(number, "output.dense")), number, "output.LayerNorm")

    def _attention(self, value: str, mask: str, number: int) -> str:
        size = self.width // self.config.heads
        # The key is transposed for the product: (texts, heads, size, tokens).
        query = self._split(value, self._layer(number, "attention.self.query"), [0, 2, 1, 3])
        key = self._split(value, self._layer(number, "attention.self.key"), [0, 2, 3, 1])
        content = self._split(value, self._layer(number, "attention.self.value"), [0, 2, 1, 3])
        scaled = self.node("Mul", self.node("MatMul", query, key), self.constant(1 / math.sqrt(size), np.float32))
        shares = self.node("Softmax", self.node("Add", scaled, mask), axis=-1)
        mixed = self.node("Transpose", self.node("MatMul", shares, content), perm=[0, 2, 1, 3])
        return self.linear(self.reshape(mixed, [0, 0, self.width]), self._layer(number, "attention.output.dense"))

    def _split(self, value: str, layer: str, order: list[int]) -> str:
        """The result of a linear layer, split by heads."""
        parted = self.reshape(self.linear(value, layer), [0, 0, self.config.heads, self.width // self.config.heads])
        return self.node("Transpose", parted, perm=order)

    def _normed(self, value: str, added: str, number: int, norm: str) -> str:
        return self.norm(self.node("Add", added, value), self._layer(number, norm), self.epsilon)

    def _activated(self, value: str) -> str:
        approximation = ACTIVATIONS[self.config.activation]
        return self.node("Gelu", value, approximate=approximation) if approximation else self.node("Relu", value)

    def _layer(self, number: int, part: str) -> str:
        return self.prefix + self.kind.layer(number, part)


def _distance_buckets(
    relative: np.ndarray[tuple[int], np.dtype[np.int64]], buckets: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """T5's buckets of distance: one per distance when near, wider when far, one for 128 and more; for both directions."""
    half = buckets // 2
    near = half // 2
    distance = np.abs(relative)
    far = np.log(np.maximum(distance, 1).astype(np.float32) / np.float32(near)) / np.float32(math.log(128 / near))
    wide = np.minimum(near + (far * np.float32(half - near)).astype(np.int64), half - 1)
    return (relative > 0) * half + np.where(distance < near, distance, wide)

"""Building blocks of an ONNX graph: each call adds nodes and gives back the name of a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from constraintsuite.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.models.onnx.pooling import Floats

OPSET = 20  # the first with Gelu; Runtime 1.17 and newer have it
_IR = 9
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class GraphWriter:
    """Collects nodes and constants; values are strings, named by the step that makes them."""

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
        """A small fixed tensor."""
        array: npt.NDArray[np.generic] = np.asarray(values, dtype=kind)
        name = f"{array.dtype}_{array.shape}_{array.tobytes().hex()[:64]}"
        self._keep(name, array)
        return name

    def tensor(self, name: str) -> Floats:
        """A tensor of the model as it is."""
        if name not in self.weights:
            raise UserError(f"The weights have no tensor {name!r}, which the model's config.json calls for.")
        return self.weights[name]

    def weight(self, name: str, *, transposed: bool = False) -> str:
        """A tensor of the model; linear layers keep theirs the other way round than ONNX multiplies."""
        kept = f"{name}.T" if transposed else name
        if kept not in self._constants:
            array = self.tensor(name)
            self._keep(kept, np.ascontiguousarray(array.T) if transposed else array)
        return kept

    def computed(self, name: str, array: Floats) -> str:
        """A large tensor that is made from the model's own."""
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
        """0 keeps a dimension, -1 takes what is left."""
        return self.node("Reshape", value, self.constant(shape))

    def model(self, result: str, name: str, shape: Sequence[str | int]) -> onnx.ModelProto:
        """The whole, with the usual three inputs and one result."""
        self._nodes.append(helper.make_node("Identity", [result], [name], name=name))
        inputs = [helper.make_tensor_value_info(each, TensorProto.INT64, ["batch", "tokens"]) for each in _INPUTS]
        output = helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))
        graph = helper.make_graph(self._nodes, "transformer", inputs, [output], list(self._constants.values()))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=_IR)

    def _keep(self, name: str, array: npt.NDArray[np.generic]) -> None:
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(array, name)

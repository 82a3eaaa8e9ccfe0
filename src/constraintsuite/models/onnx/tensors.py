"""The tensors of safetensors files: names and shapes without reading, arrays when a graph is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open

from constraintsuite.errors import UserError
from constraintsuite.models.backends import NotForOnnx
from constraintsuite.models.onnx.pooling import Floats

_WHOLE = ("F32", "F16", "F64")
# What old checkpoints call the two parts of a normalisation.
_OLD_NAMES = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}


def read_shapes(files: Sequence[Path]) -> Mapping[str, tuple[int, ...]]:
    """The shape of every tensor; only the head of each file is read."""
    shapes: dict[str, tuple[int, ...]] = {}
    for file in files:
        try:
            with safe_open(file, framework="np") as tensors:
                for name in tensors.keys():  # noqa: SIM118 - no mapping, though it looks like one
                    shapes[_current(name)] = tuple(tensors.get_slice(name).get_shape())
        except (OSError, SafetensorError) as error:
            raise UserError(f"{file}: this is not a safetensors file that can be read ({error}).") from None
    return shapes


def read_tensors(files: Sequence[Path]) -> Mapping[str, Floats]:
    """Every tensor of numbers as fp32."""
    arrays: dict[str, Floats] = {}
    for file in files:
        with safe_open(file, framework="np") as tensors:
            for name in tensors.keys():  # noqa: SIM118
                kind = tensors.get_slice(name).get_dtype()
                if kind == "BF16":
                    raise NotForOnnx(f"{file}: the weights are bf16, which is left to torch.")
                if kind in _WHOLE:
                    arrays[_current(name)] = np.asarray(tensors.get_tensor(name), dtype=np.float32)
    return arrays


def _current(name: str) -> str:
    for old, new in _OLD_NAMES.items():
        name = name.replace(old, new)
    return name

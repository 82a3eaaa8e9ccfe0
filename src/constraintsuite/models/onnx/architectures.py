"""The transformers that can be written as a graph: what they call their weights, and where they differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from constraintsuite.models.backends import NotForOnnx
from constraintsuite.models.onnx.folder import TransformerConfig

ACTIVATIONS = {"gelu": "none", "gelu_new": "tanh", "gelu_pytorch_tanh": "tanh", "relu": None}
"""By name in the configuration: the approximation of ONNX's Gelu, None for ReLU."""


@dataclass(frozen=True)
class LayerNames:
    """The parts of one layer, below its own name."""

    query: str
    key: str
    value: str
    attention_output: str
    attention_norm: str
    inner: str
    output: str
    output_norm: str


@dataclass(frozen=True)
class ClassificationHead:
    """What stands between the last layer and the logits: layers, and what is applied between them."""

    first: str
    activation: Literal["Tanh", "Relu", "Gelu"]
    last: str


@dataclass(frozen=True)
class Architecture:
    """One kind of transformer."""

    prefix: str
    """Of all weights, where the model has a head."""
    layer: str
    names: LayerNames
    head: ClassificationHead
    epsilon: float | None = None
    """Of the normalisations, where it is not in the configuration."""
    bias_table: str = ""
    """A table of attention by distance, instead of nothing."""


_BERT = LayerNames(
    query="attention.self.query",
    key="attention.self.key",
    value="attention.self.value",
    attention_output="attention.output.dense",
    attention_norm="attention.output.LayerNorm",
    inner="intermediate.dense",
    output="output.dense",
    output_norm="output.LayerNorm",
)
_DISTILBERT = LayerNames(
    query="attention.q_lin",
    key="attention.k_lin",
    value="attention.v_lin",
    attention_output="attention.out_lin",
    attention_norm="sa_layer_norm",
    inner="ffn.lin1",
    output="ffn.lin2",
    output_norm="output_layer_norm",
)
_MPNET = LayerNames(
    query="attention.attn.q",
    key="attention.attn.k",
    value="attention.attn.v",
    attention_output="attention.attn.o",
    attention_norm="attention.LayerNorm",
    inner="intermediate.dense",
    output="output.dense",
    output_norm="output.LayerNorm",
)
_FIRST_TOKEN = ClassificationHead("classifier.dense", "Tanh", "classifier.out_proj")


def _roberta(prefix: str) -> Architecture:
    return Architecture(prefix, "encoder.layer", _BERT, _FIRST_TOKEN)


ARCHITECTURES: Mapping[str, Architecture] = {
    "bert": Architecture(
        "bert.", "encoder.layer", _BERT, ClassificationHead("bert.pooler.dense", "Tanh", "classifier")
    ),
    "camembert": _roberta("roberta."),
    "distilbert": Architecture(
        "distilbert.",
        "transformer.layer",
        _DISTILBERT,
        ClassificationHead("pre_classifier", "Relu", "classifier"),
        epsilon=1e-12,
    ),
    "electra": Architecture(
        "electra.", "encoder.layer", _BERT, ClassificationHead("classifier.dense", "Gelu", "classifier.out_proj")
    ),
    "mpnet": Architecture(
        "mpnet.",
        "encoder.layer",
        _MPNET,
        _FIRST_TOKEN,
        bias_table="encoder.relative_attention_bias.weight",
    ),
    "roberta": _roberta("roberta."),
    "xlm-roberta": _roberta("roberta."),
}


def architecture_of(folder: Path, config: TransformerConfig) -> Architecture:
    """The kind of a model; a reason where it cannot be written as a graph."""
    reasons: Mapping[str, Callable[[], bool]] = {
        f"a {config.model_type} model cannot be run by ONNX Runtime here (these can: {', '.join(ARCHITECTURES)}).": (
            lambda: config.model_type not in ARCHITECTURES
        ),
        f"the activation {config.activation!r} cannot be run by ONNX Runtime here.": (
            lambda: config.activation not in ACTIVATIONS
        ),
        f"{config.position_embedding_type!r} positions cannot be run by ONNX Runtime here.": (
            lambda: config.position_embedding_type != "absolute"
        ),
        "a decoder cannot be run by ONNX Runtime here.": lambda: config.is_decoder,
        "config.json does not say how many layers and heads there are.": lambda: config.layers * config.heads == 0,
    }
    for reason, holds in reasons.items():
        if holds():
            raise NotForOnnx(f"{folder}: {reason}")
    return ARCHITECTURES[config.model_type]

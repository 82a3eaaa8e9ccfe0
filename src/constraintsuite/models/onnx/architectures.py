"""The transformers that can be written as a graph: the names of their weights, and how they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from constraintsuite.models.backends import OnnxUnsupportedError
from constraintsuite.models.onnx.folder import TransformerConfig

ACTIVATIONS = {"gelu": "none", "gelu_new": "tanh", "gelu_pytorch_tanh": "tanh", "relu": None}
"""By name in the configuration: the approximation of ONNX's Gelu, or None for ReLU."""


class ClassificationHead(NamedTuple):
    """Two linear layers between the last layer and the logits, and the activation between them."""

    first: str
    activation: Literal["Tanh", "Relu", "Gelu"]
    last: str


@dataclass(frozen=True)
class Architecture:
    """One kind of transformer: the names of its weights, and how it differs from BERT."""

    prefix: str
    """The prefix of all names of weights, in models with a head."""
    head: ClassificationHead
    layers: str = "encoder.layer"
    parts: Mapping[str, str] = field(default_factory=dict)
    """The names of parts of a layer that differ from BERT's, by BERT's names."""
    epsilon: float | None = None
    """The epsilon of normalisations, if it is not in the configuration."""
    bias_table: str = ""
    """The table of attention biases by distance, if there is one."""

    def layer(self, number: int, part: str) -> str:
        """The name of a part of a layer, without the prefix, from BERT's name for it."""
        return f"{self.layers}.{number}.{self.parts.get(part, part)}"


_FIRST_TOKEN = ClassificationHead("classifier.dense", "Tanh", "classifier.out_proj")
_ROBERTA = Architecture("roberta.", _FIRST_TOKEN)
ARCHITECTURES: Mapping[str, Architecture] = {
    "bert": Architecture("bert.", ClassificationHead("bert.pooler.dense", "Tanh", "classifier")),
    "camembert": _ROBERTA,
    "distilbert": Architecture(
        "distilbert.",
        ClassificationHead("pre_classifier", "Relu", "classifier"),
        "transformer.layer",
        {
            "attention.self.query": "attention.q_lin",
            "attention.self.key": "attention.k_lin",
            "attention.self.value": "attention.v_lin",
            "attention.output.dense": "attention.out_lin",
            "attention.output.LayerNorm": "sa_layer_norm",
            "intermediate.dense": "ffn.lin1",
            "output.dense": "ffn.lin2",
            "output.LayerNorm": "output_layer_norm",
        },
        epsilon=1e-12,
    ),
    "electra": Architecture("electra.", ClassificationHead("classifier.dense", "Gelu", "classifier.out_proj")),
    "mpnet": Architecture(
        "mpnet.",
        _FIRST_TOKEN,
        parts={
            "attention.self.query": "attention.attn.q",
            "attention.self.key": "attention.attn.k",
            "attention.self.value": "attention.attn.v",
            "attention.output.dense": "attention.attn.o",
            "attention.output.LayerNorm": "attention.LayerNorm",
        },
        bias_table="encoder.relative_attention_bias.weight",
    ),
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
}


def architecture_of(folder: Path, config: TransformerConfig) -> Architecture:
    """The architecture of a model; raises OnnxUnsupportedError if it cannot be written as a graph."""
    kinds = ", ".join(ARCHITECTURES)
    for reason, refused in {
        f"a {config.model_type} model cannot be run by ONNX Runtime here (these can: {kinds})": (
            config.model_type not in ARCHITECTURES
        ),
        f"the activation {config.activation!r} cannot be run by ONNX Runtime here": config.activation
        not in ACTIVATIONS,
        f"{config.position_embedding_type!r} positions cannot be run by ONNX Runtime here": (
            config.position_embedding_type != "absolute"
        ),
        "a decoder cannot be run by ONNX Runtime here": config.is_decoder,
        "config.json does not say how many layers and heads there are": config.layers * config.heads == 0,
    }.items():
        if refused:
            raise OnnxUnsupportedError(f"{folder}: {reason}.")
    return ARCHITECTURES[config.model_type]

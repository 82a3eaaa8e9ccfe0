"""Where the modules of each family of rerankers keep what can be patched. A new family is a value and a line in FAMILIES."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from constraintsuite.core.errors import UserError

FamilyPooling = Literal["first", "last", "mean", "end"]
"""Which token the score is read from: the first, the last one before the padding, all, or the end mark of a decoder."""


@dataclass(frozen=True, kw_only=True)
class ModelFamily:
    """Paths of modules in the family's own classes. `blocks` is a list of modules; the paths after it start at a block."""

    embeddings: str
    """Its output is the input of the first block."""
    projected: str = ""
    """The projection after the embeddings, in models whose embeddings are narrower than their blocks."""
    blocks: str
    attending: str
    """The module in which heads read. Its first result is what they read, or the output of `attention` if that is inside."""
    attention: str
    """The output projection of the heads. Its input is what all heads read, side by side; its output is what attention adds."""
    query: str
    key: str
    value: str
    mlp: str
    """The last projection of the feed-forward part. Its output is what that part adds."""
    pooling: FamilyPooling = "first"
    pooling_field: str = ""
    """The field of the configuration that says `cls` or `mean`, where a model can choose."""
    fused: Literal["no", "thirds", "by head"] = "no"
    """Whether query, key and value are the output of one module (all three paths name it): in thirds, or head by head."""
    shared: bool = False
    """Whether a block uses the projections of query and key again, for positions: only their first use counts."""
    pattern: Literal["interface", "module", "none"] = "interface"
    """How attention weights are reached: through the attention interface of transformers, at a module, or not at all."""
    pattern_module: str = ""
    """The module whose output is the attention weights, where `pattern` is `module`."""
    reuse: bool = True
    """Whether blocks below a patch can be skipped, because a block gets nothing but the output of the one before."""
    reads_tokens_again: bool = False
    """Whether something above the embeddings reads the tokens themselves."""
    key_heads: str = "num_attention_heads"
    """The field of the configuration with the number of heads of keys and values."""


BERT = ModelFamily(
    embeddings="bert.embeddings",
    blocks="bert.encoder.layer",
    attending="attention.self",
    attention="attention.output.dense",
    query="attention.self.query",
    key="attention.self.key",
    value="attention.self.value",
    mlp="output.dense",
)
_ELECTRA = replace(
    BERT, embeddings="electra.embeddings", projected="electra.embeddings_project", blocks="electra.encoder.layer"
)
_ROBERTA = replace(BERT, embeddings="roberta.embeddings", blocks="roberta.encoder.layer")
_DISTILBERT = ModelFamily(
    embeddings="distilbert.embeddings",
    blocks="distilbert.transformer.layer",
    attending="attention",
    attention="attention.out_lin",
    query="attention.q_lin",
    key="attention.k_lin",
    value="attention.v_lin",
    mlp="ffn.lin2",
)
_DEBERTA_V2 = replace(
    BERT,
    embeddings="deberta.embeddings",
    blocks="deberta.encoder.layer",
    query="attention.self.query_proj",
    key="attention.self.key_proj",
    value="attention.self.value_proj",
    shared=True,
    # It does not use the attention interface. Its weights pass a dropout, which does nothing when a model scores.
    pattern="module",
    pattern_module="attention.self.dropout",
)
"""Versions 2 and 3."""
_DEBERTA = replace(
    _DEBERTA_V2,
    query="attention.self.in_proj",
    key="attention.self.in_proj",
    value="attention.self.in_proj",
    fused="by head",
    shared=False,
)
"""The first version. It adds the same bias to query and value after the projection, whatever the input."""
_MODERNBERT = ModelFamily(
    embeddings="model.embeddings",
    blocks="model.layers",
    attending="attn",
    attention="attn.Wo",
    query="attn.Wqkv",
    key="attn.Wqkv",
    value="attn.Wqkv",
    mlp="mlp.Wo",
    pooling_field="classifier_pooling",
    fused="thirds",
)
_DECODER = ModelFamily(
    embeddings="model.embed_tokens",
    blocks="model.layers",
    attending="self_attn",
    attention="self_attn.o_proj",
    query="self_attn.q_proj",
    key="self_attn.k_proj",
    value="self_attn.v_proj",
    mlp="mlp.down_proj",
    pooling="last",
    key_heads="num_key_value_heads",
)
_T5 = ModelFamily(
    embeddings="transformer.encoder.embed_tokens",
    blocks="transformer.encoder.block",
    attending="layer.0.SelfAttention",
    attention="layer.0.SelfAttention.o",
    query="layer.0.SelfAttention.q",
    key="layer.0.SelfAttention.k",
    value="layer.0.SelfAttention.v",
    mlp="layer.1.DenseReluDense.wo",
    pooling="end",
    pattern="none",
    reuse=False,  # the first block also computes the position biases of all others
    reads_tokens_again=True,
)
"""The sites are in the encoder. The decoder reads its result, and the tokens again."""
FAMILIES: Mapping[str, ModelFamily] = {
    "bert": BERT,
    "camembert": _ROBERTA,
    "deberta": _DEBERTA,
    "deberta-v2": _DEBERTA_V2,
    "distilbert": _DISTILBERT,
    "electra": _ELECTRA,
    "gemma": _DECODER,
    "llama": _DECODER,
    "mistral": _DECODER,
    "modernbert": _MODERNBERT,
    "qwen2": _DECODER,
    "qwen3": _DECODER,
    "roberta": _ROBERTA,
    "t5": _T5,
    "xlm-roberta": _ROBERTA,
}
"""By the `model_type` of a configuration."""


def find_family(model_type: str) -> ModelFamily:
    """The family of a `model_type`. Raises UserError if it is not known."""
    if model_type not in FAMILIES:
        raise UserError(
            f"where models of type {model_type!r} keep their heads is not known here. Known: {', '.join(FAMILIES)}."
        )
    return FAMILIES[model_type]

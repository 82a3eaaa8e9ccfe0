"""ModernBERT: norms before each part, one projection for query, key and value, and windows in most blocks."""

from __future__ import annotations

from constraintsuite.mechanism.families.base import ModelFamily

MODERNBERT = ModelFamily(
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

"""DistilBERT: BERT with other names, and without types of tokens."""

from __future__ import annotations

from constraintsuite.mechanism.families.base import ModelFamily

DISTILBERT = ModelFamily(
    embeddings="distilbert.embeddings",
    blocks="distilbert.transformer.layer",
    attending="attention",
    attention="attention.out_lin",
    query="attention.q_lin",
    key="attention.k_lin",
    value="attention.v_lin",
    mlp="ffn.lin2",
)

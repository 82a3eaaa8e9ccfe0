"""DeBERTa: attention to what a token says and to how far away it stands, added up inside one module."""

from __future__ import annotations

from dataclasses import replace

from constraintsuite.mechanism.families.base import ModelFamily

DEBERTA_V2 = ModelFamily(
    embeddings="deberta.embeddings",
    blocks="deberta.encoder.layer",
    attending="attention.self",
    attention="attention.output.dense",
    query="attention.self.query_proj",
    key="attention.self.key_proj",
    value="attention.self.value_proj",
    mlp="output.dense",
    shared=True,
    # The library's attention interface is not used; its weights pass a dropout, which does nothing when scoring.
    pattern="module",
    pattern_module="attention.self.dropout",
)
"""Versions 2 and 3."""
DEBERTA = replace(
    DEBERTA_V2,
    query="attention.self.in_proj",
    key="attention.self.in_proj",
    value="attention.self.in_proj",
    fused="by head",
    shared=False,
)
"""The first version. What is added to query and value behind the projection is the same for all inputs."""

"""BERT and those built like it: MiniLM, ELECTRA, RoBERTa, XLM-R, CamemBERT."""

from __future__ import annotations

from dataclasses import replace

from constraintsuite.mechanism.families.base import ModelFamily

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
ELECTRA = replace(
    BERT, embeddings="electra.embeddings", projected="electra.embeddings_project", blocks="electra.encoder.layer"
)
ROBERTA = replace(BERT, embeddings="roberta.embeddings", blocks="roberta.encoder.layer")

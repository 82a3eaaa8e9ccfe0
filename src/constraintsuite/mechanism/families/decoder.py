"""Decoders that score with their last token: Qwen2, Qwen3, Llama, Mistral, Gemma. Several heads can share a key and a value."""

from __future__ import annotations

from constraintsuite.mechanism.families.base import ModelFamily

DECODER = ModelFamily(
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

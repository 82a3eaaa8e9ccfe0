"""T5 as a classifier: the sites are those of the encoder; a decoder then reads its result beside the tokens once more."""

from __future__ import annotations

from constraintsuite.mechanism.families.base import ModelFamily

T5 = ModelFamily(
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
    # The first block also makes what all others are told of distances.
    reuse=False,
    reads_tokens_again=True,
)

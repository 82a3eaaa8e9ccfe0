"""What a family of models must tell: where its modules keep each site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FamilyPooling = Literal["first", "last", "mean", "end"]
"""Which token the score is read from: the first, the last that is no padding, all of them, or the end mark of a decoder."""


@dataclass(frozen=True, kw_only=True)
class ModelFamily:
    """Paths of modules, in the words of the family's own classes. `blocks` is a list; paths below it start at a block."""

    embeddings: str
    """Its output enters the first block."""
    projected: str = ""
    """Where embeddings can be narrower than the blocks: the projection behind them, in models that have one."""
    blocks: str
    attending: str
    """The module in which heads read; its first result is what they read, or that behind the projection if this is inside."""
    attention: str
    """The projection behind the heads: its input is what the heads read, side by side; its output is what attention adds."""
    query: str
    key: str
    value: str
    mlp: str
    """The last projection of the feed-forward part: its output is what that part adds."""
    pooling: FamilyPooling = "first"
    pooling_field: str = ""
    """The field of the configuration that says `cls` or `mean`, where a model can choose."""
    fused: Literal["no", "thirds", "by head"] = "no"
    """Whether query, key and value are one module's output (then all three paths are that module): one third each, or all
    three of the first head, then of the next."""
    shared: bool = False
    """Whether the projections of query and key are used again in the same block, for positions: only their first use counts."""
    pattern: Literal["interface", "module", "none"] = "interface"
    """How the weights of attention are reached: through the library's attention interface, a module, or not at all."""
    pattern_module: str = ""
    """The module that the weights pass, where it is one."""
    reuse: bool = True
    """Whether blocks below a patch can be passed over: what a block gives is all that the next one is told."""
    reads_tokens_again: bool = False
    """Whether something above the embeddings looks at the tokens themselves."""
    key_heads: str = "num_attention_heads"
    """The field of the configuration that counts heads of keys and values."""

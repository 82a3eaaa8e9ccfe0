"""Sites: the places inside a transformer whose values can be read and replaced, under one name in every family."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast, get_args

from constraintsuite.core.errors import UserError

SiteKind = Literal["embeddings", "residual", "attention", "mlp", "head", "query", "key", "value", "pattern"]
KINDS: tuple[SiteKind, ...] = get_args(SiteKind)
OF_A_HEAD: frozenset[SiteKind] = frozenset({"head", "query", "key", "value", "pattern"})
_NAME = re.compile(r"L(\d+)\.(?:(residual|attention|mlp)|H(\d+)(?:\.(query|key|value|pattern))?)")


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """A place inside the model whose values can be read and replaced.

    `residual` is the output of a block. `attention` and `mlp` are what these two add to it. `head` is the output of one head,
    before the output projection.
    """

    layer: int
    """Counted from 0; -1 for the embeddings."""
    kind: SiteKind
    head: int = -1
    """-1 for a site that does not belong to one head."""

    def __str__(self) -> str:
        """The name in tables and options: `embeddings`, `L3.mlp`, `L3.H7`, `L3.H7.key`."""
        if self.kind == "embeddings":
            return "embeddings"
        if self.kind not in OF_A_HEAD:
            return f"L{self.layer}.{self.kind}"
        return f"L{self.layer}.H{self.head}" + ("" if self.kind == "head" else f".{self.kind}")


EMBEDDINGS = Site(-1, "embeddings")


def parse_site(text: str) -> Site:
    """The site of a name such as `L3.H7`. Raises UserError for any other text."""
    if text == "embeddings":
        return EMBEDDINGS
    found = _NAME.fullmatch(text)
    if found is None:
        raise UserError(
            f"{text!r} is not a site. Write embeddings, L3.residual, L3.attention, L3.mlp, L3.H7 or L3.H7.key."
        )
    layer, whole, head, part = found.groups()
    kind = cast(SiteKind, whole or part or "head")  # the only ones that the pattern matches
    return Site(int(layer), kind, int(head) if head else -1)

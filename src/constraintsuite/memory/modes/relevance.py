"""How well each unit matches a query, from 0 to 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from constraintsuite.memory.modes.base import BoolArray, FloatArray
from constraintsuite.models.naming import ModelSettings

if TYPE_CHECKING:
    from constraintsuite.memory.memory import Memory

Seeds = Literal["auto", "lexical", "dense", "hybrid", "covered"]


class SeedSettings(ModelSettings):
    """The options of every mode that begins at units which match the query."""

    seeds: Seeds = Field(
        "auto",
        description="what a match is: lexical, dense, hybrid (the mean), covered (the mean, words by how much of the query "
        "they are), or auto: hybrid where there is an encoder",
    )
    starts: int = Field(3, ge=1, description="how many of the best matches a walk begins at")


def relevance(memory: Memory, query: str, seeds: Seeds, visible: BoolArray) -> FloatArray:
    """The match of every unit: 1 for the best, 0 for those that share nothing and those that are not there."""
    if seeds == "auto":
        seeds = "hybrid" if memory.encoder is not None else "lexical"
    matches = []
    if seeds in ("lexical", "hybrid"):
        matches.append(_scaled(memory.lexical(query, visible), visible, lowest=0.0))
    if seeds == "covered":
        # Not BM25 over the best one: where a question is put in other words, its best match may be an accident, and no 1.
        matches.append(memory.coverage(query, visible))
    if seeds in ("dense", "hybrid", "covered"):
        matches.append(_scaled(memory.dense(query), visible, lowest=None))
    # One alone has 1 as its highest already: to scale it again would change no bit.
    return matches[0] if len(matches) == 1 else _scaled(np.mean(matches, axis=0), visible, lowest=0.0)


def _scaled(scores: FloatArray, visible: BoolArray, lowest: float | None) -> FloatArray:
    """To 0..1 over the visible units, from `lowest` or from the least of them; all equal and above it are all 1."""
    held = scores if visible.all() else scores[visible]
    if not len(held):
        return np.zeros(len(scores))
    low = float(held.min()) if lowest is None else lowest
    span = float(held.max()) - low
    all_equal = 1.0 if lowest is None else 0.0
    held = np.maximum(held - low, 0.0) / span if span > 0 else np.full(len(held), all_equal)
    if len(held) == len(scores):
        return held
    scaled = np.zeros(len(scores))
    scaled[visible] = held
    return scaled

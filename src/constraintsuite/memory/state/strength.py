"""How strong a memory is: a sum over its confirmations, each of which fades with time.

    sum      = sum over confirmations i of (1 + age_i / scale) ** -fading
    strength = sum / (1 + sum)

This is the base-level learning of ACT-R (Anderson & Schooler 1991) with an age of zero allowed, brought into [0, 1). So one
more confirmation never lowers a memory, time never raises it, the order of confirmations does not matter, and nothing has
to be written while time passes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Lifecycle = Literal["encoded", "archived", "fading", "active", "stabilizing", "consolidated"]
_FROM: tuple[tuple[float, Lifecycle], ...] = (
    (0.8, "consolidated"),  # four fresh confirmations
    (0.6, "stabilizing"),  # two
    (0.3, "active"),  # one, for four days under the standard settings
    (0.1, "fading"),
)


class ForgettingCurve(BaseModel):
    """How confirmations fade."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    scale_days: float = Field(1.0, gt=0, allow_inf_nan=False, description="the age at which forgetting sets in")
    fading: float = Field(0.5, ge=0, le=10, description="the exponent; 0 forgets nothing")


def strength_of(ages_seconds: Sequence[float], forgetting: ForgettingCurve) -> float:
    """The strength, in [0, 1), of a memory that was confirmed so long ago."""
    scale = forgetting.scale_days * 86_400
    # fsum rounds once, so that the order of the ages cannot show in the last digit.
    total = math.fsum((1 + age / scale) ** -forgetting.fading for age in ages_seconds)
    return total / (1 + total)


def lifecycle_of(strength: float) -> Lifecycle:
    """The name of a strength; a memory that was never confirmed is `encoded`, and one nearly forgotten `archived`."""
    if strength == 0:
        return "encoded"
    return next((name for least, name in _FROM if strength >= least), "archived")

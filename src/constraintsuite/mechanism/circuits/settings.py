"""How a circuit is looked for."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from constraintsuite.mechanism.circuits.records import CircuitAblation
from constraintsuite.mechanism.contrasts.records import ContrastSide
from constraintsuite.mechanism.effects.records import PatchDirection

FEWEST_RANDOM = 20
"""Random circuits or models from which p can be below .05: it is never less than 1 / (1 + all)."""


class CircuitSettings(BaseModel):
    """What decides a circuit and what is said about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    side: ContrastSide = Field("query", description="where clean and corrupt differ in the contrasts that are studied")
    ablation: CircuitAblation = Field("twin", description="what sites outside the circuit say")
    direction: PatchDirection = Field("denoising", description="which effects rank the sites")
    method: Literal["exact", "attribution"] | None = Field(
        None, description="which of the effects; none given: exact where every site has them"
    )
    threshold: float = Field(0.8, gt=0, le=1, description="faithfulness that the circuit must reach where it is found")
    size: int | None = Field(None, ge=1, description="sites of the circuit, instead of as few as reach the threshold")
    chance: int = Field(100, ge=FEWEST_RANDOM, description="random circuits of each match")
    band: int = Field(20, ge=0, description="random circuits beside each point of the curve")
    parts: int = Field(50, ge=1, description="random sets of members that completeness takes away")
    random_models: int = Field(20, ge=0, description="untrained models; 20 or more can give p below .05")
    random_contrasts: int = Field(64, ge=2, description="contrasts that each of them is asked")
    limit: int | None = Field(None, ge=2, description="most contrasts of each half and control")
    seed: int = 0

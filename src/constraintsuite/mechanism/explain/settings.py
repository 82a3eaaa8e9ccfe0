"""What is looked at, and on what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator

from constraintsuite.errors import UserError
from constraintsuite.mechanism.contrasts.records import CONTROL_KINDS, ROLES, SIDES, ContrastSide, ControlKind
from constraintsuite.mechanism.effects.records import ALL, DIRECTIONS, PatchDirection
from constraintsuite.mechanism.sites import KINDS, SiteKind
from constraintsuite.records.examples import SPLITS, Split

AnalysisKind = Literal["attribute", "patch", "ablate"]
POSITIONS = "positions"
"""Stands for every token of its own; of embeddings and residuals alone."""
EVERY_ROLE = "every"
"""Stands for all positions at once, and each role for itself."""
BY_POSITION: frozenset[SiteKind] = frozenset({"embeddings", "residual"})
COMPONENTS: tuple[SiteKind, ...] = ("embeddings", "residual", "attention", "mlp", "head")
_PLURALS = {
    "heads": "head",
    "queries": "query",
    "keys": "key",
    "values": "value",
    "patterns": "pattern",
    "residuals": "residual",
}
_WRITTEN = {"head": "heads"}
"""As help and documents have it."""


class AnalysisScope(BaseModel):
    """Which sites and roles are patched, in which directions, on which contrasts."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    sites: tuple[SiteKind, ...] = Field(COMPONENTS, min_length=1, description="kinds of sites")
    roles: tuple[str, ...] = Field((ALL,), min_length=1, description="all, roles of tokens, or positions")
    directions: tuple[PatchDirection, ...] = Field(DIRECTIONS, min_length=1, description="denoising, noising")
    splits: tuple[Split, ...] = Field(SPLITS, min_length=1, description="splits of a suite")
    sides: tuple[ContrastSide, ...] = Field(
        SIDES, min_length=1, description="where clean and corrupt differ: query, document"
    )
    controls: tuple[ControlKind, ...] = Field(
        CONTROL_KINDS, min_length=1, description="kinds of controls, and the empty name for what is studied itself"
    )
    independent: bool = Field(False, description="no two contrasts of one side and kind share a document")
    limit: int | None = Field(None, ge=1, description="most contrasts")
    seed: int = 0
    memory: int | None = Field(None, ge=1, description="MiB for activations, without the weights")

    @field_validator("roles")
    @classmethod
    def _known(cls, roles: tuple[str, ...]) -> tuple[str, ...]:
        for role in roles:
            if role not in (ALL, POSITIONS, *ROLES):
                raise ValueError(f"{role!r} is no role. Known: {', '.join((ALL, EVERY_ROLE, POSITIONS, *ROLES))}")
        return roles


def parse_kinds(names: Sequence[str]) -> tuple[SiteKind, ...]:
    """Kinds of sites as they are written: `heads` and `head` alike, each once."""
    found = [_PLURALS.get(name, name) for name in names]
    for name, kind in zip(names, found, strict=True):
        if kind not in KINDS:
            known = ", ".join(_WRITTEN.get(one, one) for one in KINDS)
            raise UserError(f"{name!r} is no kind of site. Known: {known}.")
    return cast(tuple[SiteKind, ...], tuple(dict.fromkeys(found)))  # all are known

"""What `csuite explain` is asked: which analysis, of which model, at which sites, on which contrasts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator

from constraintsuite.errors import UserError
from constraintsuite.mechanism.contrasts.records import CONTROL_KINDS, ROLES, SIDES, ContrastSide, ControlKind
from constraintsuite.mechanism.effects.records import ABLATIONS, ALL, DIRECTIONS, AblationKind, PatchDirection
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
"""Plurals that help and users write for kinds of sites."""
TOP, RANDOM = 0.2, 0.1
"""Shares of all places that are patched exactly: the strongest by a guide, and some of the rest."""


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


@dataclass(frozen=True)
class AnalysisRequest:
    """One analysis as it is asked for: small, hashable, and sent to workers as it is."""

    analysis: AnalysisKind
    source: Path
    """A suite, a file of contrasts, or an earlier explain folder."""
    model: str
    scope: AnalysisScope
    steps: int = 0
    """Of integrated gradients, for `attribute`; 0 for plain attribution patching."""
    guide: Path | None = None
    """For `patch`: the attribution folder that chooses the `top` share of the places, to which a `random` share is added."""
    top: float = TOP
    random: float = RANDOM
    kinds: tuple[AblationKind, ...] = ABLATIONS
    """What `ablate` puts in place of the values that it removes."""


def parse_kinds(names: Sequence[str]) -> tuple[SiteKind, ...]:
    """Read the kinds of sites as a user writes them: `heads` and `head` alike, each once."""
    found = [_PLURALS.get(name, name) for name in names]
    unknown = next((name for name, kind in zip(names, found, strict=True) if kind not in KINDS), None)
    if unknown is not None:
        known = ", ".join("heads" if kind == "head" else kind for kind in KINDS)
        raise UserError(f"{unknown!r} is no kind of site. Known: {known}.")
    return cast(tuple[SiteKind, ...], tuple(dict.fromkeys(found)))  # all are known

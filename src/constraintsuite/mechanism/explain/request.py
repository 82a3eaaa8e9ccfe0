"""The request of `csuite explain`: which analysis of which model, at which sites, and on which contrasts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import SPLITS, Split
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.artifact import Artifact, read_manifest
from constraintsuite.core.store.files import sha256_of
from constraintsuite.experiments.load import load_suite
from constraintsuite.mechanism.contrasts.files import CONTRASTS, read_contrasts, read_either
from constraintsuite.mechanism.contrasts.from_suite import count_rejected, read_suite
from constraintsuite.mechanism.contrasts.records import (
    CONTROL_KINDS,
    ROLES,
    SIDES,
    ContrastSide,
    ControlKind,
    MarkedContrast,
)
from constraintsuite.mechanism.contrasts.role_marks import type_of
from constraintsuite.mechanism.contrasts.selection import keep_independent
from constraintsuite.mechanism.effects.records import ABLATIONS, ALL, DIRECTIONS, AblationKind, PatchDirection
from constraintsuite.mechanism.sites import KINDS, SiteKind

KIND = "explain"
AnalysisKind = Literal["attribute", "patch", "ablate"]
POSITIONS = "positions"
"""The role that means every token alone; for embeddings and residuals only."""
EVERY_ROLE = "every"
"""The role that means all positions together, and each role alone."""
BY_POSITION: frozenset[SiteKind] = frozenset({"embeddings", "residual"})
COMPONENTS: tuple[SiteKind, ...] = ("embeddings", "residual", "attention", "mlp", "head")
_PLURALS = {f"{kind}s": kind for kind in KINDS} | {"queries": "query"}
TOP, RANDOM = 0.2, 0.1
"""Shares of all places that are patched exactly with a guide: the strongest, and random ones of the rest."""


class AnalysisScope(StrictModel):
    """Which sites and roles are patched, in which directions, on which contrasts."""

    sites: tuple[SiteKind, ...] = Field(COMPONENTS, min_length=1)
    """Kinds of sites, also in the plural."""
    roles: tuple[str, ...] = Field((ALL,), min_length=1)
    """`all`, `every`, `positions`, or roles of tokens."""
    directions: tuple[PatchDirection, ...] = Field(DIRECTIONS, min_length=1)
    splits: tuple[Split, ...] = Field(SPLITS, min_length=1)
    constraints: tuple[str, ...] = ()
    """Constraint types; if empty, all."""
    sides: tuple[ContrastSide, ...] = Field(SIDES, min_length=1)
    """Where clean and corrupt differ: query, document."""
    controls: tuple[ControlKind, ...] = Field(CONTROL_KINDS, min_length=1)
    """Kinds of controls; the empty name means the main contrasts."""
    independent: bool = False
    """Whether no two contrasts of one side and kind may share a document."""
    limit: int | None = Field(None, ge=1)
    """The largest number of contrasts."""
    seed: int = 0
    memory: int | None = Field(None, ge=1)
    """MiB for activations, without the weights."""

    @field_validator("sites", mode="before")
    @classmethod
    def _singular(cls, names: Sequence[str]) -> tuple[str, ...]:
        kinds = [_PLURALS.get(name, name) for name in names]
        for name, kind in zip(names, kinds, strict=True):
            if kind not in KINDS:
                known = ", ".join("heads" if kind == "head" else kind for kind in KINDS)
                raise ValueError(f"{name!r} is not a kind of site. Known: {known}")
        return tuple(dict.fromkeys(kinds))

    @field_validator("roles")
    @classmethod
    def _single_roles(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in (ALL, EVERY_ROLE, POSITIONS, *ROLES):
                raise ValueError(f"{name!r} is not a role. Known: {', '.join((ALL, EVERY_ROLE, POSITIONS, *ROLES))}")
        roles = [role for name in names for role in ((ALL, *ROLES) if name == EVERY_ROLE else (name,))]
        return tuple(dict.fromkeys(roles))


@dataclass(frozen=True)
class AnalysisRequest:
    """One analysis as a user asks for it; it is hashable, and is sent to workers unchanged."""

    analysis: AnalysisKind
    source: Path
    """A suite, a file of contrasts, or an earlier explain folder."""
    model: str
    scope: AnalysisScope
    steps: int = 0
    """For `attribute`: steps of integrated gradients; 0 for plain attribution patching."""
    guide: Path | None = None
    """For `patch`: the attribution folder that chooses the `top` share of the places, to which a `random` share is added."""
    top: float = TOP
    random: float = RANDOM
    kinds: tuple[AblationKind, ...] = ABLATIONS
    """For `ablate`: what replaces the removed values."""


@dataclass(frozen=True)
class ContrastSource:
    """Contrasts, and what they were read from."""

    contrasts: tuple[MarkedContrast, ...]
    rejects: dict[str, int]
    content: str
    """Hash of the file or folder."""
    name: str
    analyser: str = ""
    """The analyser that marked the texts of a suite."""


def read_source(source: Path, scope: AnalysisScope) -> ContrastSource:
    """All contrasts of a source within the scope; its limit does not apply yet. Raises UserError if there are none."""
    found = _read(source, scope)
    kept = [one for one in found.contrasts if one.side in scope.sides and one.control in scope.controls]
    rejects = Counter({reason: count for reason, count in found.rejects.items() if _is_within(reason, scope)})
    if scope.independent:
        kept, left = keep_independent(kept, scope.seed)
        rejects.update(count_rejected(left))
    if not kept:
        raise UserError(f"{source}: none of its {len(found.contrasts)} contrasts is of these sides and controls.")
    return ContrastSource(tuple(kept), dict(rejects), found.content, found.name, found.analyser)


def _is_within(reason: str, scope: AnalysisScope) -> bool:
    """Whether a reason for leaving contrasts out is about a kind of contrasts within the scope."""
    kind = reason.partition(":")[0]
    return kind in scope.sides if kind in SIDES and "" in scope.controls else kind in scope.controls


def _read(source: Path, scope: AnalysisScope) -> ContrastSource:
    if source.is_file():
        found = _of_types(_of_splits(read_either(source, scope.seed), scope, source), scope, source)
        return ContrastSource(found, {}, sha256_of(source), source.name)
    manifest = read_manifest(source) if source.is_dir() else None
    if manifest is not None and manifest.kind == KIND:
        Artifact.open(source, KIND)
        file = source / CONTRASTS
        settings: dict[str, Any] = manifest.settings
        found = _of_types(_of_splits(read_contrasts(file), scope, source), scope, source)
        return ContrastSource(found, {}, sha256_of(file), settings["source"], settings.get("analyser", ""))
    artifact = Artifact.open(source, "suite")
    made = read_suite(source, seed=scope.seed, splits=scope.splits, constraints=scope.constraints)
    usable, rejected = made.usable(redrawn=scope.independent)
    if scope.constraints and not usable and not rejected:
        known = ", ".join(dict.fromkeys(type_of(one) for one in load_suite(source).examples))
        raise UserError(
            f"{source}: no example is of --constraint {', '.join(scope.constraints)}. Known there: {known}."
        )
    origin = artifact.manifest.content, artifact.manifest.name, made.analyser
    return ContrastSource(tuple(usable), count_rejected(rejected), *origin)


def _of_splits(contrasts: Sequence[MarkedContrast], scope: AnalysisScope, source: Path) -> tuple[MarkedContrast, ...]:
    if set(scope.splits) == set(SPLITS):
        return tuple(contrasts)
    unknown = next((one.id for one in contrasts if not one.split), None)
    if unknown is not None:
        raise UserError(
            f"{source}: it does not say of which split {unknown!r} is. Leave --split out, or give the suite it comes from."
        )
    kept = tuple(one for one in contrasts if one.split in scope.splits)
    if not kept:
        named = ", ".join(sorted(scope.splits))
        raise UserError(f"{source}: none of its {len(contrasts)} contrasts is of the splits {named}.")
    return kept


def _of_types(contrasts: Sequence[MarkedContrast], scope: AnalysisScope, source: Path) -> tuple[MarkedContrast, ...]:
    kept = tuple(one for one in contrasts if not scope.constraints or one.constraint in scope.constraints)
    if not kept:
        known = ", ".join(sorted({one.constraint for one in contrasts} - {""})) or "none, so leave the option out"
        raise UserError(
            f"{source}: no contrast is of --constraint {', '.join(scope.constraints)}. Known there: {known}."
        )
    return kept

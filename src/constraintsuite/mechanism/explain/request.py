"""What `csuite explain` is asked: which analysis, of which model, at which sites, and the contrasts that it is asked on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import SPLITS, Split
from constraintsuite.core.store.artifact import Artifact, read_manifest
from constraintsuite.core.store.files import sha256_of
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
from constraintsuite.mechanism.contrasts.selection import keep_apart, keep_kinds
from constraintsuite.mechanism.effects.records import ABLATIONS, ALL, DIRECTIONS, AblationKind, PatchDirection
from constraintsuite.mechanism.sites import KINDS, SiteKind

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
    sites: tuple[SiteKind, ...] = Field(COMPONENTS, min_length=1)
    """The kinds of sites to analyse, such as heads and MLPs."""
    roles: tuple[str, ...] = Field((ALL,), min_length=1)
    """All, roles of tokens, or positions."""
    directions: tuple[PatchDirection, ...] = Field(DIRECTIONS, min_length=1)
    """Denoising, noising."""
    splits: tuple[Split, ...] = Field(SPLITS, min_length=1)
    """Splits of a suite."""
    sides: tuple[ContrastSide, ...] = Field(SIDES, min_length=1)
    """Where clean and corrupt differ: query, document."""
    controls: tuple[ControlKind, ...] = Field(CONTROL_KINDS, min_length=1)
    """Kinds of controls, and the empty name for what is studied itself."""
    independent: bool = False
    """No two contrasts of one side and kind share a document."""
    limit: int | None = Field(None, ge=1)
    """Most contrasts."""
    seed: int = 0
    memory: int | None = Field(None, ge=1)
    """MiB for activations, without the weights."""

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


KIND = "explain"


@dataclass(frozen=True)
class ContrastSource:
    """Contrasts, and what they come from."""

    contrasts: tuple[MarkedContrast, ...]
    rejects: dict[str, int]
    content: str
    """Hash of what they were read from."""
    name: str
    analyser: str = ""
    """What the marks in the texts of a suite come from."""


def read_source(source: Path, scope: AnalysisScope) -> ContrastSource:
    """The contrasts that the scope lets through, however many; a source without any is a UserError."""
    found = _read(source, scope)
    kept = keep_kinds(found.contrasts, sides=scope.sides, controls=scope.controls)
    rejects = Counter({reason: count for reason, count in found.rejects.items() if _is_asked(reason, scope)})
    if scope.independent:
        kept, left = keep_apart(kept, scope.seed)
        rejects.update(count_rejected(left))
    if not kept:
        raise UserError(f"{source}: none of its {len(found.contrasts)} contrasts is of these sides and controls.")
    return ContrastSource(tuple(kept), dict(rejects), found.content, found.name, found.analyser)


def _is_asked(reason: str, scope: AnalysisScope) -> bool:
    """Whether a reason is of a kind of contrasts that the scope lets through."""
    kind = reason.partition(":")[0]
    return kind in scope.sides if kind in SIDES and "" in scope.controls else kind in scope.controls


def _read(source: Path, scope: AnalysisScope) -> ContrastSource:
    if source.is_file():
        found = _of_splits(read_either(source, scope.seed), scope.splits, source)
        return ContrastSource(found, {}, sha256_of(source), source.name)
    manifest = read_manifest(source) if source.is_dir() else None
    if manifest is not None and manifest.kind == KIND:
        Artifact.open(source, KIND)
        file = source / CONTRASTS
        found = _of_splits(read_contrasts(file), scope.splits, source)
        settings = manifest.settings
        return ContrastSource(found, {}, sha256_of(file), settings["source"], settings.get("analyser", ""))
    artifact = Artifact.open(source, "suite")
    made = read_suite(source, seed=scope.seed, splits=scope.splits)
    whole = artifact.manifest.content, artifact.manifest.name, made.analyser
    usable, rejected = made.usable(dealt_anew=scope.independent)
    return ContrastSource(tuple(usable), count_rejected(rejected), *whole)


def _of_splits(
    contrasts: Sequence[MarkedContrast], splits: Collection[Split], source: Path
) -> tuple[MarkedContrast, ...]:
    if set(splits) == set(SPLITS):
        return tuple(contrasts)
    unsaid = next((one.id for one in contrasts if not one.split), None)
    if unsaid is not None:
        raise UserError(
            f"{source}: it does not say of which split {unsaid!r} is. Leave --split out, or give the suite it comes from."
        )
    kept = tuple(one for one in contrasts if one.split in splits)
    if not kept:
        raise UserError(
            f"{source}: none of its {len(contrasts)} contrasts is of the splits {', '.join(sorted(splits))}."
        )
    return kept

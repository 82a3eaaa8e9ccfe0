"""What an analysis will do, worked out before it begins: a dry run says so, and a run does just that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.mechanism.ablation import choose_others, refuse_mean_of_patterns
from constraintsuite.mechanism.contrasts.records import SIDES, ContrastSide, MarkedContrast
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.agreement import PatchSelection, choose
from constraintsuite.mechanism.effects.records import ABLATIONS, AblationKind, PatchEffects
from constraintsuite.mechanism.explain.folder import load_effects
from constraintsuite.mechanism.explain.settings import POSITIONS, AnalysisScope
from constraintsuite.mechanism.explain.source import KIND
from constraintsuite.mechanism.explain.work import AnalysisWork, patches_at, prepare
from constraintsuite.mechanism.patching.batches import POSITION
from constraintsuite.mechanism.sites import parse_site
from constraintsuite.store.artifact import Artifact

TOP, RANDOM = 0.2, 0.1
"""Shares of all places that are patched exactly: the strongest by a guide, and some of the rest."""


class Guide(NamedTuple):
    """Estimates that say what is worth an exact patch."""

    estimates: Mapping[ContrastSide, PatchEffects]
    """Of the contrasts that are studied themselves, in the directions and at the places asked for."""
    choice: PatchSelection
    content: str


class Patching(NamedTuple):
    """Patches that will be run, and by whose estimates they were chosen."""

    work: AnalysisWork
    guide: Guide | None


class Ablating(NamedTuple):
    """Sites that will be taken away, in one or several ways."""

    work: AnalysisWork
    kinds: Sequence[AblationKind]
    others: Mapping[str, TokenContrast]
    """By contrast, whose values it will be given by `resample`."""

    @property
    def rows(self) -> int:
        """Sequences that are patched, over all ways; what has no other contrast to take from is not resampled."""
        resampled = sum(len(one.pairs) for one in self.work.contrasts if one.contrast.id in self.others)
        return sum(resampled if kind == "resample" else self.work.rows for kind in self.kinds)


def plan_patches(
    source: Path, model: str, scope: AnalysisScope, guide: Path | None = None, top: float = TOP, random: float = RANDOM
) -> Patching:
    """All patches of the scope; with a guide, an attribution folder, those that it calls strongest and some by chance."""
    work = prepare(source, model, scope)
    if guide is None:
        return Patching(work, None)
    followed = _follow(guide, work, scope, top, random)
    return Patching(work.of(patches_at([*followed.choice.top, *followed.choice.random])), followed)


def plan_ablation(
    source: Path, model: str, scope: AnalysisScope, kinds: Sequence[AblationKind] = ABLATIONS
) -> Ablating:
    """What can be taken away in each way; contrasts that have no other Y to take from are counted."""
    work = prepare(source, model, scope)
    for kind in kinds:
        refuse_mean_of_patterns(kind, work.sites)
    others = choose_others(work.contrasts, scope.seed) if "resample" in kinds else {}
    if "resample" in kinds and not others:
        raise UserError(
            f"{source}: no contrast can be resampled, as none has another of its template about another Y in its half. "
            "Use --kind mean --kind zero, which need none."
        )
    lacking = len(work.contrasts) - len(others) if "resample" in kinds else 0
    if set(kinds) == {"resample"}:
        work = work.on([one for one in work.contrasts if one.contrast.id in others])
    return Ablating(work.rejecting({"resample: no_other_y": lacking}), kinds, others)


def rows_by_side(rows: PatchEffects, contrasts: Sequence[MarkedContrast]) -> dict[ContrastSide, PatchEffects]:
    """Rows of the contrasts that are studied themselves, or of all where there are only controls; sides are never merged."""
    asked = [one for one in contrasts if not one.control] or contrasts
    found = {side: rows.where(np.isin(rows.contrast, [one.id for one in asked if one.side == side])) for side in SIDES}
    return {side: some for side, some in found.items() if len(some)}


def rows_within(
    rows: PatchEffects, contrasts: Sequence[MarkedContrast], scope: AnalysisScope
) -> dict[ContrastSide, PatchEffects]:
    """Rows of the sites, roles, directions and sides of a scope, and of the contrasts that are studied themselves."""
    kinds = {site: parse_site(site).kind in scope.sites for site in dict.fromkeys(rows.site.tolist())}
    roles = {
        role: (POSITIONS if role.startswith(POSITION) else role) in scope.roles
        for role in dict.fromkeys(rows.role.tolist())
    }
    there = [kinds[site] and roles[role] for site, role in zip(rows.site.tolist(), rows.role.tolist(), strict=True)]
    within = rows.where(np.array(there, dtype=bool) & np.isin(rows.direction, scope.directions))
    return {side: some for side, some in rows_by_side(within, contrasts).items() if side in scope.sides}


def _follow(guide: Path, work: AnalysisWork, scope: AnalysisScope, top: float, random: float) -> Guide:
    artifact = Artifact.open(guide, KIND)
    rows, contrasts = load_effects(guide)
    _refuse_other(artifact, rows, work)
    missing = sorted(set(scope.directions) - set(rows.direction.tolist()))
    if missing:
        raise UserError(
            f"{guide}: it has no estimates of {missing[0]}. Attribute that too, or name other --directions."
        )
    estimates = rows_within(rows, contrasts, scope)
    if not estimates:
        raise UserError(f"{guide}: it has no estimates at the --sites and --roles of the --side that is asked for.")
    choice = choose(estimates.values(), top, random, scope.seed)
    if not (choice.top or choice.random):
        raise UserError(f"--top {top:g} and --random {random:g} leave none of {choice.candidates} places to patch.")
    return Guide(estimates, choice, artifact.manifest.content)


def _refuse_other(guide: Artifact, estimates: PatchEffects, work: AnalysisWork) -> None:
    """Estimates must be of this model, and of contrasts that are asked now."""
    if guide.manifest.settings.get("analysis") != "attribute":
        raise UserError(f"{guide.path}: only what `csuite explain attribute` wrote says what is worth an exact patch.")
    if guide.manifest.inputs["subject"] != work.subject.fingerprint:
        raise UserError(
            f"{guide.path}: its estimates are of {guide.manifest.settings['model']}, or of other versions of its libraries. "
            f"Attribute {work.subject.name} again."
        )
    asked = {contrast.contrast.id for contrast in work.contrasts}
    if not asked & set(estimates.contrast.tolist()):
        raise UserError(f"{guide.path}: it has none of the contrasts of {work.source.name}.")

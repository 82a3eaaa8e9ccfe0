"""A request with its model in memory: contrasts in tokens, patches, the cost of an analysis, and the effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.record_isolation import MACHINE_ERRORS
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.mechanism import ablation
from constraintsuite.mechanism.attribution import attribute_contrasts
from constraintsuite.mechanism.contrasts.records import ROLES, SIDES, ContrastSide, MarkedContrast
from constraintsuite.mechanism.contrasts.selection import choose_readable, in_words
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.agreement import PatchSelection, choose_patches
from constraintsuite.mechanism.effects.records import Grid, PatchEffects
from constraintsuite.mechanism.explain.folder import load_effects
from constraintsuite.mechanism.explain.request import (
    BY_POSITION,
    KIND,
    POSITIONS,
    AnalysisRequest,
    AnalysisScope,
    ContrastSource,
    read_source,
)
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.model_loader import load_model
from constraintsuite.mechanism.patching.batches import POSITION
from constraintsuite.mechanism.patching.capacity import Budget, plan_memory
from constraintsuite.mechanism.patching.exact import patch_contrasts
from constraintsuite.mechanism.patching.patches import SitePatch, start_of
from constraintsuite.mechanism.sites import Site, parse_site
from constraintsuite.models.base import OutOfMemory

_PASSES, _MOST = 512, 64  # passes and contrasts of a shard: an interruption loses no more than that


class Guide(NamedTuple):
    """Estimates of an attribution, and the places that they choose for exact patches."""

    estimates: Mapping[ContrastSide, PatchEffects]
    """Estimates of the main contrasts within the scope."""
    choice: PatchSelection
    content: str
    """Hash of the attribution folder."""


@dataclass(frozen=True)
class AnalysisForecast:
    """What an analysis will cost. Rows are sequences: two per contrast, and one more where it has an unrelated pair."""

    contrasts: int
    rows: int
    patches: int
    forwards: float
    """Passes of one row. A patch high up counts only the blocks above it, so there are fractions of passes."""
    backwards: float
    tokens: int
    """The most tokens in one pass, as memory allows."""

    @property
    def passes(self) -> float:
        """Passes of one row; a backward pass counts as two."""
        return self.forwards + 2 * self.backwards

    @property
    def shard(self) -> int:
        """Contrasts per shard: as many passes as take a CPU some ten seconds, but at least one contrast."""
        return max(1, min(_MOST, int(_PASSES * self.contrasts / self.passes)))


@dataclass(frozen=True)
class LoadedAnalysis:
    """A request with its model in memory, ready to compute effects."""

    request: AnalysisRequest
    model: LoadedModel
    source: ContrastSource
    """Where the contrasts come from; it holds those that the model can be asked, and why others were left out."""
    contrasts: tuple[TokenContrast, ...]
    """The contrasts of the source, in tokens."""
    patches: tuple[SitePatch, ...]
    guide: Guide | None = None
    resample_donors: Mapping[str, TokenContrast] = field(default_factory=dict)
    """For each contrast that can be resampled, by its id, the contrast whose values it gets."""

    @cached_property
    def budget(self) -> Budget:
        """How many tokens fit into memory. Raises UserError if there is too little memory for the patches."""
        longest = max(one.longest for one in self.contrasts)
        return plan_memory(self.model, self.sites, self.request.scope.memory, longest)

    @property
    def sites(self) -> list[Site]:
        """The sites that are patched, from the lowest layer upwards."""
        return sorted({site for patch in self.patches for site in patch.sites})

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of this kind of analysis for the manifest; `shard` is the number of contrasts per shard."""
        request, shard = self.request, {"shard": self.forecast().shard}
        if request.analysis == "attribute":
            return {"steps": request.steps, **shard}
        if request.analysis == "ablate":
            return {"kinds": list(request.kinds), "references": ablation.REFERENCES, **shard}
        return shard if self.guide is None else {**shard, "top": request.top, "random": request.random}

    def forecast(self) -> AnalysisForecast:
        """The cost of both runs and of every patch, in each direction or kind of ablation."""
        request, budget = self.request, self.budget
        rows, backwards, tokens = sum(len(one.pairs) for one in self.contrasts), 0, budget.stacked
        directions = len(request.scope.directions)
        if request.analysis == "attribute":
            forwards: float = rows * (2 + directions * request.steps)
            backwards, tokens = rows * directions * max(1, request.steps), budget.traced
        elif request.analysis == "patch":
            forwards = rows * (2 + directions * self._passes())
        else:  # runs for the replacement values are not counted
            resampled = sum(len(one.pairs) for one in self.contrasts if one.contrast.id in self.resample_donors)
            ablated = sum(resampled if kind == "resample" else rows for kind in request.kinds)
            forwards = ablated * (1 + self._passes())
        return AnalysisForecast(len(self.contrasts), rows, len(self.patches), forwards, backwards, tokens)

    def effects(self, contrasts: Sequence[TokenContrast]) -> list[Grid]:
        """What every patch does to some of the contrasts: one grid per direction or kind of ablation."""
        request, budget = self.request, self.budget
        replacements = self._replacements
        if not contrasts:
            return []
        if request.analysis == "ablate":
            served = [(one, one.serves(contrasts)) for one in replacements]
            return [
                ablation.ablate_contrasts(self.model, some, self.patches, one, budget) for one, some in served if some
            ]
        arguments = (self.model, contrasts, self.patches, request.scope.directions, budget)
        if request.analysis == "attribute":
            return attribute_contrasts(*arguments, steps=request.steps)
        return patch_contrasts(*arguments)

    @cached_property
    def _replacements(self) -> list[ablation.AblationReplacement]:
        """The replacement values of ablations; they depend on all contrasts, and are computed before the first effects."""
        if self.request.analysis != "ablate":
            return []
        arguments = (self.contrasts, self.sites, self.budget, self.request.scope.seed)
        try:
            return [ablation.prepare_ablation(self.model, kind, *arguments) for kind in self.request.kinds]
        except (*MACHINE_ERRORS, OutOfMemory):
            raise
        except Exception as error:  # leaving a contrast out would change the means of all others
            raise UserError(
                f"{self.request.source}: the model breaks at one of the contrasts over which means are taken "
                f"({type(error).__name__}: {error}). Take it out, or use --kind resample --kind zero."
            ) from error

    def _passes(self) -> float:
        """Passes of all patches of a row; each counts only the blocks that it computes."""
        layers = self.model.layers
        starts = Counter(start_of(self.model, patch) for patch in self.patches)
        return sum(
            count * (layers - max(0, start.layer + (start.how == "above"))) / layers for start, count in starts.items()
        )


def load_analysis(request: AnalysisRequest) -> LoadedAnalysis:
    """Load the model, read the contrasts and decide on the patches; everything that can be refused is refused here."""
    scope, source = request.scope, read_source(request.source, request.scope)
    model = load_model(request.model)
    tokens = choose_readable(source.contrasts, scope.limit, scope.seed, model.classifier.tokenization)
    if not tokens.contrasts:
        reasons = ", ".join(sorted({in_words(one.reason) for one in tokens.rejected}))
        raise UserError(f"{request.source}: no contrast is usable with {request.model}: {reasons}.")
    longest = max(contrast.longest for contrast in tokens.contrasts)
    patches = make_patches(model.sites(scope.sites), scope.roles, longest)
    _refuse_absent(patches, tokens.contrasts)
    rejects = Counter(source.rejects) + Counter(one.reason for one in tokens.rejected)
    analysis = LoadedAnalysis(request, model, source, (), tuple(patches))
    analysis = _with_contrasts(analysis, tokens.contrasts, dict(rejects))
    if request.analysis == "ablate":
        return _with_donors(analysis)
    return analysis if request.guide is None else _with_guide(analysis, Artifact.open(request.guide, KIND))


def make_patches(sites: Sequence[Site], roles: Sequence[str], longest: int) -> list[SitePatch]:
    """One patch per site and role; single positions are patched at embeddings and residuals only."""
    patches = []
    for site in sites:
        for role in roles:
            if role != POSITIONS:
                patches.append(SitePatch((site,), role))
            elif site.kind in BY_POSITION:
                patches += [SitePatch((site,), f"{POSITION}{number}") for number in range(longest)]
    if not patches:
        raise UserError(f"The role {POSITIONS} is for {' and '.join(sorted(BY_POSITION))} alone.")
    return patches


def rows_by_side(rows: PatchEffects, contrasts: Sequence[MarkedContrast]) -> dict[ContrastSide, PatchEffects]:
    """Rows of the main contrasts, or of all if there are only controls; sides are never merged."""
    asked = [one for one in contrasts if not one.control] or contrasts
    found = {side: rows.where(np.isin(rows.contrast, [one.id for one in asked if one.side == side])) for side in SIDES}
    return {side: some for side, some in found.items() if len(some)}


def rows_within(
    rows: PatchEffects, contrasts: Sequence[MarkedContrast], scope: AnalysisScope
) -> dict[ContrastSide, PatchEffects]:
    """Rows of the main contrasts at the sites, roles, directions and sides of a scope."""
    sites = [site for site in set(rows.site.tolist()) if parse_site(site).kind in scope.sites]
    roles = [
        role for role in set(rows.role.tolist()) if (POSITIONS if role.startswith(POSITION) else role) in scope.roles
    ]
    within = np.isin(rows.site, sites) & np.isin(rows.role, roles) & np.isin(rows.direction, scope.directions)
    found = rows_by_side(rows.where(within), contrasts)
    return {side: some for side, some in found.items() if side in scope.sides}


def _with_contrasts(
    analysis: LoadedAnalysis, contrasts: tuple[TokenContrast, ...], rejects: dict[str, int]
) -> LoadedAnalysis:
    plain = tuple(one.contrast for one in contrasts)
    return replace(analysis, contrasts=contrasts, source=replace(analysis.source, contrasts=plain, rejects=rejects))


def _refuse_absent(patches: Sequence[SitePatch], contrasts: Sequence[TokenContrast]) -> None:
    """Raise a UserError if no token has any of the roles: such patches would change nothing."""
    rows = [row for one in contrasts for pair in (one.better, one.worse) for row in (pair.clean, pair.corrupt)]
    there = {ROLES[number] for number in np.unique(np.concatenate([row.roles for row in rows])).tolist()}
    asked = dict.fromkeys(patch.role for patch in patches)
    if not any(role not in ROLES or role in there for role in asked):
        raise UserError(f"None of the contrasts has a token of the role {' or '.join(asked)}. Name other --roles.")


def _with_donors(analysis: LoadedAnalysis) -> LoadedAnalysis:
    """Choose a donor contrast for each contrast. Contrasts without a donor are counted as rejects."""
    kinds, contrasts = analysis.request.kinds, analysis.contrasts
    for kind in kinds:
        ablation.refuse_mean_of_patterns(kind, analysis.sites)
    if "resample" not in kinds:
        return analysis
    donors = ablation.choose_donors(contrasts, analysis.request.scope.seed)
    if not donors:
        raise UserError(
            f"{analysis.request.source}: no contrast can be resampled: each needs a second contrast of the same "
            "template and half with a different Y. Use --kind mean or --kind zero instead."
        )
    lacking = len(contrasts) - len(donors)
    rejects = {**analysis.source.rejects, **({"resample: no_other_y": lacking} if lacking else {})}
    kept = contrasts if len(set(kinds)) > 1 else tuple(one for one in contrasts if one.contrast.id in donors)
    return _with_contrasts(replace(analysis, resample_donors=donors), kept, rejects)


def _with_guide(analysis: LoadedAnalysis, guide: Artifact) -> LoadedAnalysis:
    """The analysis with only the patches that an attribution estimates as strongest, and some random ones."""
    request, path, manifest = analysis.request, guide.path, guide.manifest
    rows, contrasts = load_effects(path)
    if manifest.settings.get("analysis") != "attribute":
        raise UserError(f"{path}: --guide needs a folder written by `csuite explain attribute`.")
    if manifest.inputs["subject"] != analysis.model.fingerprint:
        raise UserError(
            f"{path}: its estimates are of {manifest.settings['model']}, or of other versions of its libraries. "
            f"Attribute {analysis.model.name} again."
        )
    if not {one.contrast.id for one in analysis.contrasts} & set(rows.contrast.tolist()):
        raise UserError(f"{path}: it has none of the contrasts of {analysis.source.name}.")
    missing = sorted(set(request.scope.directions) - set(rows.direction.tolist()))
    if missing:
        raise UserError(f"{path}: it has no estimates of {missing[0]}. Attribute that too, or name other --directions.")
    estimates = rows_within(rows, contrasts, request.scope)
    if not estimates:
        raise UserError(f"{path}: it has no estimates at the --sites and --roles of the --side that is asked for.")
    choice = choose_patches(estimates.values(), request.top, request.random, request.scope.seed)
    if not (choice.top or choice.random):
        raise UserError(
            f"--top {request.top:g} and --random {request.random:g} leave none of {choice.candidates} places to patch."
        )
    patches = sorted(SitePatch((parse_site(site),), role) for site, role in (*choice.top, *choice.random))
    return replace(analysis, patches=tuple(patches), guide=Guide(estimates, choice, manifest.content))

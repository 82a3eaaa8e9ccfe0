"""An analysis with its model in memory: contrasts in tokens, patches, what they will cost, and what they do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.record_isolation import NOT_OF_A_RECORD
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.mechanism import ablation
from constraintsuite.mechanism.attribution import attribute_contrasts
from constraintsuite.mechanism.contrasts.records import ROLES, SIDES, ContrastSide, MarkedContrast
from constraintsuite.mechanism.contrasts.selection import choose_readable, in_words
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.agreement import PatchSelection, choose
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

_PASSES, _MOST = 512, 64  # of a shard: what is lost at most when an analysis is stopped


class Guide(NamedTuple):
    """Estimates of an attribution, and the places that they choose for exact patches."""

    estimates: Mapping[ContrastSide, PatchEffects]
    """Of the studied contrasts, in the directions and at the places asked for."""
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
    """Passes of one row; of a patch high up only the blocks above it count, so there are parts of passes."""
    backwards: float
    tokens: int
    """The most in one pass, as memory allows."""

    @property
    def passes(self) -> float:
        """Passes of one row; a backward pass counts as two."""
        return self.forwards + 2 * self.backwards

    @property
    def shard(self) -> int:
        """Contrasts per shard: as many passes as take a processor some ten seconds, but whole contrasts."""
        return max(1, min(_MOST, int(_PASSES * self.contrasts / self.passes)))


@dataclass(frozen=True)
class LoadedAnalysis:
    """A request with its model in memory, ready to compute effects."""

    request: AnalysisRequest
    model: LoadedModel
    source: ContrastSource
    """What the contrasts were read from."""
    contrasts: tuple[TokenContrast, ...]
    rejects: dict[str, int]
    patches: tuple[SitePatch, ...]
    guide: Guide | None = None
    others: Mapping[str, TokenContrast] = field(default_factory=dict)
    """For each contrast that can be resampled, by its id, the contrast whose values it is given."""

    @cached_property
    def budget(self) -> Budget:
        """How many tokens fit into memory; too little memory for the patches is a UserError."""
        longest = max(one.longest for one in self.contrasts)
        return plan_memory(self.model, self.sites, self.request.scope.memory, longest)

    @property
    def sites(self) -> list[Site]:
        """The sites that are patched, from the lowest layer upwards."""
        return sorted({site for patch in self.patches for site in patch.sites})

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of this kind of analysis for the manifest; `shard` counts the contrasts that are done at a time."""
        request, shard = self.request, {"shard": self.forecast().shard}
        if request.analysis == "attribute":
            return {"steps": request.steps, **shard}
        if request.analysis == "ablate":
            return {"kinds": list(request.kinds), "references": ablation.REFERENCES, **shard}
        return shard if self.guide is None else {**shard, "top": request.top, "random": request.random}

    def forecast(self) -> AnalysisForecast:
        """The cost of both runs and of every patch, in each direction or way of ablating."""
        request, budget = self.request, self.budget
        rows, backwards, tokens = sum(len(one.pairs) for one in self.contrasts), 0, budget.stacked
        directions = len(request.scope.directions)
        if request.analysis == "attribute":
            forwards: float = rows * (2 + directions * request.steps)
            backwards, tokens = rows * directions * max(1, request.steps), budget.traced
        elif request.analysis == "patch":
            forwards = rows * (2 + directions * self._passes())
        else:  # runs of what is put in are not counted
            resampled = sum(len(one.pairs) for one in self.contrasts if one.contrast.id in self.others)
            ablated = sum(resampled if kind == "resample" else rows for kind in request.kinds)
            forwards = ablated * (1 + self._passes())
        return AnalysisForecast(len(self.contrasts), rows, len(self.patches), forwards, backwards, tokens)

    def effects(self, contrasts: Sequence[TokenContrast]) -> list[Grid]:
        """What every patch does to some of the contrasts, one grid per direction or way of ablating."""
        request, budget = self.request, self.budget
        replacements = self._replacements
        if not contrasts:
            return []
        if request.analysis == "ablate":
            served = [(one, one.serves(contrasts)) for one in replacements]
            return [
                ablation.ablate_contrasts(self.model, some, self.patches, one, budget) for one, some in served if some
            ]
        asked = (self.model, contrasts, self.patches, request.scope.directions, budget)
        return (
            attribute_contrasts(*asked, steps=request.steps)
            if request.analysis == "attribute"
            else patch_contrasts(*asked)
        )

    @cached_property
    def _replacements(self) -> list[ablation.AblationReplacement]:
        """What ablations put in: it takes all contrasts, and is made once, before the first effects."""
        request = self.request
        kinds = request.kinds if request.analysis == "ablate" else ()
        try:
            return [
                ablation.prepare_ablation(
                    self.model, kind, self.contrasts, self.sites, self.budget, request.scope.seed
                )
                for kind in kinds
            ]
        except (*NOT_OF_A_RECORD, OutOfMemory):
            raise
        except Exception as error:  # without it, all others would be given other means
            raise UserError(
                f"{request.source}: the model breaks at one of the contrasts over which means are taken "
                f"({type(error).__name__}: {error}). Take it out, or use --kind resample --kind zero."
            ) from error

    def _passes(self) -> float:
        """Passes of all patches of a row: of one high up only the blocks above it count."""
        layers = self.model.layers
        starts = Counter(start_of(self.model, patch) for patch in self.patches)
        return sum(
            count * (layers - max(0, start.layer + (start.how == "above"))) / layers for start, count in starts.items()
        )


def load_analysis(request: AnalysisRequest) -> LoadedAnalysis:
    """Load the model, read the contrasts and decide on the patches; what can be refused is refused here."""
    scope, asked = request.scope, read_source(request.source, request.scope)
    model = load_model(request.model)
    tokens = choose_readable(asked.contrasts, scope.limit, scope.seed, model.classifier.tokenization)
    if not tokens.contrasts:
        reasons = ", ".join(sorted({in_words(one.reason) for one in tokens.rejected}))
        raise UserError(f"{request.source}: {request.model} can be asked none of its contrasts ({reasons}).")
    longest = max(contrast.longest for contrast in tokens.contrasts)
    patches = make_patches(model.sites(scope.sites), scope.roles, longest)
    _refuse_absent(patches, tokens.contrasts)
    rejects = Counter(asked.rejects) + Counter(one.reason for one in tokens.rejected)
    analysis = LoadedAnalysis(request, model, asked, tokens.contrasts, dict(rejects), tuple(patches))
    if request.analysis == "ablate":
        return _with_others(analysis)
    return analysis if request.guide is None else _guided(analysis, Artifact.open(request.guide, KIND))


def make_patches(sites: Sequence[Site], roles: Sequence[str], longest: int) -> list[SitePatch]:
    """One patch per site and role; single positions are patched at embeddings and residuals alone."""
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
    """Rows of the studied contrasts, or of all where there are only controls; sides are never merged."""
    asked = [one for one in contrasts if not one.control] or contrasts
    found = {side: rows.where(np.isin(rows.contrast, [one.id for one in asked if one.side == side])) for side in SIDES}
    return {side: some for side, some in found.items() if len(some)}


def rows_within(
    rows: PatchEffects, contrasts: Sequence[MarkedContrast], scope: AnalysisScope
) -> dict[ContrastSide, PatchEffects]:
    """Rows of the studied contrasts at the sites, roles, directions and sides of a scope."""
    kinds = {site: parse_site(site).kind in scope.sites for site in dict.fromkeys(rows.site.tolist())}
    roles = {
        role: (POSITIONS if role.startswith(POSITION) else role) in scope.roles
        for role in dict.fromkeys(rows.role.tolist())
    }
    there = [kinds[site] and roles[role] for site, role in zip(rows.site.tolist(), rows.role.tolist(), strict=True)]
    within = rows.where(np.array(there, dtype=bool) & np.isin(rows.direction, scope.directions))
    return {side: some for side, some in rows_by_side(within, contrasts).items() if side in scope.sides}


def _refuse_absent(patches: Sequence[SitePatch], contrasts: Sequence[TokenContrast]) -> None:
    """Patches of roles that no token has would change nothing."""
    rows = [row for one in contrasts for pair in (one.better, one.worse) for row in (pair.clean, pair.corrupt)]
    there = {ROLES[number] for number in np.unique(np.concatenate([row.roles for row in rows])).tolist()}
    asked = dict.fromkeys(patch.role for patch in patches)
    if not any(role not in ROLES or role in there for role in asked):
        raise UserError(f"None of the contrasts has a token of the role {' or '.join(asked)}. Name other --roles.")


def _with_others(analysis: LoadedAnalysis) -> LoadedAnalysis:
    """The analysis with what `resample` gives each contrast; those that have nothing to be given are counted."""
    kinds, contrasts = analysis.request.kinds, analysis.contrasts
    for kind in kinds:
        ablation.refuse_mean_of_patterns(kind, analysis.sites)
    if "resample" not in kinds:
        return analysis
    others = ablation.choose_others(contrasts, analysis.request.scope.seed)
    if not others:
        raise UserError(
            f"{analysis.request.source}: no contrast can be resampled, as none has another of its template about another Y in "
            "its half. Use --kind mean --kind zero, which need none."
        )
    lacking = len(contrasts) - len(others)
    rejects = {**analysis.rejects, **({"resample: no_other_y": lacking} if lacking else {})}
    kept = contrasts if len(set(kinds)) > 1 else tuple(one for one in contrasts if one.contrast.id in others)
    return replace(analysis, contrasts=kept, rejects=rejects, others=others)


def _guided(analysis: LoadedAnalysis, guide: Artifact) -> LoadedAnalysis:
    """The analysis with only those patches that the estimates of an attribution call strongest, and some by chance."""
    request, path, manifest = analysis.request, guide.path, guide.manifest
    rows, contrasts = load_effects(path)
    if manifest.settings.get("analysis") != "attribute":
        raise UserError(f"{path}: only what `csuite explain attribute` wrote says what is worth an exact patch.")
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
    choice = choose(estimates.values(), request.top, request.random, request.scope.seed)
    if not (choice.top or choice.random):
        raise UserError(
            f"--top {request.top:g} and --random {request.random:g} leave none of {choice.candidates} places to patch."
        )
    patches = sorted(SitePatch((parse_site(site),), role) for site, role in (*choice.top, *choice.random))
    return replace(analysis, patches=tuple(patches), guide=Guide(estimates, choice, manifest.content))

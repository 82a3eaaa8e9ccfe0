"""Verify an explain folder: its bytes, its rows, its figures and, if asked, some of its effects, which are run again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.shards import keyed_random
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.contrasts.tokens import tokenise
from constraintsuite.mechanism.effects.agreement import compare_estimates
from constraintsuite.mechanism.effects.records import PatchEffects, read_effects
from constraintsuite.mechanism.effects.summary import summarise_effects
from constraintsuite.mechanism.explain.analysis import rows_by_side, rows_within
from constraintsuite.mechanism.explain.folder import SEPARATE, Explained, load_effects, load_explained
from constraintsuite.mechanism.explain.request import KIND, AnalysisScope
from constraintsuite.mechanism.model_loader import load_model
from constraintsuite.mechanism.patching.exact import patch_one_by_one
from constraintsuite.mechanism.patching.patches import SitePatch
from constraintsuite.mechanism.sites import parse_site

CLOSE = 1e-4
"""The tolerance for effects: other batches and other machines give other last bits."""
_SAME = 1e-6
"""The tolerance for figures of the same rows, which are computed in double precision."""


def verify(folder: Path, *, again: int = 0, guide: Path | None = None) -> list[str]:
    """What is wrong with the folder, one line per fault.

    `again` random exact patches are run once more with the model, one by one from the tokens upwards. With the `guide` that
    chose the patches, the figures about its estimates are computed again.
    """
    artifact = Artifact.open_unverified(folder, KIND)
    faults = [*artifact.verify(separate=SEPARATE), *_faults_beside(artifact)]
    if faults:
        return faults
    explained = load_explained(folder)
    rows = read_effects(folder)
    faults = [*_faults_of_rows(rows, explained.contrasts)]
    if faults:
        return faults
    seed = explained.artifact.manifest.seed
    summary = summarise_effects(rows, explained.contrasts, seed)
    faults = (
        [] if _agree(asdict(summary), asdict(explained.summary)) else ["summary.json: it does not match the effects"]
    )
    if guide is not None:
        faults += _faults_of_comparison(explained, rows, guide)
    if not faults and again:
        faults = _run_again(explained, rows, again, seed)
    return faults


def _faults_beside(artifact: Artifact) -> Iterator[str]:
    """Faults of the finished circuits inside: changed files, and circuits of other effects."""
    for manifest in sorted(file for name in SEPARATE for file in (artifact.path / name).glob("*/manifest.json")):
        name = manifest.parent.relative_to(artifact.path).as_posix()
        circuit = Artifact.open_unverified(manifest.parent)
        yield from (f"{name}/{fault}" for fault in circuit.verify())
        if circuit.manifest.inputs.get(KIND) != artifact.manifest.content:
            yield f"{name}: it was found with other effects than this folder has"


def _faults_of_comparison(explained: Explained, rows: PatchEffects, guide: Path) -> list[str]:
    said, manifest = explained.comparison, explained.artifact.manifest
    if said is None or Artifact.open(guide, KIND).manifest.content != manifest.inputs.get("guide"):
        raise UserError(f"{guide}: the patches of {explained.artifact.path} were not chosen by this folder.")
    estimates, contrasts = load_effects(guide)
    scope = AnalysisScope.model_validate(
        {name: manifest.settings[name] for name in ("sites", "roles", "directions", "sides")}
    )
    within = rows_within(estimates, contrasts, scope)
    found = compare_estimates(within, rows_by_side(rows, explained.contrasts), said.choice)
    same = _agree([asdict(one) for one in found], [asdict(one) for one in said.agreement])
    return [] if same else ["comparison.json: it does not match the guide and the effects"]


def _faults_of_rows(rows: PatchEffects, contrasts: tuple[MarkedContrast, ...]) -> Iterator[str]:
    unknown = sorted(set(rows.contrast.tolist()) - {contrast.id for contrast in contrasts})
    if unknown:
        yield f"effects: rows of {unknown[0]!r}, which is not one of the contrasts"
    for site in dict.fromkeys(rows.site.tolist()):
        try:
            parse_site(site)
        except UserError as error:
            yield f"effects: {error}"
    for name in ("margin_base", "margin_patched"):
        if not np.isfinite(getattr(rows, name)).all():
            yield f"effects: {name} has infinite or undefined numbers"
    names = (rows.contrast, rows.site, rows.role, rows.direction, rows.method)
    places = list(zip(*(column.tolist() for column in names), strict=True))
    if len(set(places)) != len(places):
        yield "effects: there are two rows for one patch"
    bases: dict[tuple[str, str], float] = {}
    for contrast, direction, base in zip(rows.contrast, rows.direction, rows.margin_base.tolist(), strict=True):
        if abs(bases.setdefault((contrast, direction), base) - base) > CLOSE:
            yield f"effects: the margin of {contrast!r} before {direction} differs between rows"
            return


def _agree(found: object, said: object) -> bool:
    """Whether figures are equal up to rounding."""
    if isinstance(found, Mapping) and isinstance(said, Mapping):
        return found.keys() == said.keys() and all(_agree(found[name], said[name]) for name in found)
    if isinstance(found, list | tuple) and isinstance(said, list | tuple):
        return len(found) == len(said) and all(map(_agree, found, said))
    if isinstance(found, float) and isinstance(said, float):
        return math.isclose(found, said, rel_tol=_SAME, abs_tol=_SAME)
    return found == said


def _run_again(explained: Explained, rows: PatchEffects, count: int, seed: int) -> list[str]:
    exact = np.flatnonzero(rows.method == "exact")
    if not len(exact):
        return []  # only exact patches are run again; the rows and figures of others were checked above
    model = load_model(explained.model.name)
    if model.fingerprint != explained.model.fingerprint:
        raise UserError(
            f"{model.name}: this is not the model that was analysed, or its libraries have other versions, so its patches "
            "cannot be run again."
        )
    known = {one.contrast.id: one for one in tokenise(explained.contrasts, model.classifier.tokenization).contrasts}
    faults = []
    for row in sorted(keyed_random(seed, "again").sample(exact.tolist(), min(count, len(exact)))):
        patch = SitePatch((parse_site(rows.site[row]),), rows.role[row])
        (margin,) = patch_one_by_one(model, known[rows.contrast[row]], [patch], rows.direction[row])
        if abs(margin - rows.margin_patched[row]) > CLOSE * max(1.0, abs(margin)):
            what = f"{rows.contrast[row]}, {patch}, {rows.direction[row]}"
            faults.append(f"effects: {what}: {rows.margin_patched[row]:.6f}, but {margin:.6f} when run again")
    return faults

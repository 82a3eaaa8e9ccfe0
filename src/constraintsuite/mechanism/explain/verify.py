"""Is an explain folder what it says? Its bytes, its rows, its figures, and if asked some of its effects, run again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np

from constraintsuite.errors import UserError
from constraintsuite.execution.shards import keyed_random
from constraintsuite.mechanism.contrasts.records import Contrast
from constraintsuite.mechanism.contrasts.tokens import tokenise
from constraintsuite.mechanism.effects.records import Effects
from constraintsuite.mechanism.effects.summary import EffectSummary, summarise_effects
from constraintsuite.mechanism.effects.table import read_effects
from constraintsuite.mechanism.explain.folder import BESIDE, load_explained
from constraintsuite.mechanism.explain.source import KIND
from constraintsuite.mechanism.patching.loop import patch_one_by_one
from constraintsuite.mechanism.patching.stacking import Patch
from constraintsuite.mechanism.sites import parse_site
from constraintsuite.mechanism.subject import load_subject
from constraintsuite.store.artifact import Artifact

CLOSE = 1e-4
"""Runs of different batches, and of another machine, differ in the last bits."""


def verify(folder: Path, *, again: int = 0) -> list[str]:
    """What is wrong, one line a fault; empty if nothing is.

    With `again`, as many exact patches chosen by chance are run once more with the model, one by one from the tokens up.
    """
    faults = Artifact.open(folder, KIND).verify(beside=BESIDE)
    if faults:
        return faults
    explained = load_explained(folder)
    rows = read_effects(folder)
    faults = [*_faults_of_rows(rows, explained.contrasts)]
    if faults:
        return faults
    seed = explained.artifact.manifest.seed
    faults = _differing(summarise_effects(rows, explained.contrasts, seed), explained.summary)
    if not faults and again:
        faults = _run_again(rows, explained.contrasts, explained.subject.name, again, seed)
    return faults


def _faults_of_rows(rows: Effects, contrasts: tuple[Contrast, ...]) -> Iterator[str]:
    unknown = sorted(set(rows.contrast.tolist()) - {contrast.id for contrast in contrasts})
    if unknown:
        yield f"effects: rows of {unknown[0]!r}, which is none of the contrasts"
    for site in dict.fromkeys(rows.site.tolist()):
        try:
            parse_site(site)
        except UserError as error:
            yield f"effects: {error}"
    for name in ("margin_base", "margin_patched"):
        if not np.isfinite(getattr(rows, name)).all():
            yield f"effects: {name} has numbers that are infinite or none"
    places = list(
        zip(
            rows.contrast.tolist(),
            rows.site.tolist(),
            rows.role.tolist(),
            rows.direction.tolist(),
            rows.method.tolist(),
            strict=True,
        )
    )
    if len(set(places)) != len(places):
        yield "effects: a patch stands there twice"
    bases: dict[tuple[str, str], float] = {}
    for contrast, direction, base in zip(rows.contrast, rows.direction, rows.margin_base.tolist(), strict=True):
        if abs(bases.setdefault((contrast, direction), base) - base) > CLOSE:
            yield f"effects: the margin of {contrast!r} before {direction} is not always the same"
            return


def _differing(found: EffectSummary, said: EffectSummary) -> list[str]:
    return [] if asdict(found) == asdict(said) else ["summary.json: not what the effects give"]


def _run_again(rows: Effects, contrasts: tuple[Contrast, ...], model: str, count: int, seed: int) -> list[str]:
    exact = np.flatnonzero(rows.method == "exact")
    if not len(exact):
        raise UserError("Only exact patches can be run again, and there are none here.")
    subject = load_subject(model)
    known = {one.contrast.id: one for one in tokenise(contrasts, subject.classifier.tokenization).contrasts}
    faults = []
    for row in sorted(keyed_random(seed, "again").sample(exact.tolist(), min(count, len(exact)))):
        patch = Patch((parse_site(rows.site[row]),), rows.role[row])
        (margin,) = patch_one_by_one(subject, known[rows.contrast[row]], [patch], rows.direction[row])
        if abs(margin - rows.margin_patched[row]) > CLOSE * max(1.0, abs(margin)):
            what = f"{rows.contrast[row]}, {patch}, {rows.direction[row]}"
            faults.append(f"effects: {what}: {rows.margin_patched[row]:.6f}, but {margin:.6f} when run again")
    return faults

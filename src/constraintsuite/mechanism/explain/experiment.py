"""An analysis as an experiment: its systems are sites, and an item is a contrast under one intervention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from constraintsuite.core.statistics.metric import Metric
from constraintsuite.experiments.experiment import Experiment, OpenOptions
from constraintsuite.experiments.outcome_table import Details, Item, StoredTable
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.effects.records import ALL, BoolArray, FloatArray, PatchEffects, read_effects
from constraintsuite.mechanism.effects.summary import (
    CORRECT,
    FAILED,
    ContrastEffects,
    EffectMatrices,
    EffectSummary,
    collect_effects,
    components,
    studied_items,
)
from constraintsuite.mechanism.explain.folder import load_explained
from constraintsuite.mechanism.explain.request import KIND
from constraintsuite.mechanism.patching.batches import POSITION

INTERVENTION = "intervention"
"""The grouping whose groups are never pooled: the direction or kind of ablation, and the side if there are both."""
LEADING = 12
"""The number of sites of an analysis that are compared."""
_METRICS = (
    Metric(name="effect", title="change of the margin, logits", share=False),
    Metric(name="recovered", title="share of the margin recovered, or lost by an ablation", share=False),
    Metric(name="flips", title="margins that change their sign"),
    Metric(name="aside", title="change of an unrelated score, logits", share=False),
)
_GROUPINGS = ("constraint", "slice", "side", "half", "split", "cue", "change")
"""Fields of a contrast that are groupings."""


def open_explain(path: Path, options: OpenOptions) -> Experiment:
    """Open an explain folder as an experiment; no option applies to it."""
    explained = load_explained(path)
    manifest, model = explained.artifact.manifest, explained.model
    leading = leading_sites(explained.summary, explained.contrasts)
    return Experiment(
        path=path,
        kind=KIND,
        name=model.name,
        data=manifest.settings["source"],
        table=effect_table(read_effects(path), explained.contrasts, explained.summary),
        inputs={"contrasts": manifest.inputs["contrasts"]},
        conditions={
            "the analysis": manifest.settings["analysis"],
            "steps": manifest.settings.get("steps"),
            "a model of": f"{model.layers} layers and {model.heads} heads ({model.type})",
        },
        reference=leading[0],
        leading=leading,
    )


def effect_table(effects: PatchEffects, contrasts: Sequence[MarkedContrast], summary: EffectSummary) -> StoredTable:
    """What every site did to every contrast, without single positions, which contrasts do not share.

    Contrasts have the same clusters as in the summary. Controls are only in the group of their kind.
    """
    found = collect_effects(effects, contrasts)
    asked = [(each, found.contrasts[name]) for each in found.matrices for name in each.contrasts]
    clusters = [f"{number}" for each in found.matrices for number in found.clusters(each.contrasts)]
    only_controls = all(one.control for one in contrasts)
    main = [place for place, (_, one) in enumerate(asked) if only_controls or not one.control]
    groups: dict[str, dict[str, list[int]]] = {name: {} for name in (INTERVENTION, *_GROUPINGS, "model", "control")}
    both_sides = len(studied_items(contrasts)) > 1
    for place, (each, one) in enumerate(asked):
        values = {INTERVENTION: f"{_name(each)} {one.side}" if both_sides else _name(each)}
        if one.control:
            values["control"] = one.control
        else:
            values |= {name: getattr(one, name) for name in _GROUPINGS}
            values["model"] = CORRECT if found.margins[one.id][0] > 0 else FAILED
        for name, value in values.items():
            groups[name].setdefault(value or "none", []).append(place)
    return StoredTable(
        [Item(_item(each, one), (own,), (own,)) for (each, one), own in zip(asked, clusters, strict=True)],
        {one.name: one for one in _METRICS},
        _columns(found, summary),
        {name: values for name, values in groups.items() if values},
        "effect",
        main=main,
        within=INTERVENTION,
        described={_item(each, one): _texts(one) for each, one in asked},
    )


def leading_sites(summary: EffectSummary, contrasts: Sequence[MarkedContrast]) -> tuple[str, ...]:
    """The sites with the largest mean effect on main contrasts under any intervention, the strongest first.

    Sites as a whole, or roles where there are no others; residuals, which carry everything below them, only if there is
    nothing else.
    """
    studied = studied_items(contrasts)
    mine = [one for one in summary.sites if one.items in studied] or summary.sites
    named = components(one for one in mine if not one.role.startswith(POSITION))
    strength: dict[str, float] = {}
    for one in [one for one in named if one.role == ALL] or named:
        name = _place(one.site, one.role)
        strength[name] = max(strength.get(name, 0.0), abs(one.effect.value or 0.0))
    return tuple(sorted(strength, key=lambda name: -strength[name])[:LEADING])


def _columns(effects: ContrastEffects, summary: EffectSummary) -> dict[str, dict[str, FloatArray]]:
    """The values of all items, by system and metric."""
    count = sum(len(each.contrasts) for each in effects.matrices)
    columns: dict[str, dict[str, FloatArray]] = {}
    first = 0
    for each in effects.matrices:
        rows = slice(first, first := first + len(each.contrasts))
        recovered = _recovered(each, effects.groups(each.contrasts), summary)
        found = (each.change, recovered, each.flips, each.aside)
        for place, (site, role) in enumerate(each.patches):
            if role.startswith(POSITION):
                continue
            own = columns.setdefault(_place(site, role), {one.name: np.full(count, np.nan) for one in _METRICS})
            for metric, values in zip(_METRICS, found, strict=True):
                own[metric.name][rows] = values[:, place]
    return columns


def _recovered(matrices: EffectMatrices, groups: Mapping[str, BoolArray], summary: EffectSummary) -> FloatArray:
    """Each change as a share of the mean change that a patch of everything makes in its group.

    Their mean is the share in the summary. Where the summary has none, because that mean is not clearly above 0, there is
    none here either.
    """
    shares = {
        (one.items, one.site, one.role): one.recovered.value
        for one in summary.sites
        if (one.direction, one.method) == (matrices.direction, matrices.method)
    }
    change, wanted = matrices.change, matrices.wanted
    found = np.full(change.shape, np.nan)
    for items, keep in groups.items():
        if items.split()[-1] in (CORRECT, FAILED):
            continue
        given = np.array([shares.get((items, *patch)) is not None for patch in matrices.patches])
        counts = np.maximum(1, (~np.isnan(wanted[keep])).sum(axis=0))
        means = np.where(given, np.nansum(wanted[keep], axis=0) / counts, np.nan)
        found[keep] = change[keep] / means
    return found


def _name(matrices: EffectMatrices) -> str:
    return matrices.method if matrices.ablated else matrices.direction


def _item(matrices: EffectMatrices, contrast: MarkedContrast) -> str:
    return f"{contrast.id} {_name(matrices)}"


def _place(site: str, role: str) -> str:
    """The name of a site and role as tables show it."""
    return site if role == ALL else f"{site} at {role}"


def _texts(contrast: MarkedContrast) -> Details:
    return {
        "clean query": contrast.better.query.text,
        "corrupt query": contrast.better_corrupt.query.text,
        "better": contrast.better.text.text,
        "worse": contrast.worse.text.text,
    }

"""Analyses as experiments, on effects made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from constraintsuite.experiments.compare import paired_test
from constraintsuite.experiments.experiment import Experiment, join_experiments
from constraintsuite.experiments.figures import group_figures
from constraintsuite.experiments.outcome_table import StoredTable
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.effects.records import EffectMethod, PatchEffects
from constraintsuite.mechanism.effects.summary import summarise_effects
from constraintsuite.mechanism.explain.experiment import LEADING, effect_table, leading_sites
from mechanism.effects.made import contrasts, effects, grid

PATCHES = (("L0.H0", "all"), ("L0.residual", "all"), ("L1.mlp", "q_cue"))


def made(seed: int = 0) -> PatchEffects:
    """Both directions at three places; one place is lacking in the first contrast."""
    rng = np.random.default_rng(seed)
    clean, corrupt = rng.normal(3, 1, 16), rng.normal(-3, 1, 16)
    patched = rng.normal(0, 2, (2, 3, 16))
    patched[:, 2, 0] = np.nan
    return effects(
        grid(patched[0].tolist(), base=clean.tolist(), donor=corrupt.tolist(), patches=PATCHES),
        grid(patched[1].tolist(), base=corrupt.tolist(), donor=clean.tolist(), patches=PATCHES, direction="denoising"),
    )


def table_of(rows: PatchEffects, some: list[MarkedContrast]) -> StoredTable:
    return effect_table(rows, some, summarise_effects(rows, some, seed=0))


def chained(some: list[MarkedContrast]) -> list[MarkedContrast]:
    """Each two neighbours are one cluster."""
    return [replace(one, clusters=(f"k{number // 2}",)) for number, one in enumerate(some)]


def test_figures_of_the_table_are_those_of_the_summary() -> None:
    rows, some = made(), chained(contrasts(16, controls=["idiom", "idiom", "nonflip", "nonflip"]))
    table = table_of(rows, some)
    checked = 0
    for one in summarise_effects(rows, some, seed=0).sites:
        group = {"all": "overall", "correct": "model=correct"}.get(one.items, f"control={one.items}")
        members = table.members(f"intervention={one.direction}, {group}")
        found = group_figures(table, one.site if one.role == "all" else f"{one.site} at {one.role}", members)
        for name in ("effect", "flips"):
            figure, own = getattr(one, name), found.metrics[name]
            assert own.value == pytest.approx(figure.value)
            assert own.n == figure.n
        if one.items != "correct":  # of which the shares have a denominator of their own
            assert found.metrics["recovered"].value == pytest.approx(one.recovered.value)
        checked += 1
    assert checked == 2 * 3 * 4
    assert group_figures(table, "L0.H0", table.members("intervention=noising, overall")).clusters == 6


def test_directions_and_sides_are_never_pooled_and_controls_stand_in_their_group_alone() -> None:
    some = [replace(one, side="document" if i % 2 else "query") for i, one in enumerate(contrasts(16))]
    some[15] = replace(some[15], control="idiom")
    parts = table_of(made(), some).parts("control")
    assert {name: len(members) for name, members in parts.items()} == {
        "intervention=denoising query": 8,
        "intervention=denoising document": 7,
        "intervention=denoising document, control=idiom": 1,
        "intervention=noising query": 8,
        "intervention=noising document": 7,
        "intervention=noising document, control=idiom": 1,
    }


def test_ablations_of_several_kinds_are_never_pooled() -> None:
    kinds: tuple[EffectMethod, ...] = ("ablation-mean", "ablation-zero")
    rows = effects(*(grid([[1, 2]], base=[3, 3], donor=[np.nan, np.nan], method=kind) for kind in kinds))
    assert list(table_of(rows, contrasts(2)).parts()) == [f"intervention={kind}" for kind in kinds]


def test_single_positions_are_no_systems() -> None:
    rows = effects(
        grid([[1, 2], [1, 2]], base=[3, 3], donor=[0, 0], patches=(("L0.residual", "@3"), ("L0.mlp", "all")))
    )
    assert table_of(rows, contrasts(2)).systems == ("L0.mlp",)


def test_whole_sites_lead_the_strongest_first_and_residuals_do_not() -> None:
    patches = [*((f"L0.H{number}", "all") for number in range(20)), ("L0.residual", "all"), ("L0.mlp", "q_cue")]
    strength = [*range(20), 50, 60]
    rows = effects(grid([[1 - one, 1 - one] for one in strength], base=[1, 1], donor=[0, 0], patches=patches))
    some = contrasts(2)
    assert leading_sites(summarise_effects(rows, some, seed=0), some) == tuple(
        f"L0.H{number}" for number in range(19, 19 - LEADING, -1)
    )


def experiment(name: str, rows: PatchEffects, leading: tuple[str, ...]) -> Experiment:
    table = table_of(rows, contrasts(16))
    return Experiment(
        Path(name), "explain", name, "made", table, {"contrasts": "same"}, reference=leading[0], leading=leading
    )


def test_leading_sites_are_compared_with_the_strongest() -> None:
    one = experiment("a", made(), ("L0.H0", "L1.mlp at q_cue"))
    assert join_experiments([one]).pairs == [("L0.H0", "L1.mlp at q_cue")]
    assert join_experiments([one], "L0.residual").pairs == [
        ("L0.residual", "L0.H0"),
        ("L0.residual", "L1.mlp at q_cue"),
    ]


def test_a_site_that_leads_before_or_after_is_compared_with_itself_contrast_by_contrast() -> None:
    before, after = made(), made(1)
    found = join_experiments([experiment("a", before, ("L1.mlp at q_cue",)), experiment("b", after, ("L0.H0",))])
    assert [first.split(" (")[0] for first, _ in found.pairs] == ["L1.mlp at q_cue", "L0.H0"]
    pair = found.pairs[1]
    test = paired_test(found.table, pair, found.table.metric("effect"), "", found.table.members("intervention=noising"))
    old, new = (
        rows.where((rows.site == "L0.H0") & (rows.direction == "noising")).effect.mean() for rows in (before, after)
    )
    assert test.difference.value == pytest.approx(new - old)
    assert test.difference.n == 16

from __future__ import annotations

import numpy as np
import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.circuits.ranking import rank_sites, site_effects
from constraintsuite.mechanism.effects.records import EffectMethod, Grid, PatchDirection, PatchEffects, grid_rows
from mechanism.planted import planted_contrasts

CONTRASTS = planted_contrasts(40)  # the halves take turns
SITES = ("L0.H0", "L0.H1", "L0.mlp", "L1.H0")
MEANS = np.array([0.1, -3.0, 0.0, 1.0])
RNG = np.random.default_rng


def rows(
    method: EffectMethod = "exact", direction: PatchDirection = "denoising", sites: tuple[str, ...] = SITES
) -> PatchEffects:
    """Effects around `MEANS`, of the other sign on the half `check`."""
    signs = np.array([1.0 if one.half == "find" else -1.0 for one in CONTRASTS])
    changes = MEANS[: len(sites), None] * signs + RNG(0).normal(0, 0.05, size=(len(sites), len(CONTRASTS)))
    base, nothing = np.full(len(CONTRASTS), -2.0), np.full(len(CONTRASTS), np.nan)
    names = tuple(one.id for one in CONTRASTS)
    patches = tuple((site, "all") for site in sites)
    asides = np.full(changes.shape, np.nan)
    return grid_rows(Grid(names, patches, direction, method, base, -base, base + changes, nothing, asides))


def test_the_largest_of_either_sign_comes_first() -> None:
    ranking = rank_sites(site_effects(rows(), CONTRASTS, SITES, "denoising"), RNG(0))
    assert [site.site for site in ranking.sites] == ["L0.H1", "L1.H0", "L0.H0", "L0.mlp"]
    assert ranking.sites[0].effect.value == pytest.approx(-3, abs=0.1)
    assert ranking.sites[0].t < 0
    assert ranking.sites[0].p < 0.05
    assert ranking.sites[3].p > 0.05


def test_the_half_check_decides_nothing() -> None:
    effects = rows()
    mine = np.isin(effects.contrast, [one.id for one in CONTRASTS if one.half == "find"])
    other = PatchEffects.joined([effects.where(mine), effects.where(~mine)])
    other.margin_patched[int(mine.sum()) :] += RNG(9).normal(0, 50, size=int((~mine).sum()))
    before, after = (rank_sites(site_effects(some, CONTRASTS, SITES, "denoising"), RNG(0)) for some in (effects, other))
    assert [(site.site, site.effect.value) for site in before.sites] == [
        (site.site, site.effect.value) for site in after.sites
    ]
    assert before.sites[0].effect_check != after.sites[0].effect_check


def test_halves_that_disagree_are_not_reliable() -> None:
    ranking = rank_sites(site_effects(rows(), CONTRASTS, SITES, "denoising"), RNG(0))
    assert ranking.reliability.value == pytest.approx(-1)
    assert ranking.reliability.n == len(SITES)


def test_exact_effects_come_before_estimated_ones() -> None:
    both = PatchEffects.joined([rows("attribution"), rows("exact")])
    assert site_effects(both, CONTRASTS, SITES, "denoising").method == "exact"
    assert site_effects(both, CONTRASTS, SITES, "denoising", "attribution").method == "attribution"


def test_estimated_ones_where_not_every_site_was_run() -> None:
    both = PatchEffects.joined([rows("attribution"), rows("exact", sites=SITES[:2])])
    assert site_effects(both, CONTRASTS, SITES, "denoising").method == "attribution"


def test_a_site_without_effects_is_named() -> None:
    with pytest.raises(UserError, match=r"no exact effects for 2 of 4 sites \(first: L0\.mlp\)"):
        site_effects(rows("exact", sites=SITES[:2]), CONTRASTS, SITES, "denoising")
    with pytest.raises(UserError, match="needs the noising effects"):
        site_effects(rows(), CONTRASTS, SITES, "noising")


def test_contrasts_that_lack_a_site_are_left_out() -> None:
    effects = rows()
    gap = (effects.contrast == CONTRASTS[5].id) & (effects.site == "L0.mlp")
    found = site_effects(effects.where(~gap), CONTRASTS, SITES, "denoising")
    assert len(found.contrasts) == len(CONTRASTS) - 1
    assert CONTRASTS[5] not in found.contrasts


@pytest.mark.parametrize(("direction", "clean"), [("denoising", 2.0), ("noising", -2.0)])
def test_which_run_is_clean_depends_on_the_direction(direction: PatchDirection, clean: float) -> None:
    found = site_effects(rows(direction=direction), CONTRASTS, SITES, direction)
    assert set(found.clean.tolist()) == {clean}
    assert set(found.corrupt.tolist()) == {-clean}

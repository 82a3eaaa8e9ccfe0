from __future__ import annotations

from collections.abc import Callable
from itertools import cycle

import numpy as np
import pytest
import torch

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.attribution import attribute_contrasts
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.records import DIRECTIONS, Grid, PatchDirection, grid_rows
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.patching.capacity import Budget
from constraintsuite.mechanism.patching.exact import patch_contrasts, patch_one_by_one
from constraintsuite.mechanism.patching.patches import SitePatch
from constraintsuite.mechanism.sites import KINDS, Site, parse_site
from mechanism.models import TINY
from mechanism.planted import PLANTED, planted_contrasts
from mechanism.uneven import read, uneven

Analysis = Callable[[LoadedModel, list[TokenContrast], list[SitePatch], list[PatchDirection], Budget], list[Grid]]
AMPLE = Budget(kept=4_096, stacked=512, traced=4_096)


def effects(grid: Grid) -> dict[str, float]:
    """The mean change of the margin under each patch."""
    changes = np.nanmean(grid.margin_patched - grid.margin_base, axis=1)
    return {
        site if role == "all" else f"{site} {role}": change
        for (site, role), change in zip(grid.patches, changes, strict=True)
    }


def one_of_each(model: LoadedModel) -> list[Site]:
    """A site of every kind in every layer; of a head's, those of the second head."""
    kinds = [kind for kind in KINDS if kind != "pattern" or model.family.pattern != "none"]
    return [site for site in model.sites(kinds) if site.head in (-1, 1)]


@pytest.mark.parametrize("kind", TINY)
def test_stacked_patches_give_what_one_forward_pass_each_gives(
    kind: str, model_of: Callable[[str], LoadedModel]
) -> None:
    model = model_of(kind)
    sites = one_of_each(model)
    patches = [
        SitePatch((site,), role) for site, role in zip(sites, cycle(["all", "q_cue", "@3", "d_other"]), strict=False)
    ]
    contrasts = read(model, [*planted_contrasts(1), uneven()])
    for grid in patch_contrasts(model, contrasts, patches, DIRECTIONS, AMPLE):
        for number, contrast in enumerate(contrasts):
            if (number == 0) == (grid.direction == "denoising"):  # one direction each is enough here
                loop = patch_one_by_one(model, contrast, patches, grid.direction)
                np.testing.assert_allclose(grid.margin_patched[:, number], loop, rtol=0, atol=5e-5)


def test_many_sites_of_several_layers_are_patched_at_once(model_of: Callable[[str], LoadedModel]) -> None:
    model = model_of("bert")
    sites = [parse_site(name) for name in ("L0.H1", "L0.mlp", "L1.H0", "L1.H3", "L1.H2.key", "L2.attention")]
    patches = [SitePatch(tuple(sites[:count])) for count in range(1, 7)] + [SitePatch(tuple(sites[2:]), "q_cue")]
    contrasts = read(model, [uneven()])
    (grid,) = patch_contrasts(model, contrasts, patches, ["noising"], AMPLE)
    loop = patch_one_by_one(model, contrasts[0], patches, "noising")
    np.testing.assert_allclose(grid.margin_patched[:, 0], loop, rtol=0, atol=5e-5)


@pytest.mark.parametrize("stacked", [20, 100, 10_000])
def test_the_size_of_batches_changes_nothing_but_rounding(stacked: int, planted: LoadedModel) -> None:
    contrasts = read(planted, [*planted_contrasts(5), uneven()])
    patches = [SitePatch((site,)) for site in planted.sites({"head", "mlp", "residual"})]
    whole = patch_contrasts(planted, contrasts, patches, DIRECTIONS, AMPLE)
    for grid, other in zip(
        patch_contrasts(planted, contrasts, patches, DIRECTIONS, Budget(200, stacked, 200)), whole, strict=True
    ):
        assert grid.contrasts == other.contrasts
        np.testing.assert_allclose(grid.margin_patched, other.margin_patched, rtol=0, atol=1e-5)


def test_only_the_planted_head_carries_the_effect(planted: LoadedModel) -> None:
    patches = [SitePatch((site,)) for site in planted.sites({"head", "mlp"})]
    for grid in patch_contrasts(planted, read(planted, planted_contrasts(6)), patches, DIRECTIONS, AMPLE):
        wanted = float((grid.margin_donor - grid.margin_base).mean())
        found = effects(grid)
        assert found.pop(PLANTED) == pytest.approx(wanted, rel=1e-4)
        assert max(map(abs, found.values())) < 1e-4


@pytest.mark.parametrize(
    ("patch", "share"),
    [
        (SitePatch((Site(-1, "embeddings"),)), 1.0),
        (SitePatch((Site(-1, "embeddings"),), "q_cue"), 1.0),
        (SitePatch((Site(-1, "embeddings"),), "q_y"), 0.0),
        (SitePatch((Site(0, "residual"),), "q_cue"), 1.0),
        (SitePatch((Site(1, "residual"),), "cls"), 1.0),
        (SitePatch((Site(1, "residual"),), "q_cue"), 0.0),
        (SitePatch((Site(1, "residual"),), "@0"), 1.0),
        (SitePatch((Site(1, "value", 2),), "q_cue"), 1.0),
        (SitePatch((Site(1, "value", 2),), "q_topic"), 0.0),
    ],
    ids=str,
)
def test_the_effect_is_where_it_was_planted(patch: SitePatch, share: float, planted: LoadedModel) -> None:
    for grid in patch_contrasts(planted, read(planted, planted_contrasts(4)), [patch], DIRECTIONS, AMPLE):
        recovered = (grid.margin_patched - grid.margin_base).mean() / (grid.margin_donor - grid.margin_base).mean()
        assert recovered == pytest.approx(share, abs=1e-4)


def test_the_pair_aside_is_patched_too(planted: LoadedModel) -> None:
    (grid,) = patch_contrasts(
        planted, read(planted, planted_contrasts(2)), [SitePatch((parse_site(PLANTED),))], ["noising"], AMPLE
    )
    assert (grid.aside_patched - grid.aside_base).max() < -1  # it lacks the thing too, so the head spoke for it
    (bare,) = patch_contrasts(
        planted, read(planted, [uneven()]), [SitePatch((parse_site(PLANTED),))], ["noising"], AMPLE
    )
    assert np.isnan(bare.aside_patched).all()


@pytest.mark.parametrize("run", [patch_contrasts, attribute_contrasts])
def test_plain_relevance_is_unknown_where_the_pair_aside_is_not_touched(run: Analysis, planted: LoadedModel) -> None:
    patches = [SitePatch((Site(0, "residual"),), role) for role in ("q_cue", "d_y")]
    (grid,) = run(planted, read(planted, planted_contrasts(3)), patches, ["noising"], AMPLE)
    assert np.isfinite(grid.margin_patched).all()
    assert np.isnan(grid.aside_patched).tolist() == [[False] * 3, [True] * 3]


def test_a_role_that_a_contrast_lacks_gives_no_row(planted: LoadedModel) -> None:
    patches = [SitePatch((Site(0, "residual"),), role) for role in ("q_cue", "d_cue", "@11", "@40")]
    (grid,) = patch_contrasts(planted, read(planted, [*planted_contrasts(1), uneven()]), patches, ["noising"], AMPLE)
    rows = grid_rows(grid)
    assert list(zip(rows.role, rows.contrast, strict=True)) == [
        ("q_cue", "planted-0"),
        ("q_cue", "uneven"),
        ("@11", "uneven"),
    ]


def test_an_unknown_role_is_refused(planted: LoadedModel) -> None:
    contrasts = read(planted, planted_contrasts(1))
    with pytest.raises(UserError, match="'cue' is not a role"):
        patch_contrasts(planted, contrasts, [SitePatch((Site(0, "mlp"),), "cue")], ["noising"], AMPLE)


def test_the_model_is_as_before(planted: LoadedModel) -> None:
    inputs = planted.inputs([("soup without leeks", "a warm soup")])
    before = planted.scores(inputs)
    patches = [SitePatch((site,)) for site in one_of_each(planted)]
    patch_contrasts(planted, read(planted, planted_contrasts(1)), patches, DIRECTIONS, AMPLE)
    assert torch.equal(planted.scores(inputs), before)
    assert not any(block._forward_hooks or block._forward_pre_hooks for block in planted.module.modules())


def test_a_number_that_is_none_is_named_with_its_site(planted: LoadedModel) -> None:
    hook = planted.blocks[1].output.dense.register_forward_hook(lambda _module, _given, result: result * float("nan"))
    try:
        with pytest.raises(UserError, match=r"numbers at L1\.mlp are infinite or not numbers"):
            patch_contrasts(
                planted, read(planted, planted_contrasts(1)), [SitePatch((Site(0, "mlp"),))], ["noising"], AMPLE
            )
    finally:
        hook.remove()


def test_a_patch_that_breaks_the_numbers_is_named(planted: LoadedModel) -> None:
    contrasts = read(planted, planted_contrasts(1))
    hook = planted.blocks[2].attention.output.dense.register_forward_pre_hook(_break_copies)
    try:
        with pytest.raises(UserError, match=r"L2\.H0.*This happens when L0\.H1 is patched"):
            patch_contrasts(planted, contrasts, [SitePatch((Site(0, "head", 1),))], ["noising"], AMPLE)
    finally:
        hook.remove()


def test_patches_that_break_the_numbers_only_together_are_named(planted: LoadedModel) -> None:
    def crowded(_module: torch.nn.Module, _given: object, result: torch.Tensor) -> torch.Tensor | None:
        return result * float("nan") if len(result) > 3 else None

    contrasts, patches = (
        read(planted, planted_contrasts(1)),
        [SitePatch((site,)) for site in planted.sites({"mlp"})[:1]] * 2,
    )
    hook = planted.module.classifier.register_forward_hook(crowded)
    try:
        with pytest.raises(UserError, match=r"patched in one pass: L0\.mlp, L0\.mlp"):
            patch_contrasts(planted, contrasts, patches, ["noising"], AMPLE)
    finally:
        hook.remove()


def _break_copies(_module: torch.nn.Module, given: tuple[torch.Tensor]) -> tuple[torch.Tensor] | None:
    """Nothing is wrong with runs as they are; only patched ones read the first token alone in the last layer."""
    return (given[0] * float("inf"),) if given[0].shape[1] == 1 else None

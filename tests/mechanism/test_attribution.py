from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.attribution import attribute_contrasts
from constraintsuite.mechanism.effects.records import DIRECTIONS, PatchDirection
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.model_loader import load_model
from constraintsuite.mechanism.patching.capacity import Budget
from constraintsuite.mechanism.patching.exact import patch_contrasts
from constraintsuite.mechanism.patching.patches import SitePatch
from constraintsuite.mechanism.sites import EMBEDDINGS, KINDS, Site
from mechanism.models import TINY
from mechanism.planted import PLANTED, make_planted, planted_contrasts
from mechanism.uneven import read, uneven

AMPLE = Budget(kept=4_096, stacked=512, traced=4_096)


@pytest.mark.parametrize("kind", TINY)
def test_with_many_steps_all_of_the_difference_is_found_at_the_embeddings(
    kind: str, model_of: Callable[[str], LoadedModel]
) -> None:
    """Integrated gradients are complete: what they give to all embeddings together is the difference of the two scores."""
    model = model_of(kind)
    contrasts = read(model, planted_contrasts(2))
    for grid in attribute_contrasts(model, contrasts, [SitePatch((EMBEDDINGS,))], ["noising"], AMPLE, steps=200):
        np.testing.assert_allclose(grid.margin_patched[0], grid.margin_donor, rtol=0.05, atol=0.02)


@pytest.mark.parametrize("kind", ["bert", "deberta", "modernbert", "qwen3", "t5"])
def test_small_changes_are_foretold_exactly(kind: str, model_of: Callable[[str], LoadedModel]) -> None:
    """Sites whose effect is small against the curvature of the score are linear: estimate and exact patch agree there."""
    model = model_of(kind)
    kinds = [name for name in KINDS if name != "pattern" or model.family.pattern != "none"]
    patches = [SitePatch((site,), role) for site in model.sites(kinds) for role in ("all", "q_cue", "@4")]
    contrasts = read(model, [*planted_contrasts(2), uneven()])
    both = zip(
        attribute_contrasts(model, contrasts, patches, DIRECTIONS, AMPLE),
        patch_contrasts(model, contrasts, patches, DIRECTIONS, AMPLE),
        strict=True,
    )
    for guess, exact in both:
        np.testing.assert_array_equal(np.isnan(guess.margin_patched), np.isnan(exact.margin_patched))
        np.testing.assert_allclose(guess.margin_base, exact.margin_base, rtol=0, atol=5e-5)
        estimated, found = guess.margin_patched - guess.margin_base, exact.margin_patched - exact.margin_base
        small = np.abs(np.nan_to_num(found)) < 0.01 * np.nanmax(np.abs(found))
        there = ~np.isnan(found) & small
        assert there.sum() > 20
        assert np.median(np.abs(estimated - found)[there]) < 0.005 * np.nanmax(np.abs(found))


@pytest.mark.parametrize("steps", [0, 5])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_planted_head_is_foretold(
    direction: PatchDirection, steps: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    noisy = load_model(f"cross:{make_planted(tmp_path_factory.mktemp('noisy'), noise=0.05)},threads=1")
    patches = [SitePatch((site,)) for site in noisy.sites({"head", "mlp"})]
    (grid,) = attribute_contrasts(noisy, read(noisy, planted_contrasts(6)), patches, [direction], AMPLE, steps=steps)
    change = np.abs((grid.margin_patched - grid.margin_base).mean(axis=1))
    assert grid.patches[int(change.argmax())] == (PLANTED, "all")


def test_one_direction_alone_is_the_same_as_beside_the_other(planted: LoadedModel) -> None:
    contrasts, patches = (
        read(planted, [*planted_contrasts(3), uneven()]),
        [SitePatch((s,)) for s in planted.sites({"head"})],
    )
    for steps in (0, 3):
        both = attribute_contrasts(planted, contrasts, patches, DIRECTIONS, AMPLE, steps=steps)
        for direction, beside in zip(DIRECTIONS, both, strict=True):
            (alone,) = attribute_contrasts(planted, contrasts, patches, [direction], AMPLE, steps=steps)
            np.testing.assert_allclose(alone.margin_patched, beside.margin_patched, rtol=0, atol=1e-5)
            np.testing.assert_allclose(alone.margin_donor, beside.margin_donor, rtol=0, atol=1e-5)


def test_roles_and_positions_add_up_to_all(planted: LoadedModel) -> None:
    contrasts = read(planted, planted_contrasts(2))
    width = contrasts[0].longest
    patches = [SitePatch((Site(0, "residual"),), role) for role in ("all", *(f"@{i}" for i in range(width)))]
    (grid,) = attribute_contrasts(planted, contrasts, patches, ["noising"], AMPLE)
    change = grid.margin_patched - grid.margin_base
    np.testing.assert_allclose(change[1:].sum(axis=0), change[0], rtol=0, atol=1e-5)


def test_a_number_that_is_none_is_named_with_its_site(planted: LoadedModel) -> None:
    projection = planted.blocks[0].attention.output.dense
    hook = projection.register_forward_hook(lambda _module, _given, result: result * float("inf"))
    try:
        with pytest.raises(UserError, match=r"L0\.attention"):
            attribute_contrasts(
                planted, read(planted, planted_contrasts(1)), [SitePatch((EMBEDDINGS,))], DIRECTIONS, AMPLE
            )
    finally:
        hook.remove()


@pytest.mark.parametrize("steps", [0, 2])
def test_a_score_that_is_no_number_is_refused_where_no_site_is_at_fault(steps: int, planted: LoadedModel) -> None:
    hook = planted.module.bert.pooler.register_forward_hook(lambda _module, _given, result: result * float("nan"))
    try:
        with pytest.raises(UserError, match=r"a score of the .* run is infinite or undefined"):
            attribute_contrasts(
                planted, read(planted, planted_contrasts(1)), [SitePatch((EMBEDDINGS,))], DIRECTIONS, AMPLE, steps=steps
            )
    finally:
        hook.remove()


def _without_gradient(_module: torch.nn.Module, _given: object, result: torch.Tensor) -> None:
    if result.requires_grad:
        result.register_hook(lambda gradient: gradient * float("nan"))


def test_gradients_that_are_no_numbers_are_named_with_their_sites(planted: LoadedModel) -> None:
    hook = planted.blocks[1].output.dense.register_forward_hook(_without_gradient)
    patches = [SitePatch((site,)) for site in planted.sites({"mlp"})]
    try:
        with pytest.raises(UserError, match=r"gradients at L0\.mlp.* are infinite or not numbers"):
            attribute_contrasts(planted, read(planted, planted_contrasts(1)), patches, ["noising"], AMPLE)
    finally:
        hook.remove()

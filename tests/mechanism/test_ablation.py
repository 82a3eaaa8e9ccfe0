from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
import torch

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.ablation import (
    ablate_contrasts,
    choose_donors,
    prepare_ablation,
    role_aligned,
    role_means,
)
from constraintsuite.mechanism.contrasts.records import HALVES, ROLES, ContrastHalf
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.records import AblationKind
from constraintsuite.mechanism.hooks import Edit, capturing, replacing
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.patching.capacity import Budget
from constraintsuite.mechanism.patching.patches import SitePatch
from constraintsuite.mechanism.sites import EMBEDDINGS, Site, parse_site
from mechanism.models import TINY
from mechanism.planted import PLANTED
from mechanism.uneven import named, read, uneven

AMPLE = Budget(kept=4_096, stacked=512, traced=4_096)
HEAD = parse_site(PLANTED)


def test_another_contrast_of_the_same_template_and_another_y_is_chosen(planted: LoadedModel) -> None:
    contrasts = read(planted, named(20))
    known = {one.contrast.id: one.contrast for one in contrasts}
    donors = choose_donors(contrasts, seed=3)
    assert set(donors) == set(known)
    for name, other in donors.items():
        assert (other.contrast.template, other.contrast.y != known[name].y) == (known[name].template, True)
    assert names(donors) != names(choose_donors(contrasts, 4))


def names(donors: Mapping[str, TokenContrast]) -> dict[str, str]:
    return {name: other.contrast.id for name, other in donors.items()}


def test_the_choice_of_another_does_not_depend_on_the_order(planted: LoadedModel) -> None:
    contrasts = read(planted, named(20))
    assert names(choose_donors(contrasts, 3)) == names(choose_donors(contrasts[::-1], 3))


@pytest.mark.parametrize(
    ("half", "clusters", "fits"),
    [("find", ("b",), True), ("check", ("b",), False), ("find", ("b", "a"), False)],
    ids=["another", "other half", "shared document"],
)
def test_values_come_from_the_same_half_and_other_documents(
    half: ContrastHalf, clusters: tuple[str, ...], fits: bool, planted: LoadedModel
) -> None:
    one, other = (replace(some, template="same", clusters=("a",), half="find") for some in named(2))
    contrasts = [replace(one, y="leeks"), replace(other, y="nuts", half=half, clusters=clusters)]
    assert bool(choose_donors(read(planted, contrasts), seed=0)) == fits


def test_means_of_a_half_are_those_of_its_own_contrasts(planted: LoadedModel) -> None:
    contrasts = read(planted, named(6))
    means = prepare_ablation(planted, "mean", contrasts, [EMBEDDINGS], AMPLE, seed=0).means
    for half in HALVES:
        own = [one for one in contrasts if one.contrast.half == half]
        torch.testing.assert_close(
            means[half][EMBEDDINGS], role_means(planted, own, [EMBEDDINGS], AMPLE)[EMBEDDINGS], equal_nan=True
        )


def test_a_contrast_without_another_y_has_nobody_to_be_given_values_of(planted: LoadedModel) -> None:
    same = [replace(one, y="leeks") for one in named(3)]
    assert choose_donors(read(planted, same), seed=0) == {}


def test_tokens_of_a_role_take_from_the_same_role_in_turn(planted: LoadedModel) -> None:
    mine, theirs = (read(planted, [one])[0].worse.clean for one in (uneven(), named(1)[0]))
    pair = role_aligned(mine, theirs)
    for place, partner in enumerate(pair.to_corrupt.tolist()):
        if partner >= 0:
            assert mine.roles[place] == theirs.roles[partner]
        else:
            assert mine.roles[place] not in theirs.roles
    assert len({pair.to_corrupt[place] for place in np.flatnonzero(mine.roles == ROLES.index("d_other"))}) > 1


@pytest.mark.parametrize(
    ("kind", "left"), [("zero", 0.0), ("mean", 0.0), ("resample", 1.0)], ids=["zero", "mean", "resample"]
)
def test_without_the_planted_head_there_is_no_margin_left(
    kind: AblationKind, left: float, planted: LoadedModel
) -> None:
    """The other contrast has the same cue, so that what the head says of it stays; a mean over texts with and without Y is
    the same for both texts."""
    contrasts, patches = read(planted, named(20)), [SitePatch((HEAD,)), SitePatch((Site(0, "head", 1),))]
    replacement = prepare_ablation(planted, kind, contrasts, [HEAD, Site(0, "head", 1)], AMPLE, seed=0)
    grid = ablate_contrasts(planted, contrasts, patches, replacement, AMPLE)
    assert (grid.direction, grid.method) == ("noising", f"ablation-{kind}")
    assert np.isnan(grid.margin_donor).all()
    np.testing.assert_allclose(grid.margin_patched[0], left * grid.margin_base, atol=1e-3)
    np.testing.assert_allclose(grid.margin_patched[1], grid.margin_base, atol=1e-4)


@pytest.mark.parametrize("kind", TINY)
def test_zero_is_what_a_plain_replacement_by_nothing_gives(kind: str, model_of: Callable[[str], LoadedModel]) -> None:
    model = model_of(kind)
    site, contrasts = Site(1, "head", 2), read(model, named(1))
    replacement = prepare_ablation(model, "zero", contrasts, [site], AMPLE, seed=0)
    grid = ablate_contrasts(model, contrasts, [SitePatch((site,))], replacement, AMPLE)
    scores = []
    for pair in (contrasts[0].contrast.better, contrasts[0].contrast.worse):
        inputs = model.inputs([(pair.query.text, pair.text.text)])
        with torch.no_grad(), capturing(model, [site]) as seen:
            model.scores(inputs)
        zeros = torch.zeros_like(seen[site])
        with torch.no_grad(), replacing(model, [Edit(site, torch.tensor([0]), zeros, zeros[..., 0] == 0)]):
            scores.append(float(model.scores(inputs)))
    assert grid.margin_patched[0, 0] == pytest.approx(scores[0] - scores[1], abs=5e-5)


def test_means_are_over_the_tokens_of_a_role(planted: LoadedModel) -> None:
    contrasts = read(planted, [*named(3), uneven()])
    means = role_means(planted, contrasts, [EMBEDDINGS], AMPLE)[EMBEDDINGS]
    rows = [row for one in contrasts for row in (one.better.clean, one.worse.clean)]
    values: list[torch.Tensor] = []
    for row in rows:
        inputs = {"input_ids": row.ids, "token_type_ids": row.types, "attention_mask": np.ones_like(row.ids)}
        with torch.no_grad(), capturing(planted, [EMBEDDINGS]) as seen:
            planted.scores({name: torch.from_numpy(array)[None] for name, array in inputs.items()})
        values.append(seen[EMBEDDINGS][0][torch.from_numpy(row.roles == ROLES.index("q_cue"))])
    torch.testing.assert_close(means[ROLES.index("q_cue")], torch.cat(values).mean(dim=0))
    assert means[ROLES.index("d_scope")].isnan().all()


def test_a_role_that_the_reference_lacks_is_left_alone(planted: LoadedModel) -> None:
    reference, asked = read(planted, named(3)), read(planted, [uneven()])
    bare = [replace(one, worse=one.better) for one in reference]  # texts without Y
    replacement = prepare_ablation(planted, "mean", bare, [EMBEDDINGS], AMPLE, seed=0)
    grid = ablate_contrasts(
        planted, asked, [SitePatch((EMBEDDINGS,), "d_y"), SitePatch((EMBEDDINGS,), "q_y")], replacement, AMPLE
    )
    assert np.isnan(grid.margin_patched).tolist() == [[True], [False]]


def test_patterns_have_no_mean(planted: LoadedModel) -> None:
    with pytest.raises(UserError, match="no mean over texts of different lengths"):
        prepare_ablation(planted, "mean", read(planted, named(2)), planted.sites({"pattern"}), AMPLE, seed=0)

"""Reading and replacing, one by one and stacked, on the library's own classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.hooks import (
    Edit,
    SiteTensors,
    capturing,
    replacing,
    starting_above,
    starting_within,
    tracing,
    watching,
)
from constraintsuite.mechanism.loaded_model import LoadedModel, Tensors
from constraintsuite.mechanism.sites import EMBEDDINGS, KINDS, Site
from mechanism.models import PAIRS, TINY
from mechanism.planted import PLANTED, planted_contrasts

SubjectOf = Callable[[str], LoadedModel]
REUSING = [kind for kind in TINY if kind != "t5"]
CLEAN, CORRUPT = ("soup without leeks", "warm soup and peas"), ("soup with leeks", "warm soup and peas")


@pytest.fixture(autouse=True)
def no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


def seen_at(model: LoadedModel, inputs: Tensors, sites: list[Site]) -> SiteTensors:
    with capturing(model, sites) as seen:
        model.scores(inputs)
    return seen


def whole(site: Site, values: torch.Tensor, row: int = 0) -> Edit:
    return Edit(site, torch.tensor([row]), values, torch.ones(values.shape[:2], dtype=torch.bool))


def stacked(inputs: Tensors, rows: int) -> Tensors:
    return {name: tensor.expand(rows, -1) for name, tensor in inputs.items()}


@pytest.mark.parametrize("kind", TINY)
def test_edits_of_all_heads_stacked_give_what_each_gives_alone(kind: str, model_of: SubjectOf) -> None:
    model = model_of(kind)
    clean, corrupt = model.inputs([CLEAN]), model.inputs([CORRUPT])
    sites = model.sites(["head", "mlp", "attention", "query", "key", "value", "residual"])
    donor = seen_at(model, corrupt, sites)
    alone = []
    for site in sites:
        with replacing(model, [whole(site, donor[site])]):
            alone.append(model.scores(clean))
    with replacing(model, [whole(site, donor[site], row) for row, site in enumerate(sites)]):
        together = model.scores(stacked(clean, len(sites)))
    torch.testing.assert_close(together, torch.cat(alone), rtol=1e-5, atol=1e-5)
    assert len(together.unique()) > len(sites) / 3


def test_only_the_rows_and_positions_of_an_edit_are_replaced(model_of: SubjectOf) -> None:
    model, site = model_of("bert"), Site(1, "head", 2)
    inputs = model.inputs(PAIRS)
    before = seen_at(model, inputs, [site])[site]
    where = torch.zeros(2, before.shape[1], dtype=torch.bool)
    where[0, 3] = where[1, [0, 4]] = True
    edit = Edit(site, torch.tensor([3, 1]), torch.full((2, *before.shape[1:]), 7.0), where)
    with replacing(model, [edit]):
        after = seen_at(model, inputs, [site])[site]
    assert ((after == 7).all(-1)).nonzero().tolist() == [[1, 0], [1, 4], [3, 3]]
    assert torch.equal(after[after != 7], before[after != 7])


def test_edits_that_meet_are_done_in_order(model_of: SubjectOf) -> None:
    model, site = model_of("bert"), Site(0, "mlp")
    inputs = model.inputs(PAIRS[:1])
    like = seen_at(model, inputs, [site])[site]
    first, second, third = (whole(site, torch.full_like(like, value)) for value in (1.0, 2.0, 3.0))
    second.where[:, 2:], third.where[:, 1:] = False, False
    with replacing(model, [first, second, third]):
        after = seen_at(model, inputs, [site])[site]
    assert after[0, :4, 0].tolist() == [3.0, 2.0, 1.0, 1.0]


def test_the_model_is_as_before_when_the_block_ends_with_an_error(model_of: SubjectOf) -> None:
    model = model_of("bert")
    inputs = model.inputs(PAIRS)
    usual, sites = model.scores(inputs), [EMBEDDINGS, Site(1, "head"), Site(1, "pattern", 0)]
    kept = seen_at(model, inputs, sites)
    edits = [Edit(site, torch.arange(4), kept[site] * 2, torch.ones(kept[site].shape[:2]) > 0) for site in sites]
    with pytest.raises(KeyError), starting_above(model, 0, kept[EMBEDDINGS]), replacing(model, edits):
        assert not torch.equal(model.scores(inputs), usual)
        raise KeyError
    assert torch.equal(model.scores(inputs), usual)


@pytest.mark.parametrize("kind", REUSING)
@pytest.mark.parametrize("layer", [-1, 0, 1, 2])
def test_blocks_below_are_passed_over(kind: str, layer: int, model_of: SubjectOf) -> None:
    model, site = model_of(kind), Site(layer, "residual") if layer >= 0 else EMBEDDINGS
    inputs = model.inputs(PAIRS)
    usual, residual = model.scores(inputs), seen_at(model, inputs, [site])[site]
    ran: list[int] = []
    hooks = [
        block.get_submodule(model.family.mlp).register_forward_hook(lambda *_, number=number: ran.append(number))
        for number, block in enumerate(model.blocks)
    ]
    with starting_above(model, layer, residual):
        scores = model.scores(inputs)
    for hook in hooks:
        hook.remove()
    assert torch.equal(scores, usual)
    assert ran == list(range(layer + 1, 3))


@pytest.mark.parametrize("kind", REUSING)
@pytest.mark.parametrize("layer", [0, 2])
def test_a_pass_can_begin_behind_the_heads(kind: str, layer: int, model_of: SubjectOf) -> None:
    model, heads = model_of(kind), Site(layer, "head")
    below = Site(layer - 1, "residual") if layer else EMBEDDINGS
    clean, corrupt = model.inputs([CLEAN]), model.inputs([CORRUPT])
    kept, donor = seen_at(model, clean, [below, heads]), seen_at(model, corrupt, [Site(layer, "head", 1)])
    edit = whole(Site(layer, "head", 1), donor[Site(layer, "head", 1)])
    with replacing(model, [edit]):
        usual = model.scores(clean)
    ran: list[object] = []
    hook = model.blocks[layer].get_submodule(model.family.value).register_forward_hook(lambda *_: ran.append(_))
    with starting_within(model, layer, kept[below], kept[heads]), replacing(model, [edit]):
        torch.testing.assert_close(model.scores(clean), usual, rtol=0, atol=1e-6)
    hook.remove()
    assert not ran


def test_a_family_whose_blocks_tell_each_other_more_is_refused(model_of: SubjectOf) -> None:
    model = model_of("t5")
    with pytest.raises(UserError, match="cannot be skipped"), starting_above(model, 0, torch.zeros(1, 1, 16)):
        pass


@pytest.mark.parametrize("kind", TINY)
def test_gradients_are_those_of_the_values_put_in(kind: str, model_of: SubjectOf) -> None:
    """The other way to them: replace a site by its own values as a leaf, and ask torch for the leaf's gradient."""
    model = model_of(kind)
    inputs = model.inputs(PAIRS)
    sites = [EMBEDDINGS] + [model.sites([name])[-2] for name in KINDS if name not in ("embeddings", "pattern")]
    sites += [] if kind == "t5" else [Site(1, "pattern", 2)]
    with tracing(model, sites) as trace:
        gradients = trace.gradients(model.scores(inputs))
    for site in sites:
        leaf = trace.values()[site].clone().requires_grad_(True)
        edit = Edit(site, torch.arange(len(leaf)), leaf, torch.ones(leaf.shape[:2], dtype=torch.bool))
        # In sight of the same weights: attention computed in steps rounds otherwise.
        with torch.enable_grad(), capturing(model, sites), replacing(model, [edit]):
            (expected,) = torch.autograd.grad(model.scores(inputs).sum(), leaf)
        assert gradients[site].shape == leaf.shape
        torch.testing.assert_close(gradients[site], expected, rtol=1e-4, atol=1e-5, msg=str(site))
        assert gradients[site].abs().max() > 0


def test_gradients_are_taken_where_embeddings_are_replaced(model_of: SubjectOf) -> None:
    model = model_of("bert")
    clean, corrupt = model.inputs([CLEAN]), model.inputs([CORRUPT])
    with tracing(model, [EMBEDDINGS]) as trace:
        expected = trace.gradients(model.scores(corrupt))[EMBEDDINGS]
    with replacing(model, [whole(EMBEDDINGS, trace.values()[EMBEDDINGS])]), tracing(model, [EMBEDDINGS]) as trace:
        found = trace.gradients(model.scores(clean))[EMBEDDINGS]
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(
    "site", [EMBEDDINGS, Site(1, "head", 2), Site(0, "attention"), Site(2, "mlp"), Site(1, "residual")]
)
@pytest.mark.parametrize("fault", [float("nan"), float("inf")])
def test_what_is_no_number_is_named_with_its_site(site: Site, fault: float, model_of: SubjectOf) -> None:
    model = model_of("bert")
    inputs = model.inputs(PAIRS[:2])
    values = seen_at(model, inputs, [site])[site].clone()
    values[1, 2, 0] = fault
    edit = Edit(site, torch.arange(2), values, torch.ones(values.shape[:2], dtype=torch.bool))
    with replacing(model, [edit]), pytest.raises(UserError, match=f"numbers at {site} are"), watching(model):
        model.scores(inputs)


def test_sound_numbers_are_let_pass(model_of: SubjectOf) -> None:
    model = model_of("bert")
    with watching(model):
        model.scores(model.inputs(PAIRS))


def test_the_planted_head_alone_carries_the_cue(planted: LoadedModel) -> None:
    contrasts, sites = planted_contrasts(8), planted.sites(["head", "mlp"])
    rows = [(c.better.query.text, c.better.text.text) for c in contrasts] + [
        (c.worse.query.text, c.worse.text.text) for c in contrasts
    ]
    twins = [(c.better_corrupt.query.text, c.better_corrupt.text.text) for c in contrasts] + [
        (c.worse_corrupt.query.text, c.worse_corrupt.text.text) for c in contrasts
    ]
    clean, corrupt = planted.inputs(rows), planted.inputs(twins)

    def margin(scores: torch.Tensor) -> torch.Tensor:
        return scores[:8] - scores[8:]

    right, wrong, donor = margin(planted.scores(clean)), margin(planted.scores(corrupt)), seen_at(planted, clean, sites)
    assert right.min() > 1 and wrong.max() < -1
    for site in sites:
        where = torch.ones(donor[site].shape[:2], dtype=torch.bool)
        with replacing(planted, [Edit(site, torch.arange(16), donor[site], where)]):
            recovered = (margin(planted.scores(corrupt)) - wrong).mean() / (right - wrong).mean()
        assert recovered.item() == pytest.approx(1.0 if str(site) == PLANTED else 0.0, abs=1e-4), site

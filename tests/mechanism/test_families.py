"""What holds of the sites of every family, on the library's own classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.families import FAMILIES
from constraintsuite.mechanism.hooks import Edit, SiteTensors, capturing, replacing
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.sites import KINDS, Site, SiteKind, parse_site
from mechanism.models import PAIRS, TINY

SubjectOf = Callable[[str], LoadedModel]
WITH_PATTERN = [kind for kind in TINY if kind != "t5"]


@pytest.fixture(autouse=True)
def no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


def heads_when(model: LoadedModel, edit: Edit) -> torch.Tensor:
    """What the heads of the second block read: (rows, positions, heads, width)."""
    site = Site(1, "head")
    with replacing(model, [edit]), capturing(model, [site]) as seen:
        model.scores(model.inputs(PAIRS[:1]))
    return seen[site].unflatten(-1, (model.heads, -1))


def seen_at(model: LoadedModel, sites: list[Site]) -> SiteTensors:
    with capturing(model, sites) as seen:
        model.scores(model.inputs(PAIRS[:1]))
    return seen


def zeros_at(model: LoadedModel, site: Site, positions: slice = slice(None)) -> Edit:
    values = torch.zeros_like(seen_at(model, [site])[site])
    where = torch.zeros(values.shape[:2], dtype=torch.bool)
    where[:, positions] = True
    return Edit(site, torch.tensor([0]), values, where)


def count(model: LoadedModel, kind: SiteKind) -> int:
    """Sites of that kind in a block."""
    return len(model.sites([kind])) // model.layers


def test_each_family_is_tried_here() -> None:
    assert {kind.removesuffix("-conv").removesuffix("-mean") for kind in TINY} == set(FAMILIES)


@pytest.mark.parametrize("kind", TINY)
def test_all_sites_are_seen_in_their_shapes(kind: str, model_of: SubjectOf) -> None:
    model = model_of(kind)
    kinds = [site for site in KINDS if site != "pattern"]
    sites = model.sites(kinds)
    seen = seen_at(model, sites)
    assert list(map(parse_site, map(str, sites))) == sites
    keys = 2 if model.family.key_heads == "num_key_value_heads" else 4
    assert len(sites) == 1 + 3 * (3 + 4 + 4 + keys + keys)
    positions = model.inputs(PAIRS[:1])["input_ids"].shape[1]
    of_a_head = {seen[site].shape for site in sites if site.kind in ("head", "query", "key", "value")}
    whole = {seen[site].shape for site in sites if site.kind in ("embeddings", "residual", "attention", "mlp")}
    assert len(of_a_head) == 1 and next(iter(of_a_head))[:2] == (1, positions)
    assert whole == {(1, positions, 16)}


@pytest.mark.parametrize("kind", TINY)
@pytest.mark.parametrize("part", ["query", "key", "value"])
def test_heads_are_apart(kind: str, part: SiteKind, model_of: SubjectOf) -> None:
    model = model_of(kind)
    site = Site(1, part, 1)
    usual = seen_at(model, [Site(1, "head")])[Site(1, "head")].unflatten(-1, (model.heads, -1))
    changed = heads_when(model, zeros_at(model, site))
    sharing = model.heads // count(model, part)
    touched = [bool((changed[:, :, head] != usual[:, :, head]).any()) for head in range(model.heads)]
    assert touched == [head // sharing == site.head for head in range(model.heads)]


@pytest.mark.parametrize("kind", TINY)
def test_query_key_and_value_are_told_apart(kind: str, model_of: SubjectOf) -> None:
    model, place = model_of(kind), 3
    usual = seen_at(model, [Site(1, "head")])[Site(1, "head")].unflatten(-1, (model.heads, -1))[0, :, 0]
    queries = heads_when(model, zeros_at(model, Site(1, "query", 0), slice(place, place + 1)))[0, :, 0]
    keys = heads_when(model, zeros_at(model, Site(1, "key", 0), slice(place, place + 1)))[0, :, 0]
    values = heads_when(model, zeros_at(model, Site(1, "value", 0)))[0, :, 0]
    moved = (queries != usual).any(dim=-1)
    assert moved.nonzero().flatten().tolist() == [place]  # a query is the business of its own position
    assert (keys != usual).any(dim=-1).sum() > 1  # a key is that of all who look
    assert values.abs().max() == 0  # nothing is read where there are no values


# In the one that is left out, a convolution stands between the first two blocks.
@pytest.mark.parametrize("kind", [kind for kind in TINY if kind != "deberta-v2-conv"])
def test_attention_and_mlp_are_what_is_added(kind: str, model_of: SubjectOf) -> None:
    """Without them a block gives what it was given, as a norm of what is normed already changes nothing."""
    model = model_of(kind)
    attention, mlp = zeros_at(model, Site(1, "attention")), zeros_at(model, Site(1, "mlp"))
    below, above = Site(0, "residual"), Site(1, "residual")
    with replacing(model, [attention, mlp]), capturing(model, [below, above]) as seen:
        model.scores(model.inputs(PAIRS[:1]))
    torch.testing.assert_close(seen[above], seen[below], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", WITH_PATTERN)
def test_a_pattern_is_weights_that_sum_to_one(kind: str, model_of: SubjectOf) -> None:
    model = model_of(kind)
    sites = model.sites(["pattern"])
    seen = seen_at(model, sites)
    positions = model.inputs(PAIRS[:1])["input_ids"].shape[1]
    assert len(sites) == 12
    for site in sites:
        assert seen[site].shape == (1, positions, positions)
        torch.testing.assert_close(seen[site].sum(-1), torch.ones(1, positions))


@pytest.mark.parametrize("kind", WITH_PATTERN)
def test_what_a_head_reads_is_its_pattern_times_its_values(kind: str, model_of: SubjectOf) -> None:
    model = model_of(kind)
    pattern, head = Site(2, "pattern", 3), Site(2, "head", 3)
    value = Site(2, "value", 3 * count(model, "value") // model.heads)
    seen = seen_at(model, [pattern, head, value])
    torch.testing.assert_close(seen[head], seen[pattern] @ seen[value], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", WITH_PATTERN)
def test_patterns_are_replaced_head_by_head(kind: str, model_of: SubjectOf) -> None:
    model = model_of(kind)
    inputs, site = model.inputs(PAIRS[:1]), Site(1, "pattern", 2)
    heads = model.sites(["head"])
    with capturing(model, [site, *heads]) as before:
        model.scores(inputs)
    where = torch.ones(before[site].shape[:2], dtype=torch.bool)
    edit = Edit(site, torch.tensor([0]), torch.eye(where.shape[1])[None], where)
    with replacing(model, [edit]), capturing(model, heads) as after:
        model.scores(inputs)
    changed = [str(head) for head in heads if head.layer < 2 and not torch.equal(before[head], after[head])]
    assert changed == ["L1.H2"]


def test_the_model_attends_as_before_when_the_block_ends(model_of: SubjectOf) -> None:
    model = model_of("bert")
    inputs = model.inputs(PAIRS)
    usual, modules = model.scores(inputs), [name for name, _ in model.module.named_modules()]
    with capturing(model, model.sites(["pattern"])):
        torch.testing.assert_close(model.scores(inputs), usual, rtol=0, atol=1e-5)
    assert model.module.config._attn_implementation == "sdpa"
    assert torch.equal(model.scores(inputs), usual)
    assert [name for name, _ in model.module.named_modules()] == modules


@pytest.mark.parametrize(
    ("kind", "site", "reason"),
    [
        ("bert", Site(3, "mlp"), "L3.mlp: .* has 3 layers"),
        ("bert", Site(0, "head", 4), "L0.H4: .* has 4 heads"),
        ("llama", Site(0, "key", 2), "L0.H2.key: .* has 2 heads"),
        ("t5", Site(0, "pattern", 0), "cannot be reached"),
        ("deberta", Site(0, "query"), "Name one head"),
    ],
)
def test_a_site_that_is_not_there_is_refused(kind: str, site: Site, reason: str, model_of: SubjectOf) -> None:
    with pytest.raises(UserError, match=reason):
        model_of(kind).hook_point(site)


@pytest.mark.parametrize("kind", TINY)
def test_the_last_layer_is_computed_in_full(kind: str, model_of: SubjectOf) -> None:
    assert not model_of(kind).classifier.first_token_only

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import count

import pytest
import torch

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.attribution import attribute_contrasts
from constraintsuite.mechanism.effects.records import DIRECTIONS
from constraintsuite.mechanism.hooks import SiteTensors, capturing
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.patching import capacity as memory
from constraintsuite.mechanism.patching import patches as donors
from constraintsuite.mechanism.patching.capacity import Budget, plan_memory
from constraintsuite.mechanism.patching.exact import patch_contrasts
from constraintsuite.mechanism.patching.patches import SitePatch
from constraintsuite.mechanism.sites import KINDS, Site, SiteKind
from mechanism.models import TINY
from mechanism.planted import planted_contrasts
from mechanism.uneven import read


def test_more_memory_holds_more_tokens(planted: LoadedModel) -> None:
    sites = planted.sites({"head", "mlp", "residual"})
    small, large = (plan_memory(planted, sites, mib, 16) for mib in (1, 4))
    assert large.kept == pytest.approx(4 * small.kept, rel=0.01)
    assert large.stacked >= small.stacked


@pytest.mark.parametrize("more", [{"query"}, {"pattern"}])
def test_more_sites_leave_room_for_fewer_tokens(more: set[SiteKind], planted: LoadedModel) -> None:
    few, many = planted.sites({"head"}), planted.sites({"head", *more})
    assert plan_memory(planted, many, 1, 16).kept < plan_memory(planted, few, 1, 16).kept


def test_too_little_memory_is_refused_with_what_is_needed(planted: LoadedModel) -> None:
    with pytest.raises(UserError, match=r"--memory: rows of 4000 tokens need at least (\d+) MiB") as told:
        plan_memory(planted, planted.sites({"residual"}), 1, 4_000)
    need = int(str(told.value).split("at least ")[1].split()[0])
    assert plan_memory(planted, planted.sites({"residual"}), need, 4_000).stacked >= 3 * 4_000


def least(model: LoadedModel, sites: Collection[Site], longest: int) -> Budget:
    """The smallest that is not refused."""
    for mib in count(1):
        try:
            return plan_memory(model, sites, mib, longest)
        except UserError:
            continue
    raise AssertionError


@contextmanager
def largest_pass(model: LoadedModel) -> Iterator[list[int]]:
    """The most tokens of any forward pass of the block so far."""
    most = [0]

    def look(_module: torch.nn.Module, _given: object, named: dict[str, torch.Tensor]) -> None:
        most[0] = max(most[0], named["input_ids"].numel())

    hook = model.module.register_forward_pre_hook(look, with_kwargs=True)
    try:
        yield most
    finally:
        hook.remove()


@pytest.mark.parametrize("kinds", [{"mlp"}, {"head", "residual"}, {"pattern"}])
def test_no_pass_is_larger_than_the_least_memory_allows(
    kinds: set[SiteKind], planted: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "MIB", 64)  # so that the smallest budgets are told apart
    contrasts, sites = read(planted, planted_contrasts(6)), planted.sites(kinds)
    budget = least(planted, sites, contrasts[0].longest)
    with largest_pass(planted) as most:
        patch_contrasts(planted, contrasts, [SitePatch((site,)) for site in sites], DIRECTIONS, budget)
    assert 0 < most[0] <= budget.stacked


def test_gradients_that_do_not_fit_are_refused_with_what_is_needed(
    planted: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "MIB", 1 << 10)
    contrasts, sites = read(planted, planted_contrasts(6)), planted.sites({"mlp"})
    patches = [SitePatch((site,)) for site in sites]
    tight = least(planted, sites, contrasts[0].longest)
    with pytest.raises(UserError, match="--memory: gradients of rows of") as told:
        attribute_contrasts(planted, contrasts, patches, DIRECTIONS, tight)
    enough = plan_memory(planted, sites, int(str(told.value).split("at least ")[1].split()[0]), contrasts[0].longest)
    with largest_pass(planted) as most:
        attribute_contrasts(planted, contrasts, patches, DIRECTIONS, enough)
    assert 0 < most[0] <= enough.traced


@pytest.mark.parametrize("kind", ["mlp", "head", "query", "attention"])
def test_all_that_is_kept_is_counted(kind: SiteKind, planted: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    contrasts, sites, held = read(planted, planted_contrasts(1)), planted.sites({kind}), []

    @contextmanager
    def weighing(model: LoadedModel, seen_at: Collection[Site]) -> Iterator[SiteTensors]:
        with capturing(model, seen_at) as seen:
            yield seen
        whole = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in seen.values()}
        held.append(sum(whole.values()))

    monkeypatch.setattr(donors, "capturing", weighing)
    budget = plan_memory(planted, sites, 1, contrasts[0].longest)
    patch_contrasts(planted, contrasts, [SitePatch((site,)) for site in sites], DIRECTIONS, budget)
    tokens = 2 * len(contrasts[0].pairs) * contrasts[0].longest
    assert budget.kept * sum(held) / tokens <= memory.MIB / 2


@pytest.mark.parametrize("kind", TINY)
def test_every_family_says_how_wide_its_sites_are(kind: str, model_of: Callable[[str], LoadedModel]) -> None:
    model = model_of(kind)
    kinds = [name for name in KINDS if name != "pattern" or model.family.pattern != "none"]
    assert plan_memory(model, model.sites(kinds), 64, 48).stacked >= 48

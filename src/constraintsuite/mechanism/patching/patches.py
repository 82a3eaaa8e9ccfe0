"""Patches: which values are put in where, and many of them in one forward pass."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.effects.records import ALL
from constraintsuite.mechanism.hooks import (
    HookGroup,
    SiteTensors,
    by_module,
    capturing,
    hooked,
    refuse_infinite,
    starting_above,
    starting_within,
    watching,
)
from constraintsuite.mechanism.loaded_model import LoadedModel, Tensors
from constraintsuite.mechanism.patching.batches import OTHER, ContrastBatch, RunName, carried
from constraintsuite.mechanism.sites import EMBEDDINGS, Site
from constraintsuite.models.torch.firsttoken import ARCHITECTURES, first_token_only

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Observed:
    """The scores of a run before anything is put into it, and what passed some sites."""

    scores: torch.Tensor
    seen: SiteTensors


@dataclass(frozen=True)
class Donor:
    """Values for the rows of a run, place by place."""

    where: torch.Tensor
    """Which places can be given anything: bool (rows, positions)."""
    values: Callable[[Site], torch.Tensor]
    """(rows, positions, width of the site); of a pattern, (rows, queries, keys)."""


def observe(model: LoadedModel, block: ContrastBatch, run: RunName, sites: Iterable[Site]) -> Observed:
    """The scores of a run and what passes some sites in it."""
    with capturing(model, sites) as seen:
        scores = model.scores(block.inputs[run])
    refuse_infinite(model, scores, run, block.inputs[run])
    return Observed(scores, seen)


def twin_donor(block: ContrastBatch, into: RunName, runs: dict[RunName, Observed]) -> Donor:
    """The other run of the same contrasts."""
    given = runs[OTHER[into]]
    weights, where = carried(block, into, given.scores.device)

    @cache  # sites of one layer are asked for several times in turn
    def values(site: Site) -> torch.Tensor:
        return moved(given.seen[site], weights, site)

    return Donor(where, values)


def moved(values: torch.Tensor, weights: torch.Tensor | None, site: Site) -> torch.Tensor:
    """Values at the places of those who take them; the weights of a pattern then add up to 1 again."""
    import torch

    if weights is None:
        return values
    if site.kind != "pattern":
        return weights @ values
    taken = weights @ values @ weights.transpose(1, 2)
    total = taken.sum(dim=-1, keepdim=True)
    return taken / torch.where(total > 0, total, 1)


_BEFORE_HEADS = frozenset({"query", "key", "value", "pattern"})


class SitePatch(NamedTuple):
    """Sites that are given other values at once, at the places of a role; that of a `pattern` names its keys."""

    sites: tuple[Site, ...]
    role: str = ALL

    def __str__(self) -> str:
        return " + ".join(map(str, self.sites)) + ("" if self.role == ALL else f" at {self.role}")


class Start(NamedTuple):
    """Where a forward pass can begin: with the tokens, above a block, or behind the heads of one."""

    how: Literal["tokens", "above", "within"]
    layer: int
    patterns: bool
    """Whether attention must be computed step by step; kept apart, as that is slower."""


@dataclass(frozen=True)
class PatchableRun:
    """A run that is about to be patched: its inputs, how it is without, who gives, and the places of each role."""

    model: LoadedModel
    inputs: Tensors
    base: Observed
    donor: Donor
    places: Mapping[str, torch.Tensor]
    """Bool (rows, positions)."""

    @property
    def rows(self) -> int:
        """The number of rows, of which every patch gets a copy."""
        return len(self.base.scores)


def start_of(model: LoadedModel, patch: SitePatch) -> Start:
    """The highest place that a forward pass with this patch can begin at."""
    lowest = min(site.layer for site in patch.sites)
    kinds = {site.kind for site in patch.sites if site.layer == lowest}
    patterns = any(site.kind == "pattern" for site in patch.sites)
    if not model.family.reuse:
        return Start("tokens", -1, patterns)
    if kinds <= {"embeddings", "residual"}:
        return Start("above", lowest, patterns)
    if kinds & _BEFORE_HEADS:
        return Start("above", lowest - 1, patterns)
    return Start("within", lowest, patterns)


def sites_to_keep(model: LoadedModel, patches: Collection[SitePatch]) -> set[Site]:
    """What must be seen of the run that is patched, so that the blocks below need not be computed again."""
    kept = set()
    for start in {start_of(model, patch) for patch in patches}:
        if start.how == "above":
            kept.add(residual(start.layer))
        elif start.how == "within":
            kept |= {residual(start.layer - 1), Site(start.layer, "head")}
    return kept


def residual(layer: int) -> Site:
    """What a block gives; -1 for what enters the first."""
    return EMBEDDINGS if layer < 0 else Site(layer, "residual")


def batches(model: LoadedModel, patches: Sequence[SitePatch], at_once: int) -> Iterator[list[int]]:
    """Places of patches that share a start, at most so many at once, from below upwards."""
    starts = [start_of(model, patch) for patch in patches]
    order = sorted(range(len(patches)), key=lambda i: (starts[i], i))
    for _, some in groupby(order, key=starts.__getitem__):
        alike = list(some)
        yield from (alike[i : i + at_once] for i in range(0, len(alike), at_once))


def stacked_scores(stage: PatchableRun, patches: Sequence[SitePatch]) -> torch.Tensor:
    """The scores of all rows under each of some patches that share a start: (patches, rows)."""
    model, count = stage.model, len(patches)
    start = start_of(model, patches[0])
    left = sorted({site for patch in patches for site in patch.sites})
    with ExitStack() as changes:
        if start.how == "above":
            first = residual(start.layer)
            begin = _begun(stage, patches, first, [first] if first in left else [])
            changes.enter_context(starting_above(model, start.layer, begin))
            left = [site for site in left if site != first]
        elif start.how == "within":
            heads = [site for site in left if site.layer == start.layer and site.kind == "head"]
            begin = _begun(stage, patches, Site(start.layer, "head"), heads)
            below = _copies(stage.base.seen[residual(start.layer - 1)], count)
            changes.enter_context(starting_within(model, start.layer, below, begin))
            left = [site for site in left if site not in heads]
        if start.how != "tokens" and not start.patterns and _last_layer_is_free(model, patches):
            changes.enter_context(first_token_only(model.module))
        for group in by_module(model, left, changes):
            changes.enter_context(hooked(group[0][0], _Writer(stage, patches, group)))
        inputs = {name: _copies(tensor, count) for name, tensor in stage.inputs.items()}
        return model.scores(inputs).unflatten(0, (count, stage.rows))


def _last_layer_is_free(model: LoadedModel, patches: Sequence[SitePatch]) -> bool:
    """Whether the last layer need only be computed for the token that is read: nothing is patched there."""
    config, last = model.module.config, model.layers - 1
    alike = config.model_type in ARCHITECTURES and not config.is_decoder and config._attn_implementation == "sdpa"
    return alike and all(site.layer < last for patch in patches for site in patch.sites)


def name_fault(stage: PatchableRun, patches: Sequence[SitePatch]) -> NoReturn:
    """Says at which site, and under which of the patches, a number was infinite or none at all."""
    for patch in patches:
        try:
            with watching(stage.model):
                finite = bool(stacked_scores(stage, [patch]).isfinite().all())
        except UserError as error:
            raise UserError(f"{error} That is so when {patch} is patched.") from None
        if not finite:
            raise UserError(f"{stage.model.name}: a score is infinite or no number when {patch} is patched.")
    names = ", ".join(map(str, patches))
    raise UserError(
        f"{stage.model.name}: a score is infinite or no number when these are patched in one pass: {names}."
    )


def _begun(stage: PatchableRun, patches: Sequence[SitePatch], whole: Site, sites: Sequence[Site]) -> torch.Tensor:
    """What passed a site, a copy for each patch, with the patches of some sites in it."""
    begin = _copies(stage.base.seen[whole], len(patches))
    if sites:
        with ExitStack() as nothing:
            (group,) = by_module(stage.model, sites, nothing)
            _Writer(stage, patches, group).write(begin)
    return begin


def _copies(tensor: torch.Tensor, count: int) -> torch.Tensor:
    return tensor.repeat(count, *[1] * (tensor.dim() - 1))


class _Writer:
    """Puts the donor's values into what passes a module, in the copies whose patches say so."""

    def __init__(self, stage: PatchableRun, patches: Sequence[SitePatch], group: HookGroup) -> None:
        import torch

        self._shape = (len(patches), stage.rows)
        self._tap = group[0][0]
        sites, device = [site for _, site, _ in group], stage.base.scores.device
        self._numbers = [point.number for point, _, _ in group]
        self._values = torch.stack(
            [stage.donor.values(site) for site in sites], dim=1
        )  # (rows, sites, positions, width)
        chosen = torch.tensor([[site in patch.sites for site in sites] for patch in patches], device=device)
        places = torch.stack([stage.places[patch.role] for patch in patches])[:, :, None]
        where = stage.donor.where[None, :, None]
        within = (places & where)[..., None]
        if self._tap.weights:
            within = where[..., None] & places[..., None, :]
        self._select = chosen[:, None, :, None, None] & within

    def __call__(self, passing: torch.Tensor) -> torch.Tensor:
        """A changed copy of what passes."""
        import torch

        changed = passing.clone(memory_format=torch.contiguous_format)
        self.write(changed)
        return changed

    def write(self, whole: torch.Tensor) -> None:
        """Change a tensor in place."""
        inside = self._tap.open(whole).unflatten(0, self._shape)  # (patches, rows, parts, positions, width)
        here = inside[:, :, self._numbers]
        inside[:, :, self._numbers] = self._values.where(self._select, here)

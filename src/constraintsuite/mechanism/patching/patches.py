"""Patches: which values replace which, and how many patches run in one forward pass."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
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
from constraintsuite.mechanism.patching.batches import OTHER, ContrastBatch, RunName, transfer_tensors
from constraintsuite.mechanism.sites import EMBEDDINGS, Site
from constraintsuite.models.torch.firsttoken import ARCHITECTURES, first_token_only

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Observed:
    """The scores of a run without patches, the values at some sites and, if they were computed, gradients there."""

    scores: torch.Tensor
    seen: SiteTensors
    gradients: SiteTensors = field(default_factory=dict)


@dataclass(frozen=True)
class Donor:
    """Replacement values, usually from the other run, and the positions that take them."""

    where: torch.Tensor
    """The positions that have such values: bool (rows, positions)."""
    values: Callable[[Site], torch.Tensor]
    """(rows, positions, width of the site); of a pattern, (rows, queries, keys)."""


def observe(block: ContrastBatch, run: RunName, sites: Iterable[Site]) -> Observed:
    """Run the rows of a block without patches, and keep the values at some sites."""
    with capturing(block.model, sites) as seen:
        scores = block.model.scores(block.inputs[run])
    refuse_infinite(block.model, scores, run, block.inputs[run])
    return Observed(scores, seen)


def other_run_donor(block: ContrastBatch, into: RunName, runs: Mapping[RunName, Observed]) -> Donor:
    """A donor with the values of the other run of the same contrasts."""
    given = runs[OTHER[into]]
    weights, where = transfer_tensors(block, into)

    @cache  # sites of one layer are asked for several times in a row
    def values(site: Site) -> torch.Tensor:
        return move_values(given.seen[site], weights, site)

    return Donor(where, values)


def move_values(values: torch.Tensor, weights: torch.Tensor | None, site: Site) -> torch.Tensor:
    """Values of a site moved to the positions that take them; attention weights are scaled to add up to 1 again."""
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
    """Sites that get other values at the same time, at the positions of a role; for a `pattern`, the role of the keys."""

    sites: tuple[Site, ...]
    role: str = ALL

    def __str__(self) -> str:
        return " + ".join(map(str, self.sites)) + ("" if self.role == ALL else f" at {self.role}")


class Start(NamedTuple):
    """Where a forward pass can start: at the tokens, above a block, or after the heads of a block."""

    how: Literal["tokens", "above", "within"]
    layer: int
    patterns: bool
    """Whether attention must be computed step by step, which is slower."""


@dataclass(frozen=True)
class PatchableRun:
    """A run to patch: its inputs, its scores and values without patches, the donor, and the positions of each role."""

    model: LoadedModel
    inputs: Tensors
    base: Observed
    donor: Donor
    places: Mapping[str, torch.Tensor]
    """Bool (rows, positions)."""

    @property
    def rows(self) -> int:
        """The number of rows; every patch gets a copy of them."""
        return len(self.base.scores)


def start_of(model: LoadedModel, patch: SitePatch) -> Start:
    """The highest place at which a forward pass with this patch can start."""
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
    """The sites whose values must be kept from the run that is patched, so that lower blocks are not computed again."""
    kept = set()
    for start in {start_of(model, patch) for patch in patches}:
        if start.how == "above":
            kept.add(residual(start.layer))
        elif start.how == "within":
            kept |= {residual(start.layer - 1), Site(start.layer, "head")}
    return kept


def residual(layer: int) -> Site:
    """The site of the output of a block; -1 for the input of the first."""
    return EMBEDDINGS if layer < 0 else Site(layer, "residual")


def batches(model: LoadedModel, patches: Sequence[SitePatch], at_once: int) -> Iterator[list[int]]:
    """The places of patches that share a start, at most `at_once` together, from the lowest layer upwards."""
    starts = [start_of(model, patch) for patch in patches]
    order = sorted(range(len(patches)), key=lambda i: (starts[i], i))
    for _, some in groupby(order, key=starts.__getitem__):
        alike = list(some)
        yield from (alike[i : i + at_once] for i in range(0, len(alike), at_once))


def stacked_scores(patchable: PatchableRun, patches: Sequence[SitePatch]) -> torch.Tensor:
    """The scores of all rows with each of some patches that share a start: (patches, rows)."""
    model, count = patchable.model, len(patches)
    start = start_of(model, patches[0])
    left = sorted({site for patch in patches for site in patch.sites})
    with ExitStack() as changes:
        if start.how == "above":
            first = residual(start.layer)
            begin = _start_values(patchable, patches, first, [first] if first in left else [])
            changes.enter_context(starting_above(model, start.layer, begin))
            left = [site for site in left if site != first]
        elif start.how == "within":
            heads = [site for site in left if site.layer == start.layer and site.kind == "head"]
            begin = _start_values(patchable, patches, Site(start.layer, "head"), heads)
            below = _copies(patchable.base.seen[residual(start.layer - 1)], count)
            changes.enter_context(starting_within(model, start.layer, below, begin))
            left = [site for site in left if site not in heads]
        if start.how != "tokens" and not start.patterns and _last_layer_is_free(model, patches):
            changes.enter_context(first_token_only(model.module))
        for group in by_module(model, left, changes):
            changes.enter_context(hooked(group[0][0], _Writer(patchable, patches, group)))
        inputs = {name: _copies(tensor, count) for name, tensor in patchable.inputs.items()}
        return model.scores(inputs).unflatten(0, (count, patchable.rows))


def _last_layer_is_free(model: LoadedModel, patches: Sequence[SitePatch]) -> bool:
    """Whether the last layer needs to be computed for the first token only, because nothing is patched there."""
    config, last = model.module.config, model.layers - 1
    alike = config.model_type in ARCHITECTURES and not config.is_decoder and config._attn_implementation == "sdpa"
    return alike and all(site.layer < last for patch in patches for site in patch.sites)


def name_fault(patchable: PatchableRun, patches: Sequence[SitePatch]) -> NoReturn:
    """Raise a UserError that names the site and the patch with an infinite or undefined number."""
    for patch in patches:
        try:
            with watching(patchable.model):
                finite = bool(stacked_scores(patchable, [patch]).isfinite().all())
        except UserError as error:
            raise UserError(f"{error} This happens when {patch} is patched.") from None
        if not finite:
            raise UserError(f"{patchable.model.name}: a score is infinite or undefined when {patch} is patched.")
    names = ", ".join(map(str, patches))
    raise UserError(
        f"{patchable.model.name}: a score is infinite or undefined when these are patched in one pass: {names}."
    )


def _start_values(
    patchable: PatchableRun, patches: Sequence[SitePatch], whole: Site, sites: Sequence[Site]
) -> torch.Tensor:
    """The values at a site, one copy per patch, with the patches of some sites applied."""
    begin = _copies(patchable.base.seen[whole], len(patches))
    if sites:
        (group,) = by_module(patchable.model, sites, ExitStack())
        _Writer(patchable, patches, group).write(begin)
    return begin


def _copies(tensor: torch.Tensor, count: int) -> torch.Tensor:
    return tensor.repeat(count, *[1] * (tensor.dim() - 1))


class _Writer:
    """The patch itself, as a hook.

    A batch holds one copy of its rows per patch. In each copy, this overwrites the sites and positions of its patch.
    """

    def __init__(self, patchable: PatchableRun, patches: Sequence[SitePatch], group: HookGroup) -> None:
        import torch

        self._shape = (len(patches), patchable.rows)
        self._point = group[0][0]
        sites, device = [site for _, site, _ in group], patchable.base.scores.device
        self._numbers = [point.number for point, _, _ in group]
        # (rows, sites, positions, width)
        self._values = torch.stack([patchable.donor.values(site) for site in sites], dim=1)
        chosen = torch.tensor([[site in patch.sites for site in sites] for patch in patches], device=device)
        places = torch.stack([patchable.places[patch.role] for patch in patches])[:, :, None]
        where = patchable.donor.where[None, :, None]
        within = (places & where)[..., None]
        if self._point.weights:
            within = where[..., None] & places[..., None, :]
        self._select = chosen[:, None, :, None, None] & within

    def __call__(self, passing: torch.Tensor) -> torch.Tensor:
        """A changed copy of the tensor."""
        import torch

        changed = passing.clone(memory_format=torch.contiguous_format)
        self.write(changed)
        return changed

    def write(self, whole: torch.Tensor) -> None:
        """Change a tensor in place."""
        inside = self._point.split_parts(whole).unflatten(0, self._shape)  # (patches, rows, parts, positions, width)
        here = inside[:, :, self._numbers]
        inside[:, :, self._numbers] = self._values.where(self._select, here)

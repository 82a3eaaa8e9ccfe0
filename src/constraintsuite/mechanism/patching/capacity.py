"""What the machine at hand can take: how many tokens fit into memory, and how many passes it makes per second."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.patching.batches import make_block
from constraintsuite.mechanism.patching.patches import SitePatch, sites_to_keep
from constraintsuite.mechanism.sites import Site
from constraintsuite.models.torch.device import inference

if TYPE_CHECKING:
    import torch

MIB = 1 << 20
DEFAULT_MIB = {"cpu": 1_024, "cuda": 16_384}
_FASTEST = {"cpu": 2_048, "cuda": 262_144}
"""Tokens beyond which a batch is not faster, only larger: on a processor it no longer fits into the caches."""
PAIRS = 3
"""Rows of one run of a contrast that has a pair aside: it is the least that is run at once."""
_NUMBER = 4  # bytes, in fp32


@dataclass(frozen=True)
class Budget:
    """The most tokens, padding included, that fit into memory at once."""

    kept: int
    """Of a block of contrasts, clean and corrupt, whose activations are kept."""
    stacked: int
    """Of a forward pass of copies."""
    traced: int
    """Of a forward pass whose gradients are asked for."""

    @property
    def block(self) -> int:
        """Of a block of contrasts whose activations are kept while copies of it are run."""
        return min(self.kept, 2 * self.stacked)


class _Costs(NamedTuple):
    """Bytes that a token takes."""

    kept: int
    """In a block: what passes the sites, and once more as it is put into the other run."""
    stacked: int
    traced: int


def plan_memory(model: LoadedModel, sites: Collection[Site], mib: int | None, longest: int) -> Budget:
    """Half of the memory for what is kept of a block, half for a pass over it, or as a single contrast needs it.

    The weights are not counted. `longest` is the longest row's tokens; too little for a contrast of three such pairs is a
    UserError. Gradients need more, and are refused by `refuse_untraced` where they are asked for.
    """
    device = model.device.type
    total = (mib or DEFAULT_MIB[device]) * MIB
    costs = _costs(model, sites, longest)
    for_pass, for_block = (rows * longest * cost for rows, cost in ((PAIRS, costs.stacked), (2 * PAIRS, costs.kept)))
    if for_pass + for_block > total:
        raise _too_little(longest, "", for_pass + for_block)
    half = min(max(total // 2, for_block), total - for_pass)
    return Budget(
        kept=half // costs.kept,
        stacked=min((total - half) // costs.stacked, max(_FASTEST[device], PAIRS * longest)),
        traced=min(total // costs.traced, max(_FASTEST[device], 2 * PAIRS * longest)),
    )


def refuse_untraced(model: LoadedModel, sites: Collection[Site], budget: Budget, rows: int, longest: int) -> None:
    """Refuse to trace so many rows of a contrast at once if they do not fit."""
    if rows * longest > budget.traced:
        need = rows * longest * _costs(model, sites, longest).traced
        raise _too_little(longest, "gradients of ", need)


def _too_little(longest: int, what: str, need: int) -> UserError:
    return UserError(f"--memory: {what}rows of {longest} tokens need at least {-(-need // MIB)} MiB with these sites.")


def peak_mib(device: torch.device) -> float:
    """Most memory taken so far: of the device, or of this process where that is the processor."""
    import resource  # noqa: PLC0415 - not on every system

    import torch  # noqa: PLC0415 - takes seconds

    if device.type == "cuda":
        return float(torch.cuda.max_memory_allocated(device)) / MIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024


def _costs(model: LoadedModel, sites: Collection[Site], longest: int) -> _Costs:
    every = {*sites, *sites_to_keep(model, [SitePatch((site,)) for site in sites])}
    # Sites of one layer and kind are parts of one tensor, and kept together; weights of attention are too.
    whole = {Site(site.layer, site.kind) for site in every}
    seen = _NUMBER * sum(_width(model, site, longest) for site in whole)
    given, weights = _block_bytes(model, longest, patterns=any(site.kind == "pattern" for site in sites))
    # In a pass, what projections give is there twice; for gradients each block keeps it, and of each site values and gradients.
    return _Costs(2 * seen, 2 * given + weights, model.layers * (given + weights) + 2 * seen)


def _block_bytes(model: LoadedModel, longest: int, *, patterns: bool) -> tuple[int, int]:
    """What a token's projections give in a block, and its rows of attention weights where those are computed step by step."""
    import torch  # noqa: PLC0415 - takes seconds

    given: int = sum(part.out_features for part in model.blocks[0].modules() if isinstance(part, torch.nn.Linear))
    stepwise = patterns or model.family.pattern != "interface"
    return _NUMBER * given, _NUMBER * 3 * model.heads * longest if stepwise else 0


def _width(model: LoadedModel, site: Site, longest: int) -> int:
    if site.kind == "pattern":
        return model.heads * longest
    if site.kind == "head":
        width: int = model.hook_point(site).module.in_features
        return width
    if site.kind in ("query", "key", "value", "attention", "mlp"):
        of_a_head = site.kind not in ("attention", "mlp")
        given: int = model.hook_point(replace(site, head=0 if of_a_head else -1)).module.out_features
        return given
    hidden: int = model.module.config.hidden_size
    return hidden


SECONDS = 1.0
_MOST = 8  # contrasts, from the shortest to the longest


def passes_a_second(model: LoadedModel, contrasts: Sequence[TokenContrast], budget: Budget) -> float:
    """Forward passes of one row, in batches as large as those of the work."""
    block = make_block(model, _sample(contrasts))
    inputs = block.inputs["clean"]
    copies = max(1, budget.stacked // inputs["input_ids"].numel())
    stacked = {name: rows.repeat(copies, 1) for name, rows in inputs.items()}

    def run() -> int:
        model.scores(stacked).cpu()  # which waits for a device
        return len(stacked["input_ids"])

    with inference():
        return done_a_second(run)


def done_a_second(run: Callable[[], int], clock: Callable[[], float] = time.perf_counter) -> float:
    """How much is done in a second by `run`, which says how much it did; the first time also sets things up, and is not counted."""
    run()
    start, done = clock(), 0
    while not done or clock() - start < SECONDS:
        done += run()
    return done / (clock() - start)


def _sample(contrasts: Sequence[TokenContrast]) -> list[TokenContrast]:
    order = sorted(contrasts, key=lambda one: (one.longest, one.contrast.id))
    step = max(1, len(order) // _MOST)
    return order[step // 2 :: step][:_MOST]

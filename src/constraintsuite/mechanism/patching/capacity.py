"""What this machine can do: how many tokens fit into memory, and how many passes it makes per second."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.patching.batches import make_block
from constraintsuite.mechanism.patching.patches import SitePatch, sites_to_keep
from constraintsuite.mechanism.sites import OF_A_HEAD, Site
from constraintsuite.models.torch.device import inference

if TYPE_CHECKING:
    import torch

MIB = 1 << 20
DEFAULT_MIB = {"cpu": 1_024, "cuda": 16_384}
_FASTEST = {"cpu": 2_048, "cuda": 262_144}
"""Tokens beyond which a batch is not faster; on a CPU it no longer fits into the caches."""
PAIRS = 3
"""Rows of one run of a contrast with an unrelated pair: the smallest batch."""
_NUMBER = 4  # bytes, in fp32


@dataclass(frozen=True)
class Budget:
    """The number of tokens, padding included, that fit into memory at once."""

    kept: int
    """In a block of contrasts, clean and corrupt, whose activations are kept."""
    stacked: int
    """In a forward pass over copies for several patches."""
    traced: int
    """In a forward pass with gradients."""

    @property
    def block(self) -> int:
        """In a block of contrasts whose activations are kept while its copies run."""
        return min(self.kept, 2 * self.stacked)


def plan_memory(model: LoadedModel, sites: Collection[Site], mib: int | None, longest: int) -> Budget:
    """Divide the memory: half for what is kept of a block, half for a pass over it, unless a single contrast needs more.

    The weights of the model are not counted. `longest` is the number of tokens of the longest row. Raises UserError if
    a contrast of three such pairs does not fit. Gradients need more; see `refuse_untraced`.
    """
    device = model.device.type
    total = (mib or DEFAULT_MIB[device]) * MIB
    kept, stacked, traced = _costs(model, sites, longest)
    for_pass, for_block = (rows * longest * cost for rows, cost in ((PAIRS, stacked), (2 * PAIRS, kept)))
    if for_pass + for_block > total:
        raise _too_little(longest, "", for_pass + for_block)
    half = min(max(total // 2, for_block), total - for_pass)
    return Budget(
        kept=half // kept,
        stacked=min((total - half) // stacked, max(_FASTEST[device], PAIRS * longest)),
        traced=min(total // traced, max(_FASTEST[device], 2 * PAIRS * longest)),
    )


def refuse_untraced(model: LoadedModel, sites: Collection[Site], budget: Budget, rows: int, longest: int) -> None:
    """Raise a UserError if the gradients of so many rows of a contrast do not fit into memory."""
    if rows * longest > budget.traced:
        _, _, traced = _costs(model, sites, longest)
        raise _too_little(longest, "gradients of ", rows * longest * traced)


def _too_little(longest: int, what: str, need: int) -> UserError:
    return UserError(f"--memory: {what}rows of {longest} tokens need at least {-(-need // MIB)} MiB with these sites.")


def peak_mib(device: torch.device) -> float:
    """The most memory used so far: of the GPU, or of this process on a CPU."""
    import resource  # noqa: PLC0415 - not on every system

    import torch  # noqa: PLC0415 - takes seconds

    if device.type == "cuda":
        return float(torch.cuda.max_memory_allocated(device)) / MIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024


def _costs(model: LoadedModel, sites: Collection[Site], longest: int) -> tuple[int, int, int]:
    """Bytes per token: kept in a block (the values at the sites, and a copy for the other run), stacked, and traced."""
    every = {*sites, *sites_to_keep(model, [SitePatch((site,)) for site in sites])}
    # Sites of one layer and kind are parts of one tensor, and are kept together.
    whole = {Site(site.layer, site.kind) for site in every}
    seen = _NUMBER * sum(_width(model, site, longest) for site in whole)
    given, weights = _block_bytes(model, longest, patterns=any(site.kind == "pattern" for site in sites))
    # A pass holds the output of projections twice. For gradients each block keeps it, and each site values and gradients.
    return 2 * seen, 2 * given + weights, model.layers * (given + weights) + 2 * seen


def _block_bytes(model: LoadedModel, longest: int, *, patterns: bool) -> tuple[int, int]:
    """Bytes of a token in a block: the output of its projections, and its attention weights if they are computed step by step."""
    import torch  # noqa: PLC0415 - takes seconds

    given: int = sum(part.out_features for part in model.blocks[0].modules() if isinstance(part, torch.nn.Linear))
    stepwise = patterns or model.family.pattern != "interface"
    return _NUMBER * given, _NUMBER * 3 * model.heads * longest if stepwise else 0


def _width(model: LoadedModel, site: Site, longest: int) -> int:
    if site.kind == "pattern":
        return model.heads * longest
    if site.kind == "head":
        return int(model.hook_point(site).module.in_features)
    if site.kind in ("embeddings", "residual"):
        return int(model.module.config.hidden_size)
    head = 0 if site.kind in OF_A_HEAD else -1
    return int(model.hook_point(replace(site, head=head)).module.out_features)


SECONDS = 1.0
_MOST = 8  # contrasts, from the shortest to the longest


def passes_a_second(model: LoadedModel, contrasts: Sequence[TokenContrast], budget: Budget) -> float:
    """Forward passes of one row per second, in batches as large as in the analysis."""
    block = make_block(model, _sample(contrasts))
    inputs = block.inputs["clean"]
    copies = max(1, budget.stacked // inputs["input_ids"].numel())
    stacked = {name: rows.repeat(copies, 1) for name, rows in inputs.items()}

    def run() -> int:
        model.scores(stacked).cpu()  # waits for a GPU
        return len(stacked["input_ids"])

    with inference():
        return done_a_second(run)


def done_a_second(run: Callable[[], int], clock: Callable[[], float] = time.perf_counter) -> float:
    """How much `run` does per second; it returns how much it did. Its first call is not counted, as it also warms up."""
    run()
    start, done = clock(), 0
    while not done or clock() - start < SECONDS:
        done += run()
    return done / (clock() - start)


def _sample(contrasts: Sequence[TokenContrast]) -> list[TokenContrast]:
    order = sorted(contrasts, key=lambda one: (one.longest, one.contrast.id))
    step = max(1, len(order) // _MOST)
    return order[step // 2 :: step][:_MOST]

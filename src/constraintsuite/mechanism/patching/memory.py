"""How many tokens fit: the setting is in MiB, and what a token takes is read off the model's own shapes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from constraintsuite.errors import UserError
from constraintsuite.mechanism.sites import Site
from constraintsuite.mechanism.subject import Subject

if TYPE_CHECKING:
    import torch

MIB = 1 << 20
DEFAULT_MIB = {"cpu": 1_024, "cuda": 16_384}
_FASTEST = {"cpu": 2_048, "cuda": 262_144}
"""Tokens beyond which a batch is not faster, only larger: on a processor it no longer fits into the caches."""
_NUMBER = 4  # bytes, in fp32


@dataclass(frozen=True)
class Budget:
    """Most tokens, padding included."""

    kept: int
    """Of a block of contrasts, clean and corrupt, whose activations are kept."""
    stacked: int
    """Of a forward pass of copies."""
    traced: int
    """Of a forward pass whose gradients are asked for."""


def plan_memory(subject: Subject, sites: Collection[Site], mib: int | None, longest: int) -> Budget:
    """Half of the memory for what is kept of a block, half for a pass over it; too little for one row is a UserError.

    The weights are not counted. `longest` is the longest row's tokens.
    """
    device = subject.device.type
    total = (mib or DEFAULT_MIB[device]) * MIB
    patterns = any(site.kind == "pattern" for site in sites)
    pass_bytes = _pass_bytes(subject, longest, patterns=patterns)
    kept_bytes = _NUMBER * sum(_width(subject, site, longest) for site in _whole(sites)) + subject.layers * _NUMBER
    fits = Budget(
        kept=total // 2 // (2 * kept_bytes),
        stacked=min(total // 2 // pass_bytes, _FASTEST[device]),
        traced=min(total // (subject.layers * pass_bytes + kept_bytes), _FASTEST[device]),
    )
    if min(fits.stacked, fits.kept // 4) < longest:
        need = 2 * longest * max(pass_bytes, 8 * kept_bytes) // MIB + 1
        raise UserError(f"--memory: rows of {longest} tokens need at least {need} MiB with these sites.")
    return fits


def peak_mib(device: torch.device) -> float:
    """Most memory taken so far: of the device, or of this process where that is the processor."""
    import resource  # noqa: PLC0415 - not on every system

    import torch  # noqa: PLC0415 - takes seconds

    if device.type == "cuda":
        return float(torch.cuda.max_memory_allocated(device)) / MIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024


def _pass_bytes(subject: Subject, longest: int, *, patterns: bool) -> int:
    """What a token takes while it passes a block: all that its projections give, twice, and rows of attention weights."""
    import torch  # noqa: PLC0415 - takes seconds

    given: int = sum(part.out_features for part in subject.blocks[0].modules() if isinstance(part, torch.nn.Linear))
    stepwise = patterns or subject.family.pattern != "interface"
    return _NUMBER * (2 * given + (3 * subject.heads * longest if stepwise else 0))


def _whole(sites: Collection[Site]) -> set[Site]:
    """Sites of one layer and kind are parts of one tensor, and kept together; weights of attention are too."""
    return {Site(site.layer, site.kind) for site in sites}


def _width(subject: Subject, site: Site, longest: int) -> int:
    if site.kind == "pattern":
        return subject.heads * longest
    if site.kind == "head":
        width: int = subject.tap(site).module.in_features
        return width
    if site.kind in ("query", "key", "value", "attention", "mlp"):
        of_a_head = site.kind not in ("attention", "mlp")
        given: int = subject.tap(replace(site, head=0 if of_a_head else -1)).module.out_features
        return given
    hidden: int = subject.model.config.hidden_size
    return hidden

"""Gradients of scores at sites: one pass forward and one backward for all of them."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong name is told without it

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from constraintsuite.mechanism.hooks import SiteTensors, TapGroup, TensorHook, by_module, hooked
from constraintsuite.mechanism.sites import EMBEDDINGS, Site
from constraintsuite.mechanism.subject import Subject

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Trace:
    """What passed the sites in the last forward pass of the block, and how the scores depend on it."""

    _groups: list[TapGroup]
    _passed: dict[int, torch.Tensor] = field(default_factory=dict)  # by group, whole: a part of it leads to no score

    def values(self) -> SiteTensors:
        """What passed each site."""
        return self._cut(self._passed)

    def gradients(self, scores: torch.Tensor) -> SiteTensors:
        """How each row's score changes with what passes each site; may be asked once for a forward pass."""
        import torch

        numbers = list(self._passed)
        found = torch.autograd.grad(scores.sum(), [self._passed[number] for number in numbers], allow_unused=True)
        # What no score depends on, such as weights that nothing reads, has no gradient.
        whole = {n: torch.zeros_like(self._passed[n]) if g is None else g for n, g in zip(numbers, found, strict=True)}
        return self._cut(whole)

    def _cut(self, whole: dict[int, torch.Tensor]) -> SiteTensors:
        return {
            site: tap.open(tensor)[:, tap.number].detach()
            for number, tensor in whole.items()
            for tap, site, _ in self._groups[number]
        }


@contextmanager
def tracing(subject: Subject, sites: Iterable[Site]) -> Iterator[Trace]:
    """Forward passes of the block can be asked for gradients, which begin at the embeddings: the weights have none.

    Within `replacing`, the replaced values are what is traced.
    """
    import torch

    def begin(passing: torch.Tensor) -> torch.Tensor:
        return passing.detach().requires_grad_(True)

    with ExitStack() as hooks:
        hooks.enter_context(torch.enable_grad())
        hooks.enter_context(hooked(subject.tap(EMBEDDINGS), begin))
        trace = Trace(by_module(subject, sites, hooks))
        for number, group in enumerate(trace._groups):
            hooks.enter_context(hooked(group[0][0], _keeping(trace._passed, number)))
        yield trace


def _keeping(passed: dict[int, torch.Tensor], number: int) -> TensorHook:
    def keep(passing: torch.Tensor) -> None:
        passed[number] = passing

    return keep

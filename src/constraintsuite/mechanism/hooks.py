"""Read or replace the values at sites, or take gradients there, inside a `with` block; afterwards the model is unchanged."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from constraintsuite.core.errors import UserError
from constraintsuite.mechanism.loaded_model import HookPoint, LoadedModel, Tensors, exposed_weights
from constraintsuite.mechanism.sites import EMBEDDINGS, Site

if TYPE_CHECKING:
    import torch

SiteTensors = dict[Site, "torch.Tensor"]
"""The values at each site: (rows, positions, width of the site); of a `pattern`, (rows, queries, keys)."""


@dataclass(frozen=True)
class Edit:
    """New values for a site, in some rows of the batch and at some of their positions."""

    site: Site
    rows: torch.Tensor
    """Numbers of the rows: (n,)."""
    values: torch.Tensor
    """(n, positions, width of the site)."""
    where: torch.Tensor
    """Which positions are replaced: bool (n, positions). Those of a `pattern` are its queries."""

    @classmethod
    def everywhere(cls, site: Site, values: torch.Tensor) -> Edit:
        """An edit of all positions, in as many of the first rows as there are values."""
        import torch

        rows = torch.arange(len(values), device=values.device)
        return cls(site, rows, values, torch.ones(values.shape[:2], dtype=torch.bool, device=values.device))


@contextmanager
def capturing(model: LoadedModel, sites: Iterable[Site]) -> Iterator[SiteTensors]:
    """The values at the sites, filled by the last forward pass inside the block; gradients flow through them."""
    seen: SiteTensors = {}
    with _hooking(model, sites, lambda group: partial(_keep, seen, group)):
        yield seen


@contextmanager
def replacing(model: LoadedModel, edits: Sequence[Edit]) -> Iterator[None]:
    """Forward passes inside the block use the values of the edits; where two edits overlap, the later one counts."""

    def write(group: HookGroup) -> TensorHook:
        return partial(_write, [(point, edits[number]) for point, _, number in group])

    with _hooking(model, [edit.site for edit in edits], write):
        yield


@contextmanager
def watching(model: LoadedModel) -> Iterator[None]:
    """When the block ends, raise a UserError that names the first site with an infinite or undefined number.

    It checks embeddings, heads, attention, feed-forward parts and residuals. A GPU is not waited for before the end.
    """
    import torch

    found: list[tuple[HookGroup, torch.Tensor]] = []

    def check(group: HookGroup) -> TensorHook:
        point = group[0][0]
        return lambda passing: found.append((group, torch.isfinite(point.split_parts(passing)).all(dim=(0, 2, 3))))

    with _hooking(model, model.sites({"embeddings", "head", "attention", "mlp", "residual"}), check):
        yield
    for group, fine in found:
        broken = [str(site) for (_, site, _), whole in zip(group, fine.tolist(), strict=True) if not whole]
        if broken:
            raise UserError(f"{model.name}: numbers at {', '.join(broken)} are infinite or not numbers.")


def refuse_infinite(model: LoadedModel, scores: torch.Tensor, run: str, inputs: Tensors) -> None:
    """Raise a UserError if a score of a run is infinite or undefined; it names the first such site."""
    if not bool(scores.isfinite().all()):
        with watching(model):
            model.scores(inputs)
        raise UserError(f"{model.name}: a score of the {run} run is infinite or undefined.")


@contextmanager
def starting_above(model: LoadedModel, layer: int, residual: torch.Tensor) -> Iterator[None]:
    """Forward passes start with `residual` as the output of block `layer` (-1: of the embeddings), and skip the blocks up to it.

    Rows and positions of the inputs must match `residual`: masks and pooling still use the inputs.
    """
    if not model.family.reuse:
        raise UserError(f"{model.name}: the blocks of this family cannot be skipped.")
    with ExitStack() as changes:
        if layer < 0:
            changes.enter_context(replacing(model, [Edit.everywhere(EMBEDDINGS, residual)]))
        for number in range(layer + 1):
            changes.enter_context(_skipped(model, number, residual if number == layer else None))
        yield


@contextmanager
def starting_within(model: LoadedModel, layer: int, residual: torch.Tensor, heads: torch.Tensor) -> Iterator[None]:
    """Forward passes start after the heads of block `layer`: `residual` is its input, `heads` what all its heads read.

    `heads` is (rows, positions, heads x width), as `Site(layer, "head")` captures it. Queries, keys, values and patterns
    of that block are not computed, so edits of those do nothing.
    """
    block, family = model.blocks[layer], model.family
    attending = block.get_submodule(family.attending)
    inside = family.attention.startswith(f"{family.attending}.")
    projection = block.get_submodule(family.attention)

    def forward(*_: object, **__: object) -> tuple[torch.Tensor, None]:
        return (projection(heads) if inside else heads), None

    with starting_above(model, layer - 1, residual), _with_forward(attending, forward):
        yield


HookGroup = list[tuple[HookPoint, Site, int]]
"""Hook points at one side of one module, each with its site and the site's number in the given order."""


def by_module(model: LoadedModel, sites: Iterable[Site], stack: ExitStack) -> list[HookGroup]:
    """Group sites by module; if a site is a pattern, the stack keeps attention weights exposed."""
    groups: dict[tuple[int, str], HookGroup] = defaultdict(list)
    for number, site in enumerate(sites):
        point = model.hook_point(site)
        groups[id(point.module), point.side].append((point, site, number))
    if any(site.kind == "pattern" for group in groups.values() for _, site, _ in group):
        stack.enter_context(exposed_weights(model))
    return list(groups.values())


TensorHook = Callable[["torch.Tensor"], "torch.Tensor | None"]
"""Gets a tensor that passes a module, and returns one that replaces it, or None."""


@contextmanager
def hooked(point: HookPoint, passing: TensorHook) -> Iterator[None]:
    """Call `passing` with the input or output of the point's module; of several tensors, with the first."""
    used = False

    def start(_module: torch.nn.Module, _given: tuple[Any, ...]) -> None:
        nonlocal used
        used = False

    def look(tensor: torch.Tensor) -> torch.Tensor | None:
        nonlocal used
        if used and point.within is not None:
            return None
        used = True
        return passing(tensor)

    def before(_module: torch.nn.Module, given: tuple[Any, ...]) -> tuple[Any, ...] | None:
        changed = look(given[0])
        return None if changed is None else (changed, *given[1:])

    def after(_module: torch.nn.Module, _given: tuple[Any, ...], result: Any) -> Any:  # noqa: ANN401
        several = isinstance(result, tuple)
        changed = look(result[0] if several else result)
        if changed is None:
            return None
        return (changed, *result[1:]) if several else changed

    module = point.module
    hooks = [module.register_forward_pre_hook(before) if point.side == "input" else module.register_forward_hook(after)]
    if point.within is not None:
        hooks.append(point.within.register_forward_pre_hook(start))
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def _hooking(model: LoadedModel, sites: Iterable[Site], make: Callable[[HookGroup], TensorHook]) -> Iterator[None]:
    """Attach the hooks that `make` returns to the modules of the sites, until the block ends."""
    with ExitStack() as hooks:
        for group in by_module(model, sites, hooks):
            hooks.enter_context(hooked(group[0][0], make(group)))
        yield


def _keep(seen: SiteTensors, group: HookGroup, passing: torch.Tensor) -> None:
    for point, site, _ in group:
        seen[site] = point.split_parts(passing)[:, point.number]


def _write(edits: Sequence[tuple[HookPoint, Edit]], passing: torch.Tensor) -> torch.Tensor:
    import torch

    changed = passing.clone(memory_format=torch.contiguous_format)
    for point, edit in edits:
        part = point.split_parts(changed)[:, point.number]
        part[edit.rows] = edit.values.where(edit.where[..., None], part[edit.rows])
    return changed


@contextmanager
def _skipped(model: LoadedModel, layer: int, given: torch.Tensor | None) -> Iterator[None]:
    """Let a block return `given`, or else its own input."""
    bare = model.bare_blocks

    def forward(hidden_states: torch.Tensor, *_: object, **__: object) -> Any:  # noqa: ANN401 - as the block itself does
        result = hidden_states if given is None else given
        return result if bare else (result, None)

    with _with_forward(model.blocks[layer], forward):
        yield


@contextmanager
def _with_forward(module: torch.nn.Module, forward: Callable[..., Any]) -> Iterator[None]:
    """Replace the forward method of a module until the block ends."""
    own = vars(module).get("forward")
    module.forward = forward
    try:
        yield
    finally:
        if own is None:
            del module.forward
        else:
            module.forward = own


@dataclass(frozen=True)
class Trace:
    """The values at the sites in the last forward pass of the block, and the gradients of the scores."""

    _passed: list[tuple[HookGroup, torch.Tensor]] = field(
        default_factory=list
    )  # whole tensors: no gradient reaches a part

    def values(self) -> SiteTensors:
        """The values at each site."""
        return self._cut([tensor for _, tensor in self._passed])

    def gradients(self, scores: torch.Tensor) -> SiteTensors:
        """The gradient of each row's score at each site; can be computed once per forward pass."""
        import torch

        whole = [tensor for _, tensor in self._passed]
        found = torch.autograd.grad(scores.sum(), whole, allow_unused=True)
        # Values that no score depends on, such as weights that nothing reads, have no gradient.
        return self._cut([torch.zeros_like(t) if g is None else g for t, g in zip(whole, found, strict=True)])

    def _cut(self, whole: Sequence[torch.Tensor]) -> SiteTensors:
        return {
            site: point.split_parts(tensor)[:, point.number].detach()
            for (group, _), tensor in zip(self._passed, whole, strict=True)
            for point, site, _ in group
        }


@contextmanager
def tracing(model: LoadedModel, sites: Iterable[Site]) -> Iterator[Trace]:
    """Inside the block, the returned trace gives gradients of a forward pass. They start at the embeddings: weights have none.

    Inside `replacing`, the replaced values are traced.
    """
    import torch

    trace = Trace()

    def keep(group: HookGroup) -> TensorHook:
        return lambda passing: trace._passed.append((group, passing))

    def start_gradients(passing: torch.Tensor) -> torch.Tensor:
        return passing.detach().requires_grad_(True)

    with torch.enable_grad(), hooked(model.hook_point(EMBEDDINGS), start_gradients), _hooking(model, sites, keep):
        yield trace

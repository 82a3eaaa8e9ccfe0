"""Run circuits on contrasts with everything else ablated, and draw random circuits."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations, product
from math import comb, prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Advance, Reporter, Silent
from constraintsuite.core.store.files import atomic_writer, sha256_text
from constraintsuite.mechanism.ablation import AblationReplacement, ablate_contrasts, prepare_ablation
from constraintsuite.mechanism.circuits.records import ChanceMatch, CircuitAblation
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, without_unrelated_pairs
from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.patching.capacity import Budget
from constraintsuite.mechanism.patching.exact import patch_contrasts
from constraintsuite.mechanism.patching.patches import SitePatch
from constraintsuite.mechanism.sites import Site

Circuit = frozenset[Site]
EMPTY: Circuit = frozenset()
AT_ONCE = 32
"""Circuits per file of results."""
TOGETHER = 8
"""Contrasts per file of results: with more, progress would be rare, and an interruption would lose more."""


class SearchProgress:
    """Counts runs for the current step of a search; between steps nothing is counted."""

    def __init__(self, reporter: Reporter | None = None) -> None:
        self._reporter = reporter or Silent()
        self.count: Advance = _ignore

    @contextmanager
    def step(self, title: str, total: int) -> Iterator[None]:
        """Count runs until the block ends."""
        with self._reporter.track(title, total) as self.count:
            yield
        self.count = _ignore


def _ignore(items: int = 1) -> None:
    """Count nothing: no step is running."""


class CircuitMargins(NamedTuple):
    """The scores of each contrast when only a circuit is kept: (circuits, contrasts) each."""

    margins: FloatArray
    unrelated: FloatArray
    """NaN where there is no unrelated pair."""


@dataclass(frozen=True)
class CircuitRunner:
    """Runs circuits on contrasts: all sites outside a circuit are ablated."""

    model: LoadedModel
    sites: Sequence[Site]
    """All sites that can be kept or ablated."""
    contrasts: Sequence[TokenContrast]
    """All contrasts that circuits may be run on."""
    ablation: CircuitAblation
    budget: Budget
    seed: int = 0
    folder: Path | None = None
    """Where results are kept, so that a search can be resumed; None to keep nothing."""
    progress: SearchProgress = field(default_factory=SearchProgress)

    @cached_property
    def full(self) -> Circuit:
        """The circuit of all sites: the unchanged model."""
        return frozenset(self.sites)

    @cached_property
    def replacement(self) -> AblationReplacement | None:
        """The values of ablated sites; None if they come from the corrupt run."""
        if self.ablation == "counterfactual":
            return None
        return prepare_ablation(self.model, self.ablation, self.contrasts, self.sites, self.budget, self.seed)

    @property
    def usable(self) -> list[TokenContrast]:
        """The contrasts for which there are values to ablate with."""
        return list(self.contrasts) if self.replacement is None else self.replacement.serves(self.contrasts)

    def run(self, circuits: Sequence[Circuit], contrasts: Sequence[TokenContrast]) -> CircuitMargins:
        """Run each circuit on each contrast; equal circuits are run once."""
        if not contrasts:
            return CircuitMargins(np.empty((len(circuits), 0)), np.empty((len(circuits), 0)))
        asked = list(dict.fromkeys(circuits))
        values = np.empty((2, len(asked), len(contrasts)))
        for start in range(0, len(asked), AT_ONCE):
            some = asked[start : start + AT_ONCE]
            for places in group_by_length(contrasts):
                values[:, start : start + len(some), places] = self._stored(some, [contrasts[i] for i in places])
                self.progress.count(len(some) * len(places))
        number = {circuit: i for i, circuit in enumerate(asked)}
        return CircuitMargins(*values[:, [number[circuit] for circuit in circuits]])

    def margins(self, circuits: Sequence[Circuit], contrasts: Sequence[TokenContrast]) -> FloatArray:
        """The margins of `run`, without unrelated pairs: (circuits, contrasts)."""
        return self.run(circuits, without_unrelated_pairs(contrasts)).margins

    def _stored(self, circuits: Sequence[Circuit], contrasts: Sequence[TokenContrast]) -> FloatArray:
        """Margins and scores of unrelated pairs, (2, circuits, contrasts), from the folder if they were computed before."""
        if self.folder is None:
            return self._compute(circuits, contrasts)
        asked = [f"{one.contrast.id} {len(one.pairs)}" for one in contrasts]
        kept = [" ".join(sorted(map(str, circuit))) for circuit in circuits]
        name = sha256_text(self.ablation, *asked, "", *kept)
        return load_or_compute(self.folder / f"{name[:32]}.npy", lambda: self._compute(circuits, contrasts))

    def _compute(self, circuits: Sequence[Circuit], contrasts: Sequence[TokenContrast]) -> FloatArray:
        # If only the full model is asked for, the empty circuit is run: its grid also has the scores without patches.
        partial = [circuit for circuit in circuits if circuit != self.full] or [EMPTY]
        patches = [SitePatch(tuple(site for site in self.sites if site not in circuit)) for circuit in partial]
        if self.replacement is not None:
            grid = ablate_contrasts(self.model, contrasts, patches, self.replacement, self.budget)
        else:
            (grid,) = patch_contrasts(self.model, contrasts, patches, ["noising"], self.budget)
        number = {circuit: i for i, circuit in enumerate(partial)}
        margins = [grid.margin_base if c == self.full else grid.margin_patched[number[c]] for c in circuits]
        unrelated = [grid.aside_base if c == self.full else grid.aside_patched[number[c]] for c in circuits]
        return np.stack([np.stack(margins), np.stack(unrelated)])


def studied_sites(model: LoadedModel) -> list[Site]:
    """The sites that a circuit can consist of: heads and MLPs."""
    return model.sites({"head", "mlp"})


def group_by_length(contrasts: Sequence[TokenContrast]) -> list[list[int]]:
    """The places of a few contrasts at a time, of similar lengths, so that there is little padding."""
    order = sorted(range(len(contrasts)), key=lambda i: contrasts[i].longest)
    return [order[start : start + TOGETHER] for start in range(0, len(order), TOGETHER)]


def load_or_compute(file: Path | None, make: Callable[[], FloatArray]) -> FloatArray:
    """The array in a file, computed by `make` if there is no such file; without a file it is not kept."""
    if file is None:
        return make()
    if not file.is_file():
        with atomic_writer(file) as out:
            np.save(out, make())
    values: FloatArray = np.load(file)
    return values


def curve_sizes(sites: int) -> list[int]:
    """The sizes of circuits on a curve: 1, 2, 3, 5, 8, 13, ..., below the number of sites."""
    sizes = [1, 2]
    while sizes[-1] < sites:
        sizes.append(sizes[-1] + sizes[-2])
    return [size for size in sizes if size < sites]


def sizes_to_run(sites: int, size: int | None) -> list[int]:
    """The sizes of the curve, and `size`. Raises UserError if `size` is as large as the model."""
    if size is not None and size >= sites:
        raise UserError(f"--size {size}: a circuit has fewer sites than the model, which has {sites}.")
    return sorted({*curve_sizes(sites), *([size] if size else [])})


def random_circuits(
    circuit: Circuit, sites: Sequence[Site], match: ChanceMatch, count: int, chance: random.Random
) -> tuple[tuple[Circuit, ...], int]:
    """Up to `count` distinct random circuits with the same number of sites per layer (or kind), and the number of possible ones."""

    def group(site: Site) -> str:
        return str(getattr(site, match))

    wanted = Counter(group(site) for site in circuit)
    pools = [[site for site in sites if group(site) == name] for name in sorted(wanted)]
    counts = [wanted[name] for name in sorted(wanted)]
    possible = prod(comb(len(pool), count_) for pool, count_ in zip(pools, counts, strict=True)) - 1
    if possible <= count:
        choices = product(*(combinations(pool, n) for pool, n in zip(pools, counts, strict=True)))
        every = (frozenset(chain.from_iterable(parts)) for parts in choices)
        return tuple(one for one in every if one != circuit), possible
    found: dict[Circuit, None] = {}
    while len(found) < count:
        drawn = frozenset(site for pool, n in zip(pools, counts, strict=True) for site in chance.sample(pool, n))
        if drawn != circuit:
            found[drawn] = None
    return tuple(found), possible


def random_parts(circuit: Sequence[Site], count: int, chance: random.Random) -> list[Circuit]:
    """At most `count` different non-empty subsets of a circuit; all of them if there are fewer."""
    if 2 ** len(circuit) - 1 <= count:
        return [frozenset(some) for n in range(1, len(circuit) + 1) for some in combinations(circuit, n)]
    found: dict[Circuit, None] = {}
    while len(found) < count:
        found[frozenset(chance.sample(circuit, chance.randint(1, len(circuit))))] = None
    return list(found)

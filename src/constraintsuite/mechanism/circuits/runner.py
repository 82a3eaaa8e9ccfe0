"""Circuits: drawn at random, and run on contrasts with everything else ablated."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
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
from constraintsuite.mechanism.contrasts.tokens import TokenContrast
from constraintsuite.mechanism.effects.records import FloatArray, Grid
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.patching.capacity import Budget
from constraintsuite.mechanism.patching.exact import patch_contrasts
from constraintsuite.mechanism.patching.patches import SitePatch
from constraintsuite.mechanism.sites import Site


class SearchProgress:
    """Passes on what is counted to the step that is under way; outside of steps nobody listens."""

    def __init__(self, reporter: Reporter | None = None) -> None:
        self._reporter = reporter or Silent()
        self.count: Advance = _ignore
        """Tells how many more runs are done."""

    @contextmanager
    def step(self, title: str, total: int) -> Iterator[None]:
        """Count runs until the block ends."""
        with self._reporter.track(title, total) as self.count:
            yield
        self.count = _ignore


def _ignore(items: int = 1) -> None:
    """Count nothing: no step is under way."""


Circuit = frozenset[Site]
EMPTY: Circuit = frozenset()
AT_ONCE = 32
"""Circuits between two marks on disk."""
TOGETHER = 8
"""Contrasts between two marks: with more, minutes go by without a word, and a search that is killed loses them."""


class CircuitMargins(NamedTuple):
    """What is left of the scores of each contrast when nothing but a circuit is kept: (circuits, contrasts) each."""

    margins: FloatArray
    asides: FloatArray
    """NaN where there is no pair aside."""


@dataclass(frozen=True)
class CircuitRunner:
    """A subject, the sites that can be kept or ablated, and how they are ablated."""

    model: LoadedModel
    sites: tuple[Site, ...]
    ablation: CircuitAblation
    replacement: AblationReplacement | None
    """None where the values of the corrupt run are put in (`twin`)."""
    budget: Budget
    folder: Path | None = None
    """Where what was run is kept, so that a stopped search goes on; None to keep nothing."""
    progress: SearchProgress = field(default_factory=SearchProgress)
    """Counts the runs of a circuit on a contrast that are done."""

    @property
    def full(self) -> Circuit:
        """Everything kept: the model as it is."""
        return frozenset(self.sites)

    def can_ask(self, contrasts: Sequence[TokenContrast]) -> list[TokenContrast]:
        """Contrasts that have something to be ablated with."""
        if self.replacement is None or self.replacement.kind != "resample":
            return list(contrasts)
        return [one for one in contrasts if one.contrast.id in self.replacement.others]

    def run(self, circuits: Sequence[Circuit], contrasts: Sequence[TokenContrast]) -> CircuitMargins:
        """What is left of each contrast; a circuit that is asked for twice is run once."""
        if not contrasts:
            return CircuitMargins(np.empty((len(circuits), 0)), np.empty((len(circuits), 0)))
        asked = list(dict.fromkeys(circuits))
        values = np.empty((2, len(asked), len(contrasts)))
        for start in range(0, len(asked), AT_ONCE):
            some = asked[start : start + AT_ONCE]
            for places in lots(contrasts):
                kept = self._remembered(some, [contrasts[i] for i in places])
                values[:, start : start + len(some), places] = kept
                self.progress.count(len(some) * len(places))
        number = {circuit: i for i, circuit in enumerate(asked)}
        margins, asides = values[:, [number[circuit] for circuit in circuits]]
        return CircuitMargins(margins, asides)

    def margins(self, circuits: Sequence[Circuit], contrasts: Sequence[TokenContrast]) -> FloatArray:
        """Of each circuit, without the pairs aside: (circuits, contrasts)."""
        return self.run(circuits, bare(contrasts)).margins

    def _remembered(self, circuits: Sequence[Circuit], contrasts: Sequence[TokenContrast]) -> FloatArray:
        """Margins and asides, (2, circuits, contrasts), from disk if they were run before."""
        if self.folder is None:
            return self._run(circuits, contrasts)
        asked = [f"{one.contrast.id} {len(one.pairs)}" for one in contrasts]
        kept = [" ".join(sorted(map(str, circuit))) for circuit in circuits]
        name = sha256_text(self.ablation, *asked, "", *kept)
        return remembered(self.folder / f"{name[:32]}.npy", lambda: self._run(circuits, contrasts))

    def _run(self, circuits: Sequence[Circuit], contrasts: Sequence[TokenContrast]) -> FloatArray:
        partial = [circuit for circuit in circuits if circuit != self.full]
        # Where only the full model is asked for, the empty circuit is run beside it: its grid has what was there before.
        grid = self._ablate(
            [SitePatch(tuple(site for site in self.sites if site not in circuit)) for circuit in partial or [EMPTY]],
            contrasts,
        )
        number = {circuit: i for i, circuit in enumerate(partial)}
        margins = [grid.margin_base if c == self.full else grid.margin_patched[number[c]] for c in circuits]
        asides = [grid.aside_base if c == self.full else grid.aside_patched[number[c]] for c in circuits]
        return np.stack([np.stack(margins), np.stack(asides)])

    def _ablate(self, patches: Sequence[SitePatch], contrasts: Sequence[TokenContrast]) -> Grid:
        if self.replacement is not None:
            return ablate_contrasts(self.model, contrasts, patches, self.replacement, self.budget)
        (grid,) = patch_contrasts(self.model, contrasts, patches, ["noising"], self.budget)
        return grid


def studied_sites(model: LoadedModel) -> list[Site]:
    """What a circuit can be made of: heads and MLPs."""
    return model.sites({"head", "mlp"})


def bare(contrasts: Sequence[TokenContrast]) -> list[TokenContrast]:
    """The contrasts without what stands aside, which costs a third of the time."""
    return [TokenContrast(one.contrast, one.better, one.worse, None) for one in contrasts]


def lots(contrasts: Sequence[TokenContrast]) -> list[list[int]]:
    """Places of a few contrasts at a time, of like lengths, which take the least padding."""
    order = sorted(range(len(contrasts)), key=lambda i: contrasts[i].longest)
    return [order[start : start + TOGETHER] for start in range(0, len(order), TOGETHER)]


def remembered(file: Path | None, make: Callable[[], FloatArray]) -> FloatArray:
    """What is in a file, which is made if it is not there; without a file, what is made."""
    if file is None:
        return make()
    if not file.is_file():
        with atomic_writer(file) as out:
            np.save(out, make())
    values: FloatArray = np.load(file)
    return values


def make_runner(
    model: LoadedModel,
    sites: Collection[Site],
    contrasts: Sequence[TokenContrast],
    ablation: CircuitAblation,
    budget: Budget,
    seed: int,
    *,
    folder: Path | None = None,
    progress: SearchProgress | None = None,
) -> CircuitRunner:
    """Ready to run circuits on any of the contrasts."""
    replacement = None
    if ablation != "twin":
        replacement = prepare_ablation(model, ablation, contrasts, sites, budget, seed)
    return CircuitRunner(
        model, tuple(sorted(sites)), ablation, replacement, budget, folder, progress or SearchProgress()
    )


def curve_sizes(sites: int) -> list[int]:
    """1, 2, 3, 5, 8, 13, … and all but none: sizes in steps that grow with what is there already."""
    sizes = [1, 2]
    while sizes[-1] < sites:
        sizes.append(sizes[-1] + sizes[-2])
    return [size for size in sizes if size < sites]


def asked_sizes(sites: int, size: int | None) -> list[int]:
    """Those of the curve, and the one that a user asks for."""
    if size is not None and size >= sites:
        raise UserError(f"--size {size}: a circuit has fewer sites than the model, which has {sites}.")
    return sorted({*curve_sizes(sites), *([size] if size else [])})


def random_circuits(
    circuit: Circuit, sites: Sequence[Site], match: ChanceMatch, count: int, chance: random.Random
) -> tuple[tuple[Circuit, ...], int]:
    """At most `count` other circuits with as many sites of each layer or of each kind, and how many of them there are.

    They are all different; where there are fewer than asked for, all of them.
    """

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
    """At most `count` different parts of a circuit, of any size from 1 up; where there are fewer, all of them."""
    if 2 ** len(circuit) - 1 <= count:
        return [frozenset(some) for n in range(1, len(circuit) + 1) for some in combinations(circuit, n)]
    found: dict[Circuit, None] = {}
    while len(found) < count:
        found[frozenset(chance.sample(circuit, chance.randint(1, len(circuit))))] = None
    return list(found)

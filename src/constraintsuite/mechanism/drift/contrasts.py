"""How drift is measured, and the contrasts that checkpoints are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import SPLITS, Split
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.jsonl import adapter
from constraintsuite.experiments.load import Suite, load_suite
from constraintsuite.mechanism.contrasts.from_suite import Contrasts, count_rejected, drop_repeated, make_contrasts
from constraintsuite.mechanism.contrasts.records import ContrastSide, ControlKind, MarkedContrast
from constraintsuite.mechanism.contrasts.selection import choose, deal_halves, keep_apart, keep_kinds
from constraintsuite.mechanism.contrasts.tokens import RejectedContrast

LIMIT, TOP = 256, 10


@dataclass(frozen=True, slots=True)
class DriftSettings:
    """What is asked of the checkpoints."""

    splits: tuple[Split, ...] = SPLITS
    """A model that was trained on a suite should be asked its `test` alone."""
    sides: tuple[ContrastSide, ...] = ("query",)
    """Where clean and corrupt differ; what reads a negation in a query need not be what reads one in a text."""
    independent: bool = False
    """Only contrasts of which no two share a document."""
    limit: int | None = LIMIT
    """Most contrasts, dealt evenly over sides and slices."""
    top: int = TOP
    """Sites of a circuit."""
    seed: int = 0
    memory: int | None = None
    """MiB for activations; decides no figure."""


_MAIN: tuple[ControlKind, ...] = ("",)


@dataclass(frozen=True)
class Chosen:
    """Suites by name, and the contrasts chosen from them."""

    suites: Mapping[str, Suite]
    contrasts: tuple[MarkedContrast, ...]
    rejects: Mapping[str, int]

    @property
    def content(self) -> str:
        """Hash of all that is asked: suites and settings do not say it, as an analyser that is not at hand has a stand-in."""
        return sha256_text(*(adapter(MarkedContrast).dump_json(one).decode() for one in self.contrasts))


def choose_contrasts(folders: Sequence[Path], settings: DriftSettings) -> Chosen:
    """The main contrasts of all suites; which of them training should change is a matter of their slices."""
    suites = _load(folders)
    made = {name: make_contrasts(suite, seed=settings.seed, splits=settings.splits) for name, suite in suites.items()}
    several = len(suites) > 1
    if several:
        found, rejected = _join(made)
    else:  # with the ids and halves that `csuite explain` gives them, unless halves are dealt anew
        found, rejected = next(iter(made.values())).usable(dealt_anew=settings.independent)
    asked = keep_kinds(found, sides=settings.sides, controls=_MAIN)
    if settings.independent:
        asked, more = keep_apart(asked, settings.seed)
        rejected += more
    elif several:  # halves over all suites at once, as two may have a document in common
        asked, more = deal_halves(asked, settings.seed)
        rejected += more
    chosen = choose(asked, settings.limit, settings.seed)
    mine = [one for one in rejected if one.id.rpartition("/")[2] in settings.sides]
    return Chosen(suites, tuple(chosen), count_rejected(mine))


def _load(folders: Sequence[Path]) -> dict[str, Suite]:
    loaded: dict[str, Suite] = {}
    for path in folders:
        name = path.resolve().name
        if name in loaded:
            raise UserError(f"{path}: another suite's folder is called {name!r} too. Rename one of them.")
        loaded[name] = load_suite(path)
    return loaded


def _join(made: Mapping[str, Contrasts]) -> tuple[list[MarkedContrast], list[RejectedContrast]]:
    """Contrasts of several suites, whose ids may be the same while they are not, and the other way round."""
    rejected = [
        RejectedContrast(f"{name}/{one.id}", one.reason) for name, some in made.items() for one in some.rejected
    ]
    named = [
        replace(contrast, id=f"{name}/{contrast.id}")
        for name, some in made.items()
        for contrast in (*some.contrasts, *some.torn)
    ]
    found, repeated = drop_repeated(named)
    return found, [*rejected, *repeated]

"""Measure what changes between checkpoints, in the order of training, and write it into one folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from constraintsuite.core.errors import UserError, prefixed_errors
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.records.examples import SPLITS, Split
from constraintsuite.core.store.artifact import STAGES, Artifact, ArtifactOrigin, read_manifest
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.jsonl import adapter, encode, write_json, write_jsonl
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import claim
from constraintsuite.experiments.load import Suite, load_suite, restrict_to_splits
from constraintsuite.experiments.scoring import pairs_of
from constraintsuite.mechanism.circuits.ranking import cluster_numbers
from constraintsuite.mechanism.circuits.runner import studied_sites
from constraintsuite.mechanism.contrasts.files import CONTRASTS
from constraintsuite.mechanism.contrasts.from_suite import Contrasts, count_rejected, drop_repeated, make_contrasts
from constraintsuite.mechanism.contrasts.records import HALVES, ContrastHalf, ContrastSide, MarkedContrast
from constraintsuite.mechanism.contrasts.selection import choose_contrasts, keep_independent, redraw_halves
from constraintsuite.mechanism.contrasts.tokens import RejectedContrast, TokenContrast, tokenise
from constraintsuite.mechanism.drift.behaviour import compare_behaviour, run_checkpoints
from constraintsuite.mechanism.drift.checkpoints import Checkpoint, fingerprint, shared_shape
from constraintsuite.mechanism.drift.comparison import DriftContext
from constraintsuite.mechanism.drift.observation import CROSSED
from constraintsuite.mechanism.drift.records import KIND, RESULTS, RUNS, CheckpointDrift
from constraintsuite.mechanism.drift.similarity import FEWEST
from constraintsuite.mechanism.drift.steps import CheckpointWalk
from constraintsuite.mechanism.effects.records import DIRECTIONS
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.mechanism.model_loader import load_model
from constraintsuite.models.torch.device import describe_device

_ROWS = 2  # better and worse
_BOTH = 2 * _ROWS  # clean and corrupt
_BACKWARD = 2
_DRAWS = 500  # of clusters: figures of rankings are made one draw at a time
_FEWEST_OF_HALF = FEWEST // 2


@dataclass(frozen=True, slots=True)
class DriftSettings:
    """Which contrasts the checkpoints are compared on, and how large a circuit is."""

    splits: tuple[Split, ...] = SPLITS
    """For a model that was trained on a suite, `test` alone."""
    sides: tuple[ContrastSide, ...] = ("query",)
    """Where clean and corrupt differ; the sites that read a negation in a query may not be those that read one in a text."""
    independent: bool = False
    """Whether no two contrasts may share a document."""
    limit: int | None = 256
    """The largest number of contrasts, evenly over sides and slices."""
    top: int = 10
    """The number of sites of a circuit."""
    seed: int = 0
    memory: int | None = None
    """MiB for activations; figures do not depend on it."""


@dataclass(frozen=True)
class ChosenContrasts:
    """Suites by name, and the contrasts chosen from them."""

    suites: Mapping[str, Suite]
    contrasts: tuple[MarkedContrast, ...]
    rejects: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class DriftPlan:
    """The cost over all checkpoints: forward passes of one row, where a backward pass counts as two."""

    checkpoints: tuple[str, ...]
    suites: tuple[str, ...]
    contrasts: int
    rejects: dict[str, int]
    behaviour: int
    """The pairs of the suites, scored by each checkpoint."""
    attribution: int
    """Both runs, forward and backward."""
    representation: int
    crossing: int
    """From the first checkpoint into each later one: three donors per patch and direction."""

    @property
    def forwards(self) -> int:
        """All forward passes together."""
        return self.behaviour + self.attribution + self.representation + self.crossing


def plan_drift(checkpoints: Sequence[Checkpoint], suites: Sequence[Path], settings: DriftSettings) -> DriftPlan:
    """The cost of `measure_drift`; what it would refuse is refused. Only the suites are loaded."""
    shape = shared_shape(checkpoints)
    _refuse_top(settings, shape.sites)
    chosen = choose_from_suites(suites, settings)
    halves = Counter(one.half for one in chosen.contrasts)
    _refuse_few(halves)
    asked = [restrict_to_splits(suite, settings.splits) for suite in chosen.suites.values()]
    count, contrasts = len(checkpoints), halves.total()
    crossed = min(halves["check"], CROSSED) * len(DIRECTIONS) * (count - 1)
    patches = shape.layers + 2  # the residuals, embeddings among them, and the circuit
    return DriftPlan(
        checkpoints=tuple(one.label for one in checkpoints),
        suites=tuple(chosen.suites),
        contrasts=contrasts,
        rejects=dict(chosen.rejects),
        behaviour=sum(len(pairs_of([*suite.examples, *suite.controls])) for suite in asked) * count,
        attribution=contrasts * _BOTH * (1 + _BACKWARD) * count,
        representation=contrasts * _BOTH * count,
        crossing=crossed * (2 * _BOTH + 3 * patches * _ROWS),
    )


def measure_drift(
    checkpoints: Sequence[Checkpoint], suites: Sequence[Path], out: Path, settings: DriftSettings, reporter: Reporter
) -> Artifact:
    """Measure everything that changes between checkpoints into the folder `out`; finished parts are kept."""
    chosen = choose_from_suites(suites, settings)
    origin = _origin(checkpoints, chosen, settings)
    if read_manifest(out) is None:
        _refuse_top(settings, shared_shape(checkpoints).sites)
    with claim(out, origin, (CONTRASTS, RESULTS), separate=(RUNS,), note=reporter.note) as space:
        if space.finished is not None:
            return space.finished
        with prefixed_errors(f"Checkpoint {checkpoints[0].label}"):
            first = load_model(checkpoints[0].model)
        tokens = tokenise(chosen.contrasts, first.classifier.tokenization)
        _refuse_few(Counter(one.contrast.half for one in tokens.contrasts))
        found = _measure(checkpoints, chosen, tokens.contrasts, first, out, settings, reporter)
        write_jsonl(out / CONTRASTS, [one.contrast for one in tokens.contrasts])
        write_json(out / RESULTS, found, indent=1)
        counts = {"checkpoints": len(checkpoints), "suites": len(chosen.suites), "contrasts": found.contrasts}
        cut = Counter(f"tokens: {one.reason}" for one in tokens.rejected)
        place = {"device": describe_device(first.device)}
        return space.finish(counts, {**chosen.rejects, **cut}, place=place)


def _measure(
    checkpoints: Sequence[Checkpoint],
    chosen: ChosenContrasts,
    contrasts: tuple[TokenContrast, ...],
    first: LoadedModel,
    out: Path,
    settings: DriftSettings,
    reporter: Reporter,
) -> CheckpointDrift:
    plain, seed = tuple(one.contrast for one in contrasts), settings.seed
    context = DriftContext(tuple(studied_sites(first)), plain, cluster_numbers(plain), _DRAWS, settings.top, seed)
    runs = run_checkpoints(chosen.suites, checkpoints, out / RUNS, settings.splits, reporter, seed)
    behaviour = compare_behaviour(chosen.suites, runs, settings.splits, seed=seed)
    walk = CheckpointWalk(first, tuple(checkpoints), contrasts, context, out / STAGES, settings.memory)
    inside, circuits = walk.run(reporter)
    return CheckpointDrift(
        checkpoints=tuple(one.label for one in checkpoints),
        suites=tuple(chosen.suites),
        splits=tuple(settings.splits),
        sides=tuple(settings.sides),
        contrasts=len(contrasts),
        clusters=len(np.unique(context.clusters)),
        seed=seed,
        top=settings.top,
        layers=first.layers,
        heads=first.heads,
        circuit={direction: tuple(map(str, sites)) for direction, sites in circuits.items()},
        **behaviour._asdict(),
        inside=inside,
    )


def _refuse_top(settings: DriftSettings, sites: int) -> None:
    if settings.top >= sites:
        raise UserError(f"--top {settings.top}: the model has {sites} heads and MLPs in all.")


def _refuse_few(halves: Counter[ContrastHalf]) -> None:
    if halves.total() < FEWEST or min(halves[half] for half in HALVES) < _FEWEST_OF_HALF:
        found = " and ".join(f"{halves[half]} in the half {half!r}" for half in HALVES)
        raise UserError(
            f"Too few contrasts are left: {found}, of {FEWEST} that are needed, {_FEWEST_OF_HALF} in each half. Give larger suites, "
            "another --split, or a larger --limit."
        )


def _origin(checkpoints: Sequence[Checkpoint], chosen: ChosenContrasts, settings: DriftSettings) -> ArtifactOrigin:
    inputs = {f"suite {name}": suite.content for name, suite in chosen.suites.items()}
    # Suites and settings do not determine the contrasts: a missing analyser is replaced by another.
    inputs["contrasts"] = sha256_text(*(encode(one).decode() for one in chosen.contrasts))
    inputs |= {f"checkpoint {n:03d} {one.label}": fingerprint(one) for n, one in enumerate(checkpoints)}
    decisive = {
        "checkpoints": [one.label for one in checkpoints],
        "suites": list(chosen.suites),
        **adapter(DriftSettings).dump_python(settings, mode="json", exclude={"seed", "memory"}),
        "draws": _DRAWS,
    }
    name = f"{checkpoints[0].label} > {checkpoints[-1].label}"
    return ArtifactOrigin(KIND, name, inputs, decisive, settings.seed, REVISIONS["drift"])


def choose_from_suites(folders: Sequence[Path], settings: DriftSettings) -> ChosenContrasts:
    """Choose main contrasts from all suites."""
    suites = _load(folders)
    made = {name: make_contrasts(suite, seed=settings.seed, splits=settings.splits) for name, suite in suites.items()}
    several = len(suites) > 1
    if several:
        found, rejected = _join(made)
    else:  # with the same ids and halves as in `csuite explain`
        found, rejected = next(iter(made.values())).usable(redrawn=settings.independent)
    asked = [one for one in found if one.side in settings.sides and not one.control]
    if settings.independent:
        asked, more = keep_independent(asked, settings.seed)
        rejected += more
    elif several:  # halves over all suites together, as two suites may share a document
        asked, more = redraw_halves(asked, settings.seed)
        rejected += more
    chosen = choose_contrasts(asked, settings.limit, settings.seed)
    mine = [one for one in rejected if one.id.rpartition("/")[2] in settings.sides]
    return ChosenContrasts(suites, tuple(chosen), count_rejected(mine))


def _load(folders: Sequence[Path]) -> dict[str, Suite]:
    loaded: dict[str, Suite] = {}
    for path in folders:
        name = path.resolve().name
        if name in loaded:
            raise UserError(f"{path}: another suite's folder is also called {name!r}. Rename one of them.")
        loaded[name] = load_suite(path)
    return loaded


def _join(made: Mapping[str, Contrasts]) -> tuple[list[MarkedContrast], list[RejectedContrast]]:
    """Join the contrasts of several suites: ids get the name of the suite, and repeated contrasts are left out."""
    rejected = [
        RejectedContrast(f"{name}/{one.id}", one.reason) for name, some in made.items() for one in some.rejected
    ]
    named = [
        replace(contrast, id=f"{name}/{contrast.id}")
        for name, some in made.items()
        for contrast in (*some.contrasts, *some.in_both_halves)
    ]
    found, repeated = drop_repeated(named)
    return found, [*rejected, *repeated]
